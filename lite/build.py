"""Put the kernel in the page into the web book: JupyterLite, Pyodide, the notebooks."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from lite.pyodide import FOLDER
from tools.chapters import NOTEBOOKS, fetched_files

HERE = Path(__file__).resolve().parent
SETTINGS = ["jupyter-lite.json", "jupyter_lite_config.json"]


def build(work, site):
    """Write JupyterLite with all notebooks to `site`; `work` is for drafts."""
    shutil.rmtree(work, ignore_errors=True)
    notebooks = [path.name for path in NOTEBOOKS.glob("*.ipynb")]
    for name in [*fetched_files(), *notebooks]:
        (work / "contents" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(NOTEBOOKS / name, work / "contents" / name)
    for name in notebooks:  # a text is one string there: lists of lines get commas
        book = nbformat.read(NOTEBOOKS / name, as_version=4)
        (work / "contents" / name).write_text(json.dumps(book), "utf-8")
    for name in SETTINGS:
        shutil.copy(HERE / name, work)
    shutil.copytree(FOLDER, work / "static" / "pyodide")
    command = [sys.executable, "-m", "jupyter", "lite", "build", "--output-dir", site]
    made = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if made.returncode:
        raise SystemExit(f"JupyterLite: {made.stdout}{made.stderr}")
    shutil.copy(HERE / "page.js", site)
    worker = site / "service-worker.js"
    offline = (HERE / "offline.js").read_text("utf-8")
    worker.write_text(offline + worker.read_text("utf-8"), "utf-8")
    for page in site.glob("*/index.html"):
        text = page.read_text("utf-8")
        with_ours = text.replace(
            "<head>", '<head><script src="../page.js"></script>', 1
        )
        page.write_text(with_ours, "utf-8")
