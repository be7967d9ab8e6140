"""Measure the course beside its rivals: make bench.

    python -m bench.measure [--quick] [--keep] [CHAPTER]

It times the sliders of all chapters (sliders.py), or of one, such as 04, and ways to
make the table of codes (table.py), and writes all figures to build/bench/results.json.
With --keep they go to bench/results.json, and from there into README.md, the book's
page "Measured" and figures/measured.png (report.py).
"""

import argparse
import datetime
import json
import os
import re
import time
from importlib.metadata import version
from platform import python_version

from bench import report, sliders, table
from tools.chapters import CHAPTERS, ROOT

TRIAL = ROOT / "build" / "bench" / "results.json"
QUICK = "08"  # the chapter with the heaviest pictures
PACKAGES = ("jupyterlab", "ipywidgets", "numpy", "matplotlib")
RIVALS = ("ipympl", "plotly", "torch", "positional-encodings")


def measure(quick, number):
    """All figures, and where they were taken."""
    start = time.monotonic()
    number = number or (QUICK if quick else "")
    chapters = [path for path in CHAPTERS if path.stem.startswith(number)]
    chromium, results = sliders.measure(chapters, quick)
    results["table"] = table.measure(quick)
    where = {
        "date": str(datetime.date.today()),
        "cores": os.cpu_count(),
        "minutes": round((time.monotonic() - start) / 60),
        "Python": python_version(),
        "Chromium": chromium,
        **{name: version(name) for name in (*PACKAGES, *RIVALS)},
    }
    return {"where": where, **results}


def save(results, path):
    """As JSON, each row in a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    rows = re.sub(r"\{[^{}]*\}", lambda row: " ".join(row[0].split()), text)
    path.write_text(rows + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", metavar="CHAPTER", help="such as 04")
    parser.add_argument("--quick", action="store_true", help="a sample")
    parser.add_argument("--keep", action="store_true", help="put it into the pages")
    options = parser.parse_args()
    if options.keep and (options.chapter or options.quick):
        parser.error("a sample is no whole run: nothing to keep")
    results = measure(options.quick, options.chapter)
    save(results, report.RESULTS if options.keep else TRIAL)
    if options.keep:
        report.write(json.loads(report.RESULTS.read_text("utf-8")))


if __name__ == "__main__":
    main()
