"""A student relies on this: a chapter runs in the page, from a link alone."""

import json
import os
import re
import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from book.bind import SITE
from tests.support.web_host import hosted
from tools.chapters import CHAPTERS, cells, tags
from tools.web.in_page import (
    DONE,
    OUTPUTS,
    PRINTED,
    RUN_ALL,
    STARTED,
    address,
    complaints,
)

pytestmark = pytest.mark.browser
MINUTE = 60_000
RUN_ONE = """at => {
    jupyterapp.shell.currentWidget.content.activeCellIndex = at;
    return jupyterapp.commands.execute('notebook:run-cell');
}"""
KEPT = "performance.getEntriesByName('kept').length"


@pytest.fixture(scope="module")
def site():
    if not (SITE / "run").exists():
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing("the book has no kernel in the page: `make book` says why")
    return SITE


@contextmanager
def running(browser, host, name, until_then="Python is starting", **options):
    """A chapter in the page, when Python has started; it asks no other host."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    page, asked = context.new_page(), []
    context.on("request", lambda request: asked.append(request.url))
    page.goto(address(host, name))
    expect(page.get_by_role("status").last).to_contain_text(until_then)
    page.wait_for_function(STARTED, timeout=3 * MINUTE)
    yield page
    origin = host.removesuffix("course/")
    own = (origin, "data:", "blob:", origin.replace("http", "ws"))
    assert [url for url in asked if not url.startswith(own)] == []
    context.close()


def run_all(page, sources=None):
    """Run all cells, some with other sources; returns the outputs of each."""
    page.evaluate(RUN_ALL, sources or {})
    page.wait_for_function(DONE, timeout=5 * MINUTE)
    outputs = page.evaluate(OUTPUTS)
    assert complaints(outputs) == []
    return dict(outputs)


@pytest.mark.parametrize("number, key", [(4, "ArrowRight"), (9, "ArrowLeft")])
def test_a_chapter_runs_whole_in_the_page_and_judges_an_exercise(
    browser, host, site, number, key
):
    path = CHAPTERS[number - 1]
    parts = ("exercise", "check", "solution")
    exercise, check, solution = (
        next(cell for cell in cells(path) if part in tags(cell)) for part in parts
    )
    code = solution.source.partition("```python\n")[2].partition("```")[0]
    with running(browser, host, path.name) as page:
        outputs = run_all(page, {exercise.id: code})
        assert outputs[check.id][0]["text"].startswith("Correct")
        with page.context.expect_page() as another:
            page.get_by_role("link", name="2 Waves", exact=True).click()
        expect(another.value).to_have_url(re.compile(r"notebooks/.*path=02_"))
        another.value.close()
        handle = page.locator(".noUi-handle").first
        handle.scroll_into_view_if_needed()
        picture = page.locator(".explorer img").first
        before = picture.get_attribute("src")
        handle.press(key)
        expect(picture).not_to_have_attribute("src", before)


def test_when_python_is_ready_a_button_runs_all_cells(browser, host, site):
    task = next(c.id for c in cells(CHAPTERS[0]) if "exercise-text" in tags(c))
    link = f"{CHAPTERS[0].name}#{task}"
    with running(browser, host, link, "MB have come") as page:
        told = page.get_by_role("status").last
        expect(told).to_contain_text("Python is ready")
        active = "jupyterapp.shell.currentWidget.content.activeCell.model.id"
        assert page.evaluate(active) == task, "a link from an exercise leads to it"
        expect(page.locator(".jp-Cell.jp-mod-active")).to_be_in_viewport()
        code = [cell.cell_type == "code" for cell in cells(CHAPTERS[0])].index(True)
        page.evaluate(RUN_ONE, code)
        page.wait_for_timeout(1000)
        expect(told).to_contain_text("Python is ready")  # a cell misses those above it
        told.get_by_role("button", name="Run all cells").click()
        expect(told).to_contain_text("The chapter has run", timeout=2 * MINUTE)
        page.wait_for_function(DONE)
        assert complaints(page.evaluate(OUTPUTS)) == []
        at = page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
        assert at == code, "the reader is where she was"
        back = page.get_by_role("link", name="The book")
        expect(back).to_have_attribute("href", f"../../{CHAPTERS[0].stem}.html")


def test_printed_lines_are_one_string(site):
    """JupyterLite joins a list of lines with commas."""
    for path in (site / "run" / "files").glob("*.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                texts = output.get("text", ""), *output.get("data", {}).values()
                assert not any(isinstance(text, list) for text in texts), path.name


def test_where_the_browser_keeps_no_files_the_page_says_so(browser, host, site):
    options = {"service_workers": "block"}
    with running(browser, host, CHAPTERS[0].name, **options) as page:
        told = page.get_by_text("In this window the course cannot run")
        expect(told).to_be_visible()


def test_a_chapter_that_has_run_starts_again_without_network(browser, site):
    context = browser.new_context()
    page = context.new_page()
    with hosted(site) as host:
        page.goto(address(f"{host}/", CHAPTERS[0].name))
        page.wait_for_function(STARTED, timeout=3 * MINUTE)
        page.wait_for_function(KEPT, timeout=MINUTE)
        changed = "jupyterapp.shell.currentWidget.context.model.dirty"
        assert not page.evaluate(changed), "a chapter that was only read is no copy"
    page.reload()
    page.wait_for_function(STARTED, timeout=3 * MINUTE)
    run_all(page)
    context.close()


def test_a_new_version_of_the_site_is_not_hidden_by_an_old_one(browser, site, tmp_path):
    shutil.copytree(site / "run", tmp_path / "run")
    module = tmp_path / "run" / "files" / "utils.py"
    os.utime(module, (0, 0))  # so old that a browser would keep it for years
    ask = "import utils; print(getattr(utils, 'NEW', 'old'))"
    said = []
    with hosted(tmp_path) as host, browser.new_context() as context:
        for _ in range(2):
            page = context.new_page()
            page.goto(address(f"{host}/", CHAPTERS[0].name))
            page.wait_for_function(STARTED, timeout=3 * MINUTE)
            said.append(page.evaluate(PRINTED, ask).strip())
            page.close()
            module.write_text(module.read_text("utf-8") + "\nNEW = 'new'\n", "utf-8")
            os.utime(module, (86400, 86400))
    assert said == ["old", "new"]
