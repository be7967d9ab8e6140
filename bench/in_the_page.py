"""Measure the kernel in the page, in up to three browsers: make bench-page.

The book is served on this machine. Each browser begins with an empty profile: when is
Python ready, when does the first slider live, how many bytes came; once more, warm.
Then each chapter is run whole, and keys are pressed on its first explorer. A cell that
fails stops the whole. Figures go to bench/in_the_page.json, and from there to the book.
"""

import argparse
import datetime
import gzip
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright
from selenium import webdriver

from bench import report
from bench.sliders import TIMING
from tests.support.web_host import Quiet, hosted
from tools.chapters import CHAPTERS, ROOT, named
from tools.web import browser, in_page

SITE = ROOT / "build" / "book" / "site"
STARTS, PRESSES = 5, 20
PATIENCE = 300  # seconds
FIRST = CHAPTERS[3]
ZIPPED = {".html", ".css", ".js", ".mjs", ".json", ".ipynb", ".py", ".txt", ".wasm"}
EXPLORER = "document.querySelector('.jp-OutputArea:has(.noUi-handle)')"
LIVE = f"Boolean({EXPLORER}?.querySelector('img'))"
PRESS = f"() => timing({EXPLORER}, {{ number: 0, count: {PRESSES}, kind: 'image' }})"
# The first explorer's picture, drawn anew in the kernel.
STEP = """
import time; from course.explorer import PANELS
def _step(panel):
    begun = time.perf_counter()
    panel.live.render(panel.start)
    return 1000 * (time.perf_counter() - begun)
_panel = [*PANELS.values()][0]
print(sorted(_step(_panel) for _ in range(15))[7])"""


class Counting(Quiet):
    """Serves files, and notes which."""

    asked = set()

    def send_head(self):
        self.asked.add(self.translate_path(self.path))
        return super().send_head()


def bytes_of(paths):
    """How many bytes files are on their way: words in gzip, as GitHub Pages does."""
    files = [Path(path) for path in paths if Path(path).is_file()]
    return sum(
        len(gzip.compress(path.read_bytes()))
        if path.suffix in ZIPPED
        else path.stat().st_size
        for path in files
    )


class Playwright:
    """A page in Chromium, or in the Firefox of this machine."""

    def __init__(self, playwright, name):
        if name == "Chromium":
            kind, options = playwright.chromium, {"args": browser.FLAGS}
            options["executable_path"] = browser.find()
        else:
            kind, options = playwright.firefox, browser.firefox_options()
        self.browser = kind.launch(**options)
        self.version = self.browser.version
        context = self.browser.new_context(viewport={"width": 1280, "height": 900})
        self.page = context.new_page()
        self.open, self.evaluate = self.page.goto, self.page.evaluate
        self.quit = self.browser.close


class WebKit:
    """A page in WebKitGTK, by Debian's webkit2gtk-driver; it wants a screen."""

    def __init__(self):
        options = webdriver.WebKitGTKOptions()
        [program] = Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")
        options.binary_location = str(program)
        options.add_argument("--automation")
        service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver")
        self.driver = webdriver.WebKitGTK(options=options, service=service)
        self.driver.set_script_timeout(PATIENCE)
        self.version = self.driver.capabilities["browserVersion"]
        self.open, self.quit = self.driver.get, self.driver.quit

    def evaluate(self, code, argument=None):
        script = f"""const [given, done] = arguments, what = ({code});
          Promise.resolve(typeof what === 'function' ? what(given) : what).then(done)"""
        return self.driver.execute_async_script(script, argument)


def until(page, condition):
    """Seconds until it holds."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        if page.evaluate(f"Boolean({condition})"):
            return time.monotonic() - begun
        time.sleep(0.2)
    raise TimeoutError(f"not after {PATIENCE} s: {condition}")


def start(page, host, chapter):
    """Open a chapter; seconds until Python is ready."""
    begun = time.monotonic()
    page.open(in_page.address(f"{host}/", chapter.name))
    until(page, in_page.STARTED)
    return time.monotonic() - begun


def run(page, live=False):
    """Run a chapter; seconds until its first slider lives, or to its end."""
    begun = time.monotonic()
    page.evaluate(f"() => {{ ({in_page.RUN_ALL})({{}}); }}")
    if live:
        until(page, LIVE)
        return time.monotonic() - begun
    until(page, in_page.DONE)
    took = time.monotonic() - begun
    wrong = in_page.complaints(page.evaluate(in_page.OUTPUTS))
    if wrong:
        raise SystemExit(f"{wrong}")
    return took


def starts(browse, host, count):
    """Seconds of cold and warm starts, and to the first slider, with its bytes."""
    rows, sizes = {"cold": [], "live": [], "warm": []}, []
    for number in range(count):
        with browse() as page:
            Counting.asked.clear()
            rows["cold"].append(start(page, host, FIRST))
            rows["live"].append(rows["cold"][-1] + run(page, live=True))
            sizes.append(bytes_of(set(Counting.asked)))
            time.sleep(5)
            page.open("about:blank")
            rows["warm"].append(start(page, host, FIRST))
        print(number + 1, {name: round(times[-1], 1) for name, times in rows.items()})
    return {**rows, "bytes": min(sizes)}  # else of later cells, too, that have begun


def chapter(browse, host, path):
    """Seconds of a chapter's run, ms of a step in its first explorer and of a press."""
    with browse() as page:
        start(page, host, path)
        row = {"chapter": path.stem.partition("_")[0], "run": run(page)}
        row["step"] = float(page.evaluate(in_page.PRINTED, STEP))
        page.evaluate(f"() => {{ {TIMING} }}")
        row["press"] = median(page.evaluate(PRESS))
        print(row)
        return row


def measure(name, host, count, paths):
    """All figures of a browser."""
    with sync_playwright() as playwright:

        @contextmanager
        def browse():
            page = WebKit() if name == "WebKitGTK" else Playwright(playwright, name)
            browse.version = page.version
            try:
                yield page
            finally:
                page.quit()

        figures = starts(browse, host, count)
        rows = [chapter(browse, host, path) for path in paths]
    return {"version": browse.version, **figures, "chapters": rows}


def native(paths):
    """Seconds that all cells of each chapter take in Python on this machine."""
    times = {}
    for path in paths:
        client = NotebookClient(nbformat.read(path, as_version=4), timeout=600)
        client.resources = {"metadata": {"path": str(path.parent)}}
        with client.setup_kernel():
            begun = time.monotonic()
            for number, cell in enumerate(client.nb.cells):
                client.execute_cell(cell, number)
            times[path.stem.partition("_")[0]] = round(time.monotonic() - begun, 1)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="*", metavar="CHAPTER", help="such as 04")
    parser.add_argument("--browser", action="append", choices=report.BROWSERS)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--keep", action="store_true", help="put it into the book")
    options = parser.parse_args()
    results = {}
    with hosted(SITE, Counting) as host:
        for name in options.browser or report.BROWSERS:
            print(name, flush=True)
            paths = named(options.chapter)
            results[name] = measure(name, host, options.starts, paths)
    results["native"] = native(named(options.chapter))
    where = {"date": str(datetime.date.today()), "cores": os.cpu_count()}
    where["load average"] = f"up to {max(os.getloadavg()):.0f}, with the browser"
    results = {"where": where, **results}
    if options.keep:
        report.keep_page(results)
    else:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
