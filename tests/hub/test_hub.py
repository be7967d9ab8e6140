"""`make hub`: a student logs in and has the course."""

import contextlib
import os
import re
import secrets
import subprocess
import urllib.request

import pytest

from tests.support.sliders import HASH, picture, position, until, wait_for_change
from tools.chapters import ROOT, cells, explorers_in
from tools.web.lab import SCRIPT, run_all, show_cell
from tools.web.served import watched_page

CHAPTER = "notebooks/01_integer_encoding.ipynb"


@pytest.fixture
def hub(tmp_path):
    """The hub of `make hub`, with a folder of its own: its address and password."""
    log, port = tmp_path / "log", 10_000 + secrets.randbelow(20_000)
    url = f"http://127.0.0.1:{port}"
    command = [
        *(ROOT / "hub/.venv/bin/python", "-m", "jupyterhub"),
        *("-f", ROOT / "hub/jupyterhub_config.py"),
        "--Spawner.args=--LabApp.expose_app_in_browser=True",  # to lab.SCRIPT
    ]
    env = {**os.environ, "PORT": str(port)}
    with open(log, "wb") as file:
        hub = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=file, stderr=file)

    def answers():
        assert hub.poll() is None, log.read_text()
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"{url}/hub/health", timeout=5).status == 200

    try:
        until(answers, bool, "the hub does not answer")
        yield url, re.search(r"password (\S+)", log.read_text())[1]
    finally:
        hub.terminate()  # it stops proxy and servers
        hub.wait(60)


def log_in(page, password):
    page.fill("input[name=username]", "anna")
    page.fill("input[name=password]", password)
    page.click("input[type=submit]")


@pytest.mark.browser
def test_a_student_logs_in_runs_a_chapter_and_moves_a_slider(hub, browser):
    url, password = hub
    _, index, *_ = explorers_in(cells(ROOT / CHAPTER))  # the first has buttons alone
    with watched_page(browser, "0", SCRIPT + HASH) as page:
        page.goto(url)
        log_in(page, "wrong")
        page.wait_for_selector("text=Invalid username or password")
        log_in(page, password)
        page.wait_for_url(f"**/lab/tree/positional-encoding/{CHAPTER}", timeout=120_000)
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        run_all(page, f"positional-encoding/{CHAPTER}")
        cell = show_cell(page, index)
        before = picture(cell)
        handle = cell.locator(".noUi-handle").first
        # A key, as the page still moves while a slow machine draws it.
        handle.press("ArrowRight" if position(handle) < 1 else "ArrowLeft")
        wait_for_change(cell, before, "the slider changes nothing")
