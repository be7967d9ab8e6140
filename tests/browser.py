"""A Chromium for the tests: python tests/browser.py finds or installs one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def launch(playwright, path):
    """A headless Chromium that can reach this machine and nothing else."""
    # Chromium's sandbox refuses to start as root.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=path, args=FLAGS + sandbox)


def _works(path):
    try:
        with sync_playwright() as playwright:
            launch(playwright, path).close()
        return True
    except Error as error:
        print(f"{path} does not start: {error.message.splitlines()[0]}")
        return False


def find():
    """The path of a Chromium on this machine that starts, or None."""
    try:
        with sync_playwright() as playwright:
            own = playwright.chromium.executable_path
    except Exception as error:  # its Node.js lacks a library of the system
        print(f"Playwright does not start: {error}", flush=True)
        return None
    candidates = [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES), *MACOS, own]
    return next(
        (path for path in candidates if path and Path(path).is_file() and _works(path)),
        None,
    )


def ensure():
    """The path of a Chromium, installed if need be, or None."""
    installers = [[], [[sys.executable, "-m", "playwright", "install", "chromium"]]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        installers.append(
            [
                ["apt-get", "update"],
                ["apt-get", "install", "-y", "chromium", "libatomic1"],
            ]
        )
    for commands in installers:
        for command in commands:
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if path := find():
            return path
    return None


if __name__ == "__main__":
    path = ensure()
    print(
        f"Chromium: {path}"
        if path
        else "No Chromium: install one, or name it in CHROMIUM."
    )
    sys.exit(path is None and os.environ.get("CI") == "true")
