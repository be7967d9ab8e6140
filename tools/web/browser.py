"""A Chromium for tests and bench: python -m tools.web.browser finds one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
DOWNLOADS = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright")
# No other machine can be reached.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def find():
    """The path of a Chromium on this machine, or None. Nothing is started."""
    own = [
        str(path)
        for folder in DOWNLOADS
        for path in Path(folder).expanduser().glob("chromium-*/chrome-*/*hrom*")
    ]
    candidates = [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES), *PLACES, *own]
    return next((path for path in candidates if path and Path(path).is_file()), None)


def firefox_options():
    """How Playwright starts its Firefox, or the one that FIREFOX names."""
    no_network = {
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
    }
    widths = {"ui.useOverlayScrollbars": 1}  # a bar would take some of the page's
    options = {"firefox_user_prefs": no_network | widths}
    if path := os.environ.get("FIREFOX"):
        options |= {"channel": "moz-firefox", "executable_path": path}
    return options


def install():
    """Playwright's own, in the home folder; as root with apt, the system's."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        packages = ["chromium", "libatomic1"]  # Playwright's Node.js asks for the last
        commands = [["apt-get", "update"], ["apt-get", "install", "-y", *packages]]
    words = ", then ".join(" ".join(command) for command in commands)
    print(f"No Chromium here. Installing one: {words} …", flush=True)
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode:
            print(f"This failed: {' '.join(command)}", flush=True)


if __name__ == "__main__":
    if find() is None:
        install()
    path = find()
    print(f"Chromium: {path}" if path else "No Chromium: name one in CHROMIUM.")
    sys.exit(path is None and os.environ.get("CI") == "true")
