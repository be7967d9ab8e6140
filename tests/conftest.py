import os
import sys
from pathlib import Path

import matplotlib
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium. Where there is none, its tests are skipped; in CI they fail."""
    import browser  # only here: other sets of versions run tests that need no browser
    from playwright.sync_api import sync_playwright

    path = browser.find()
    if path is None:
        reason = "no Chromium that starts: `python tests/browser.py` looks for one, or name it in CHROMIUM"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with sync_playwright() as playwright:
        window = browser.launch(playwright, path)
        yield window
        window.close()
