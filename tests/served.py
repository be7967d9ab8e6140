"""What tests in a browser share: a server, a watched page, a hand on a slider."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import psutil
from chapters import copy_of_notebooks

FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}
# In the page: `hash(img)` names decoded pixels; it remembers the name of the last ones.
HASH = """
window.hash = img => {
  if (!img.complete || !img.naturalWidth) return null;
  if (img.source === img.src) return img.pixels;
  const canvas = new OffscreenCanvas(img.naturalWidth, img.naturalHeight);
  const pen = canvas.getContext('2d');
  pen.drawImage(img, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  img.source = img.src;
  img.pixels = pixels.reduce((sum, pixel) => Math.imul(sum ^ pixel, 16777619), 1);
  return img.pixels;
};
"""


def address(folder, server, seconds=120):
    """Where the server answers, once it does; its log if it does not."""
    deadline = time.monotonic() + seconds
    while server.poll() is None and time.monotonic() < deadline:
        for found in folder.glob("runtime/*server-*.json"):
            # It may be half written, and the server may not yet answer.
            with contextlib.suppress(ValueError, OSError):
                url = json.loads(found.read_text())["url"]
                urllib.request.urlopen(f"{url}api", timeout=5).close()
                return url
        time.sleep(0.1)
    raise AssertionError((folder / "log").read_text())


@contextlib.contextmanager
def served(folder, *command, env=None):
    """A server of notebooks/ in `folder` with its own settings; nothing stays."""
    root = copy_of_notebooks(folder)
    settings = {name: str(folder / place) for name, place in FOLDERS.items()}
    with socket.socket() as free:  # not every version of a server finds a port itself
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command += (
        f"--notebook-dir={root}",
        f"--port={port}",
        "--ip=127.0.0.1",
        "--no-browser",
        "--allow-root",
    )
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=folder,
            env={**os.environ, **settings, **(env or {})},
        )
    family = []
    try:
        url = address(folder, server)
        yield SimpleNamespace(url=url, folder=folder, root=root, process=server)
    finally:
        if server.poll() is None:
            family = psutil.Process(server.pid).children(recursive=True)
            server.send_signal(signal.SIGTERM)  # it stops its kernels, then itself
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(15)
        if server.poll() is None:
            family.append(psutil.Process(server.pid))
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        server.wait(5)


@contextlib.contextmanager
def watched_page(browser, goodbye, script="", quiet=False):
    """A page that fails its test by errors and requests; if `quiet`, by its console."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    faults = page.faults = []
    page.add_init_script(HASH + script)

    def elsewhere(request):
        if urlsplit(request.url).hostname not in ("127.0.0.1", "localhost", None):
            faults.append(f"asks {request.url}")

    context.on("request", elsewhere)
    page.on("websocket", elsewhere)
    page.on("pageerror", lambda error: faults.append(f"JavaScript: {error}"))
    page.on(
        "console",
        lambda line: (
            faults.append(f"console: {line.text}")
            if quiet and line.type == "error"
            else None
        ),
    )
    yield page
    page.evaluate(goodbye)
    context.close()
    assert not faults, faults


def picture(panel):
    """A name for the pixels on show, once there are some."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if (pixels := panel.locator(".widget-image").evaluate("hash")) is not None:
            return pixels
        time.sleep(0.02)
    raise AssertionError("no picture")


def wait_for_change(panel, old, why):
    deadline = time.monotonic() + 30
    while (now := picture(panel)) == old:
        assert time.monotonic() < deadline, why
        time.sleep(0.02)
    return now


def wait_for_picture(panel, wanted, why):
    deadline = time.monotonic() + 30
    while picture(panel) != wanted:
        assert time.monotonic() < deadline, why
        time.sleep(0.02)


def settled(panel, quiet=0.4):
    """The picture on show once no other comes: the last of a drag's pictures."""
    now, since = picture(panel), time.monotonic()
    while time.monotonic() < since + quiet:
        time.sleep(0.05)
        if (new := picture(panel)) != now:
            now, since = new, time.monotonic()
    return now


def drag(page, handle, way, steps=4, seconds=0.0):
    """Drag a handle from where it stands, by `way` pixels."""
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    start = time.monotonic()
    for step in range(1, steps + 1):
        page.mouse.move(x + way * step / steps, y)
        time.sleep(max(0, start + seconds * step / steps - time.monotonic()))
    page.mouse.up()


def screenshot(page, name):
    """Keep a picture of the page in the folder that SCREENSHOTS names, if it does."""
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")
