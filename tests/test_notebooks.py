"""A reader relies on this: notebooks run, and what they show is what they compute."""

import base64
import io
import os
import re
import traceback
from html import unescape
from pathlib import Path

import nbformat
import numpy as np
import pytest
from chapters import CHAPTERS, DECKS, EACH_CHAPTER, WARN, calls, copy_of_notebooks
from execute import WIDGET_VIEW, execute, save
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image

pytestmark = pytest.mark.kernel
BEFORE = f"""
__import__('sys').path.append({str(Path(__file__).parent)!r})
__import__('probe').watch()
"""

TEXTS = ("text/plain", "text/latex", "text/markdown")


# ---- checks: each returns the faults that it sees, as a list of sentences ------------
def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def noise(nb):
    """Cells that print a warning or an error."""
    return [
        f"{cell.source!r} writes {output.get('text', output.get('evalue'))}"
        for cell in code(nb)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def html_of(output):
    return output.get("data", {}).get("text/html", "")


def texts(cell):
    """What a cell puts out but for the pixels of its pictures."""
    found = []
    for output in cell.outputs:
        if output.output_type == "stream":
            found.append(output.text)
        else:
            page = re.sub('base64,[^"]+', "", html_of(output))
            plain = {mime: output.get("data", {}).get(mime) for mime in TEXTS}
            found.append({**plain, "text/html": page})
    return found


def pictures(cell):
    """The pictures of a cell, in grey."""
    files = re.findall(
        'src="data:image/png;base64,([^"]+)"', "".join(map(html_of, cell.outputs))
    )
    return [
        Image.open(io.BytesIO(base64.b64decode(file))).convert("L") for file in files
    ]


def differ(old, new):
    """Whether two pictures differ by more than how letters are smoothed."""
    if any(abs(a - b) > 0.02 * b for a, b in zip(old.size, new.size)):
        return True
    small = new.width // 4, new.height // 4
    old, new = (
        np.asarray(picture.resize(small, Image.Resampling.BOX), float)
        for picture in (old, new)
    )
    return np.abs(old - new).mean() > 0.3


def stale(committed, fresh):
    """Cells whose committed outputs are not what they give now.

    Pictures are compared if the same matplotlib drew them.
    """
    faults, comparable = (
        [],
        committed.metadata.get("matplotlib") == fresh.metadata.get("matplotlib"),
    )
    for old, new in zip(code(committed), code(fresh)):
        if "volatile" not in tags(old):
            if texts(old) != texts(new):
                faults.append(f"{old.source!r} shows {texts(old)}, now {texts(new)}")
            before, after = pictures(old), pictures(new)
            if (
                len(before) != len(after)
                or comparable
                and any(map(differ, before, after))
            ):
                faults.append(f"{old.source!r} shows another picture now")
    return faults


def unportable(nb):
    """What does not read well where no kernel runs."""
    faults = ["widget state is saved"] if "widgets" in nb.metadata else []
    if [cell.execution_count for cell in code(nb)] != list(range(1, len(code(nb)) + 1)):
        faults.append("execution counts are not 1, 2, 3, …")
    for cell in code(nb):
        bundles = [output for output in cell.outputs if "data" in output]
        if any(WIDGET_VIEW in output.data for output in bundles):
            faults.append(f"{cell.source!r} saves a widget view")
        if any("image/png" in output.data for output in bundles):
            faults.append(
                f"{cell.source!r} has a picture that cannot carry an alt text"
            )
        images = re.findall("<img [^>]*>", "".join(map(html_of, bundles)))
        alts = [re.search('alt="([^"]*)"', image) for image in images]
        if any(alt is None or not unescape(alt[1]).strip() for alt in alts):
            faults.append(f"{cell.source!r} has a picture without alt text")
        if len(images) < calls("explore", cell) + calls("show", cell):
            faults.append(f"{cell.source!r} leaves no picture")
    return faults


def missing(nb, neighbours=()):
    """Parts of a chapter that are not there."""
    prose = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    parts = [
        rf"(?im)(^#.*|\*\*[^*\n]*){part}"
        for part in ("the question", "common misreading", "recap", "sources")
    ]
    faults = [f"no match of {part}" for part in parts if not re.search(part, prose)]
    faults += [f"no link to {name}" for name in neighbours if f"]({name}" not in prose]
    for name, least in {"predict": 2, "explore": 1}.items():
        if (found := sum(calls(name, cell) for cell in nb.cells)) < least:
            faults.append(f"{found} calls of {name}, at least {least} wanted")
    if (found := sum("exercise" in tags(cell) for cell in nb.cells)) < 3:
        faults.append(f"{found} exercises, at least 3 wanted")
    faults += [
        f"{cell.source!r} has no slide type"
        for cell in nb.cells
        if not cell.metadata.get("slideshow", {}).get("slide_type")
    ]
    return faults


def exercises(nb):
    """What is to be tried, as (answer, check, first words of the reply), and faults."""
    attempts, faults = [], []
    for i, cell in enumerate(nb.cells):
        if "exercise" not in tags(cell):
            continue
        check, solution = (
            next((c for c in nb.cells[i + 1 : i + 4] if tag in tags(c)), None)
            for tag in ("check", "solution")
        )
        block = re.findall(
            r"```python\n(.*?)```", solution.source if solution else "", re.DOTALL
        )
        if not check or len(block) != 1 or not cell.metadata.get("wrong"):
            faults.append(
                f"{cell.source!r} needs wrong answers, a check, and one block of code"
                " as solution"
            )
            continue
        attempts.append((cell.source, check.source, "Your turn."))
        for wrong in cell.metadata["wrong"]:
            attempts.append((wrong, check.source, "Not yet. "))
        attempts.append((block[0], check.source, "Correct: "))
    return attempts, faults


def misjudged(verdicts):
    """Answers to exercises that are judged other than they should be."""
    return [
        f"{answer!r} is answered by {said!r} and not {wanted!r}"
        for answer, wanted, said in verdicts
        if not said.startswith(wanted) or said.count("\n") != 1
    ]


# ---- the chapters ---------------------------------------------------------------
class Run:
    """A notebook as committed and as it runs, once.

    In the same kernel its exercises are then tried and its explorers moved.
    """

    def __init__(self, path, committed):
        self.path = path
        self.committed = committed
        self.attempts, self.incomplete = exercises(committed)
        self.in_lab = None  # or what the sliders did in JupyterLab: "" if all is well

    def here(self, folder):
        """Run it by itself."""
        self.fresh = execute(
            self.committed, folder, WARN, before=BEFORE, after=self.afterwards
        )
        return self

    def in_jupyterlab(self, window, folder):
        """Run it from JupyterLab's menu, and move its sliders by mouse and by keys."""
        from lab import empty, execute_in_lab

        self.fresh = execute_in_lab(
            empty(window),
            folder,
            self.path,
            self.committed,
            before=BEFORE,
            after=self.afterwards,
            sliders=self.try_sliders,
        )
        return self

    def try_sliders(self, page):
        from lab import use_every_slider

        try:
            use_every_slider(page, self.path, self.committed)
            self.in_lab = "\n".join(page.faults)
        except Exception:  # a test of its own tells; the others go on
            self.in_lab = traceback.format_exc()

    def afterwards(self, nb, kernel):
        self.cpu_seconds = kernel.seconds or kernel.cpu_seconds()
        self.verdicts = []
        for answer, check, wanted in self.attempts:
            kernel.run(answer)
            self.verdicts.append((answer, wanted, kernel.run(check)))
        self.reports = kernel.call("probe", "probe")
        self.smallest_letter = kernel.call("probe", "smallest_letter")
        self.noise = kernel.noise


@pytest.fixture(scope="module", params=EACH_CHAPTER)
def chapter(request, tmp_path_factory):
    run = Run(request.param, nbformat.read(request.param, as_version=4))
    # Other sets of versions have no Playwright.
    if os.environ["CHROMIUM"] and request.config.pluginmanager.hasplugin("playwright"):
        window = request.getfixturevalue("window")
        return run.in_jupyterlab(window, request.getfixturevalue("lab").folder)
    return run.here(copy_of_notebooks(tmp_path_factory.mktemp("chapter")))


def test_every_slider_answers_to_keys_and_mouse_in_jupyterlab(chapter):
    if chapter.in_lab is None:
        pytest.skip("no JupyterLab in a browser here")
    assert chapter.in_lab == "", chapter.in_lab


def test_runs_without_a_warning_and_within_20_seconds_of_computing(chapter, capsys):
    assert noise(chapter.fresh) == [] and chapter.noise == []
    with capsys.disabled():
        print(f"\n{chapter.path.stem}: {chapter.cpu_seconds:.1f} s of CPU", end=" ")
    assert (
        chapter.cpu_seconds < 20
    )  # the processor's seconds: another program costs none


def test_shows_what_it_computes(chapter):
    assert stale(chapter.committed, chapter.fresh) == []


def test_reads_well_where_no_kernel_runs(chapter):
    assert unportable(chapter.committed) == []
    assert chapter.path.stat().st_size <= 1_000_000


def test_has_the_parts_of_a_chapter(chapter):
    if chapter.path not in DECKS:
        pytest.skip("an appendix is read beside a chapter, not taught as one")
    i = DECKS.index(chapter.path)
    neighbours = DECKS[max(i - 1, 0) : i] + DECKS[i + 1 : i + 2]
    assert missing(chapter.committed, [path.name for path in neighbours]) == []


def test_every_slider_answers_at_every_value(chapter, capsys):
    points = [report["points"] for report in chapter.reports]
    with capsys.disabled():
        print(
            f"\n{chapter.path.stem}: {sum(points)} points drawn, by explorer {points}",
            end=" ",
        )
    assert [fault for report in chapter.reports for fault in report["faults"]] == []
    assert len(chapter.reports) >= sum(
        calls("explore", cell) for cell in chapter.committed.cells
    )


def test_the_last_row_can_read_the_letters_of_every_picture(chapter):
    assert chapter.smallest_letter >= 12.96, "points; on a slide that is 18 pixels"


def test_exercises_hint_refuse_and_accept(chapter):
    assert chapter.incomplete + misjudged(chapter.verdicts) == []


def test_every_picture_of_a_web_page_has_its_alt_text():
    nb = nbformat.read(CHAPTERS[3], as_version=4)
    page, _ = HTMLExporter().from_notebook_node(nb)
    shown = re.findall("<img [^>]*>", page)
    alts = [alt for alt in re.findall('<img alt="([^"]*)" src="data:', page) if alt]
    saved = [html_of(output) for cell in code(nb) for output in cell.outputs]
    assert len(alts) == len(shown) == "".join(saved).count("<img ") > 0
    assert "No description has been provided" not in page


# ---- the checks themselves, shown what they should see ----------------------------
STAGE = """
from explorer import explore, show
from utils import check
import matplotlib.pyplot as plt
def dead(fig):
    line, = fig.subplots().plot([0, 1])
    def update(a=1, idle=1):
        line.set_ydata([0, 1 / (a - 3)])
        return f"a is {a}"
    return update
def sticky(fig):
    line, = fig.subplots().plot([0, 1])
    def update(a=1):
        line.set_linewidth(line.get_linewidth() + a)
        return f"a is {a}"
    return update
def far(fig):
    word = fig.text(0.5, 0.5, "far")
    def update(a=0.5):
        word.set_x(a)
        return f"a is {a}"
    return update
def mute(fig):
    word = fig.text(0.5, 0.5, "mute", fontsize=9)
    def update(a=0.5):
        word.set_y(a)
    return update
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = copy_of_notebooks(tmp_path_factory.mktemp("broken"))
    figure = (
        "fig, ax = plt.subplots()\nax.plot([0, 1], [0, {}])\nax.set_ylim(0,"
        " 3)\nshow(fig, 'a line')"
    )
    cells = [
        new_code_cell(STAGE),
        new_code_cell("print('new')"),
        new_code_cell(figure.format(1)),
        new_code_cell("import warnings\nwarnings.warn('careful')"),
        new_code_cell("explore(dead, alt='dead', a=[1, 2, 3], idle=[1, 2])"),
        new_code_cell("explore(sticky, alt='sticky', a=[1, 2])"),
        new_code_cell(
            "answer = ...", metadata={"tags": ["exercise"], "wrong": ["answer = 4"]}
        ),
        new_code_cell(
            "check(answer, {'it is positive': lambda a: a > 0}, 'two and two')",
            metadata={"tags": ["check"]},
        ),
        new_markdown_cell(
            "```python\nanswer = -4\n```", metadata={"tags": ["solution"]}
        ),
        new_code_cell("answer = ...", metadata={"tags": ["exercise"]}),
        new_code_cell("explore(far, alt='far', a=[0.5, 0.6, 0.99])"),
        new_code_cell("explore(mute, alt='mute', a=[0.5, 0.6])"),
    ]
    run = Run(folder / "broken.ipynb", new_notebook(cells=cells)).here(folder)
    run.old = nbformat.from_dict(run.fresh)
    run.old.cells[1].outputs[0].text = "old\n"
    other = execute(
        new_notebook(cells=[cells[0], new_code_cell(figure.format(2))]), folder
    )
    run.old.cells[2].outputs = other.cells[1].outputs
    return run


def test_a_stale_output_is_noticed(broken):
    text, picture = stale(broken.old, broken.fresh)
    assert "old" in text and "another picture" in picture
    broken.old.cells[1].metadata["tags"] = ["volatile"]
    assert stale(broken.old, broken.fresh) == [picture]


def test_a_warning_is_noticed(broken):
    (fault,) = noise(broken.fresh)
    assert "UserWarning: careful" in fault


def test_a_slider_that_fails_sticks_says_nothing_or_leaves_the_picture_is_noticed(
    broken,
):
    found = {report["alt"]: report["faults"] for report in broken.reports}
    assert len(found["dead"]) == 3 and "slider idle does nothing" in found["dead"]
    assert "ZeroDivisionError at {'a': 3, 'idle': 1}" in found["dead"][0]
    assert found["far"] == ["at {'a': 0.99} something lies outside the picture"]
    assert found["mute"] == [
        "update returns no sentence",
        "the sentence never changes: {''}",
    ]
    assert broken.smallest_letter == 9
    assert found["sticky"] and all(
        "depends on where" in fault for fault in found["sticky"]
    )


def test_an_accepted_wrong_answer_is_noticed(broken):
    accepted, refused = misjudged(broken.verdicts)
    assert "by 'Correct" in accepted and "not 'Not yet. '" in accepted
    assert "by 'Not yet" in refused and "not 'Correct: '" in refused
    assert len(broken.incomplete) == 1


def test_what_a_saved_notebook_lacks_is_noticed(broken):
    nb = nbformat.from_dict(broken.fresh)
    assert unportable(nb) == []
    nb.metadata["widgets"] = {}
    nb.cells[1].execution_count = 9
    nb.cells[2].outputs[0].data["text/html"] = '<img alt=" " src="">'
    nb.cells[4].outputs[0].data[WIDGET_VIEW] = {}
    nb.cells[5].outputs = []
    assert len(unportable(nb)) == 5
    assert len(missing(nb, ["02_next.ipynb"])) == 4 + 1 + 1 + 1 + len(nb.cells)


def test_a_notebook_that_fails_is_not_saved(tmp_path):
    with pytest.raises(
        RuntimeError, match="(?s)cell 1 failed:\n1 / 0.*ZeroDivisionError"
    ):
        execute(
            new_notebook(cells=[new_markdown_cell("text"), new_code_cell("1 / 0")]),
            tmp_path,
        )


def test_saving_twice_gives_the_same_bytes(broken):
    path = broken.path.with_name("twice.ipynb")
    nb = new_notebook(
        cells=[
            new_code_cell(STAGE),
            new_code_cell("explore(sticky, alt='sticky', a=[1, 2])"),
        ]
    )
    versions = []
    for _ in range(2):
        save(nb, path)
        nb = execute(path)
        save(nb, path)
        versions.append(path.read_bytes())
    assert versions[0] == versions[1] and b"widget" not in versions[0]
