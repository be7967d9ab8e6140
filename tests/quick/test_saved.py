"""A saved notebook has all that a web page shows of it."""

import re
from html import unescape

import nbformat
import pytest
from nbconvert import ScriptExporter

from tools.chapters import (
    CHAPTERS,
    explorer_metadata,
    question_metadata,
    still_metadata,
)
from tools.execute import WIDGET_VIEW


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_reads_well_where_no_kernel_runs(path):
    nb = nbformat.read(path, as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    assert path.stat().st_size <= 1_200_000
    assert "widgets" not in nb.metadata
    counts = [cell.execution_count for cell in code]
    assert counts == list(range(1, len(counts) + 1))
    script, told = ScriptExporter().from_notebook_node(nb)
    assert told["output_extension"] == ".py" and compile(script, path.stem, "exec")
    for cell in code:
        kinds = {kind for output in cell.outputs for kind in output.get("data", ())}
        assert WIDGET_VIEW not in kinds, cell.source
        pages = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
        images = re.findall("<img [^>]*>", "".join(pages))
        alts = [unescape(re.search('alt="([^"]*)"', image)[1]) for image in images]
        shown = [(still_metadata(o) or explorer_metadata(o), o) for o in cell.outputs]
        assert [about["alt"] for about, _ in shown if about] == alts, "for other pages"
        for about, output in shown:
            kept = about and not question_metadata(output)
            assert bool(kept) == ("image/png" in output.get("data", {})), "for LaTeX"
