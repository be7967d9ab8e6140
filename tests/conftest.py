import contextlib
import itertools
import os
import re

os.environ.setdefault("OMP_NUM_THREADS", "1")  # numpy reads it; workers would wait

import matplotlib
import pytest

from tools.web import browser as chromium

matplotlib.use("Agg")
# What these assert shows its values, too.
shared = ("pages", "reading", "sliders")
pytest.register_assert_rewrite(*(f"tests.support.{name}" for name in shared))


# ---- a browser: pytest-playwright's fixtures with the Chromium of this machine -------
def pytest_configure(config):
    """Look for a browser once, before the workers start: they inherit what is found."""
    if not hasattr(config, "workerinput"):
        os.environ["CHROMIUM"] = chromium.find() or ""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, pytestconfig):
    """Without a browser, tests are skipped, the last line says so, and CI fails.

    It does not ask for `browser_name`, which has a parameter: a chapter that a test
    without this parameter has opened would be closed before a test that has it.
    """
    if pytestconfig.getoption("browser") == ["firefox"]:  # make test-firefox
        return {**browser_type_launch_args, **chromium.firefox_options()}
    if not os.environ["CHROMIUM"]:
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing("no Chromium: `python -m tools.web.browser` looks for one")
    return {
        **browser_type_launch_args,
        "executable_path": os.environ["CHROMIUM"],
        "args": chromium.FLAGS,
    }


def pytest_unconfigure(config):
    """What was not run is said in the last line."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and not hasattr(config, "workerinput"):
        reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in skipped}
        print(f"NOT RUN: {len(skipped)} tests. {'; '.join(sorted(reasons))}")


@pytest.hookimpl(tryfirst=True)  # before xdist writes the groups into the names
def pytest_collection_modifyitems(config, items):
    """Side by side: a folder's tests of a chapter share a process, or a file's."""
    if config.getoption("browser", None) == ["firefox"]:
        lacks = {"devtools": "Firefox has no Chrome DevTools"}
        if os.environ.get("FIREFOX"):
            own = "dark, without scripts, downloads: Playwright's own Firefox alone"
            lacks["own_firefox"] = own
        for item, mark in itertools.product(items, lacks):
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=lacks[mark]))
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            chapter = re.search(r"(?:[\[-]|chapter_)(\d\d|appendix)", item.nodeid)
            part = chapter[1] if chapter else item.path.stem
            group = f"{item.path.parent.name} {part}"
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that fails leaves a picture of each open page in build/failures."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if report.failed and browser:
        pages = [page for context in browser.contexts for page in context.pages]
        name = re.sub(r"[^\w-]+", "-", item.nodeid.partition("::")[2])
        for number, page in enumerate(pages):
            with contextlib.suppress(Exception):  # the failure itself is what counts
                file = item.config.rootpath / "build/failures" / f"{name}-{number}.png"
                page.screenshot(path=file, timeout=5000)
    return report


# ---- a JupyterLab -------------------------------------------------------------------
@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab server; its kernels tell of warnings that our own code causes."""
    from tools.chapters import WARN
    from tools.web.lab import jupyter_lab

    with jupyter_lab(tmp_path_factory.mktemp("lab"), WARN) as server:
        yield server


@pytest.fixture(scope="session")
def window(browser, lab):
    """JupyterLab in a browser, which takes a while to start."""
    from tests.support.sliders import HASH
    from tools.web.lab import SCRIPT, SHUTDOWN
    from tools.web.served import watched_page

    with watched_page(browser, SHUTDOWN, SCRIPT + HASH, strict_console=True) as page:
        page.goto(f"{lab.url}lab?reset&token=course")
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        yield page
