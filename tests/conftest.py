import os
import sys
from pathlib import Path

import browser
import matplotlib
import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium. Where there is none, its tests are skipped; in CI they fail."""
    path = browser.find()
    if path is None:
        reason = "no Chromium that starts: `python tests/browser.py` looks for one, or name it in CHROMIUM"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with sync_playwright() as playwright:
        window = browser.launch(playwright, path)
        yield window
        window.close()
