"""Measure the course beside its rivals: make bench.

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
from importlib.metadata import version
from platform import python_version

from bench import report, sliders, table
from tools.chapters import ROOT, named

QUICK = "08"  # the chapter with the heaviest pictures
PACKAGES = ["jupyterlab", "ipywidgets", "numpy", "matplotlib"]
PACKAGES += ["ipympl", "plotly", "torch", "positional-encodings"]


def measure(quick, number):
    """All figures, and where they were taken."""
    chapters = named([number] if number else [])
    chromium, results = sliders.measure(chapters, quick)
    where = {"date": str(datetime.date.today()), "cores": os.cpu_count()}
    where |= {"Python": python_version(), "Chromium": chromium}
    where |= {name: version(name) for name in PACKAGES}
    return {"where": where, **results, "table": table.measure(quick)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", metavar="CHAPTER", help="such as 04")
    parser.add_argument("--quick", action="store_true", help="a sample")
    parser.add_argument("--keep", action="store_true", help="put it into the pages")
    options = parser.parse_args()
    if options.keep and (options.chapter or options.quick):
        parser.error("a sample is no whole run: nothing to keep")
    results = measure(options.quick, options.chapter or QUICK * options.quick)
    path = report.RESULTS if options.keep else ROOT / "build/bench/results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    rows = re.sub(r"\{[^{}]*\}", lambda row: " ".join(row[0].split()), text)
    path.write_text(rows + "\n", "utf-8")  # each row in a line
    if options.keep:
        report.write(results)


if __name__ == "__main__":
    main()
