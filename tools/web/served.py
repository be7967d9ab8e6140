"""For tests and bench: a notebook server and a watched page."""

import contextlib
import json
import os
import socket
import subprocess
import time
import urllib.request
from types import SimpleNamespace
from urllib.parse import urlsplit

from tools.chapters import copy_of_notebooks

FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}


def address(folder, server, seconds=120):
    """Where the server answers, once it does; its log if it does not."""
    deadline = time.monotonic() + seconds
    while server.poll() is None and time.monotonic() < deadline:
        for report in folder.glob("runtime/*server-*.json"):
            # It may be half written, and the server may not yet answer.
            with contextlib.suppress(ValueError, OSError):
                url = json.loads(report.read_text())["url"]
                urllib.request.urlopen(f"{url}api", timeout=5).close()
                return url
        time.sleep(0.1)
    raise AssertionError((folder / "log").read_text())


@contextlib.contextmanager
def served(folder, *command, env=None):
    """A server of notebooks/ in `folder` with its own settings; nothing stays."""
    root = copy_of_notebooks(folder)
    settings = {name: str(folder / place) for name, place in FOLDERS.items()}
    with socket.socket() as free:  # two servers that look for one may find the same
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--ip=127.0.0.1", "--no-browser", "--allow-root"]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [*command, f"--notebook-dir={root}", f"--port={port}", *options],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **settings, **(env or {})},
        )
    try:
        yield SimpleNamespace(url=address(folder, server), folder=folder, root=root)
    finally:
        server.terminate()  # it stops its kernels, then itself
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()  # a kernel ends when its server is gone


@contextlib.contextmanager
def watched_page(browser, goodbye, script="", strict_console=False):
    """A page that fails its test by an error, a request, or a line of its console."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.add_init_script(script)
    faults = page.faults = []

    def check_host(request):
        if urlsplit(request.url).hostname not in ("127.0.0.1", "localhost", None):
            faults.append(f"asks {request.url}")

    def check_console(line):
        if strict_console and line.type == "error":
            faults.append(f"console: {line.text}")

    context.on("request", check_host)
    page.on("websocket", check_host)
    page.on("pageerror", lambda error: faults.append(f"JavaScript: {error}"))
    page.on("console", check_console)
    yield page
    page.evaluate(goodbye)
    context.close()
    assert not faults, faults
