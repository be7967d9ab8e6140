"""A Firefox for the tests, driven by WebDriver BiDi: Playwright has only its own.

with firefox.opened(url) as page:
    page.press("Tab", "ArrowRight")
    page.drag("input", 0.1, 0.9)
    assert page.evaluate("document.title") == "…" and page.said == []
"""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import websocket

NAMES = ("firefox-esr", "firefox")
MACOS = "/Applications/Firefox.app/Contents/MacOS/firefox"
# No questions, and no look at the network: a proxy that is not there.
PREFERENCES = """
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1, localhost");
user_pref("remote.active-protocols", 1);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""
# Keys as WebDriver names them.
KEYS = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Escape": "\ue00c",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
BOX = """(() => {
  const {left, top, width, height} = document.querySelector(%s).getBoundingClientRect();
  return [left, top, width, height];
})()"""


def find():
    """The path of a Firefox on this machine, or None."""
    candidates = [os.environ.get("FIREFOX"), *map(shutil.which, NAMES), MACOS]
    return next((path for path in candidates if path and Path(path).is_file()), None)


class Page:
    """A page in Firefox.

    Attributes
    ----------
    said : list of str
        Warnings and errors of its console, uncaught exceptions among them.
    asked : list of str
        The addresses it asked for.
    """

    def __init__(self, socket):
        self.socket = socket
        self.numbers = itertools.count(1)
        self.said, self.asked = [], []

    def send(self, method, **params):
        """Send a command and wait for its result; note what happens meanwhile."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                break
            self.note(answer.get("method"), answer.get("params"))
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def note(self, event, params):
        if event == "log.entryAdded" and params["level"] in ("warn", "error"):
            self.said.append(params["text"])
        if event == "network.beforeRequestSent":
            self.asked.append(params["request"]["url"])

    def start(self, width, height):
        self.send("session.new", capabilities={})
        events = ["log.entryAdded", "network.beforeRequestSent"]
        self.send("session.subscribe", events=events)
        tree = self.send("browsingContext.getTree")["contexts"]
        self.context = tree[0]["context"]
        self.resize(width, height)

    def resize(self, width, height, ratio=1):
        self.send(
            "browsingContext.setViewport",
            context=self.context,
            viewport={"width": width, "height": height},
            devicePixelRatio=ratio,
        )

    def goto(self, url):
        self.send(
            "browsingContext.navigate", context=self.context, url=url, wait="complete"
        )

    def evaluate(self, expression):
        """The value of an expression, or of what it promises, by way of JSON."""
        answer = self.send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def until(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, f"waited {seconds} s for {condition}"
            time.sleep(0.05)

    def perform(self, kind, actions, **source):
        source = {"type": kind, "id": kind, "actions": actions, **source}
        self.send("input.performActions", context=self.context, actions=[source])

    def press(self, *keys):
        """Press keys one after the other, each a character or a name in KEYS."""
        for key in keys:
            value = KEYS.get(key, key)
            self.perform(
                "key",
                [
                    {"type": "keyDown", "value": value},
                    {"type": "keyUp", "value": value},
                ],
            )

    def drag(self, selector, start, end):
        """Drag across an element, from one share of its width to another."""
        left, top, width, height = self.evaluate(BOX % json.dumps(selector))

        def move(share, milliseconds):
            return {
                "type": "pointerMove",
                "x": round(left + share * width),
                "y": round(top + height / 2),
                "duration": milliseconds,
            }

        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        self.perform("pointer", [move(start, 0), down, move(end, 200), up])

    def screenshot(self, path):
        shot = self.send("browsingContext.captureScreenshot", context=self.context)
        Path(path).write_bytes(base64.b64decode(shot["data"]))


def address(profile, process):
    """Where the Firefox that has just been started listens."""
    note = Path(profile, "WebDriverBiDiServer.json")
    deadline = time.monotonic() + 60
    while not (note.is_file() and (text := note.read_text("utf-8"))):
        assert process.poll() is None, "Firefox ended before it listened"
        assert time.monotonic() < deadline, "Firefox does not listen"
        time.sleep(0.05)
    server = json.loads(text)
    return f"ws://{server['ws_host']}:{server['ws_port']}/session"


@contextmanager
def opened(url, size=(1280, 720)):
    """A page in a Firefox of its own, which ends with it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text(PREFERENCES, "utf-8")
        command = [find(), "--headless", "--no-remote", "--profile", profile]
        process = subprocess.Popen(
            [*command, "--remote-debugging-port", "0", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            # else it is asked for an origin that it does not know
            socket = websocket.create_connection(
                address(profile, process), timeout=60, suppress_origin=True
            )
            page = Page(socket)
            page.start(*size)
            page.goto(url)
            yield page
            socket.close()
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":  # python tests/firefox.py: finds one, or installs it as root
    if find() is None and shutil.which("apt-get") and os.geteuid() == 0:
        for command in (["update"], ["install", "-y", "firefox-esr"]):
            subprocess.run(
                ["apt-get", *command], stdout=subprocess.DEVNULL, check=False
            )
    print(f"Firefox: {find()}")
