import os
import re

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium; without one, tests are skipped, and in CI they fail."""
    import browser  # only here: other sets of versions run tests that need no browser
    from playwright.sync_api import sync_playwright

    path = browser.find()
    if path is None:
        reason = (
            "no Chromium that starts: `python tests/browser.py` looks for one, or name"
            " it in CHROMIUM"
        )
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with sync_playwright() as playwright:
        window = browser.launch(playwright, path)
        yield window
        window.close()


# Optional, as a run may do without pytest-xdist.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Side by side: a file's tests share one process, those of each chapter another."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFileAndChapter(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            chapter = re.search(r"\[(\d\d)[_\]]", nodeid)
            return f"{file} {chapter[1]}" if chapter else file

    return ByFileAndChapter(config, log)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab server; its kernels tell of warnings that our own code causes."""
    from chapters import WARN
    from lab import jupyter_lab

    with jupyter_lab(tmp_path_factory.mktemp("lab"), WARN) as server:
        yield server


@pytest.fixture(scope="session")
def window(chromium, lab):
    """JupyterLab in a browser, which takes a while to start."""
    from lab import SCRIPT, SHUTDOWN
    from served import watched_page

    with watched_page(chromium, SHUTDOWN, SCRIPT, quiet=True) as page:
        page.goto(f"{lab.url}lab?reset&token=course")
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        yield page
