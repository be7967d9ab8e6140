"""Install what the hub needs into hub/.venv. `make hub` calls this first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PROXY = "configurable-http-proxy@5.3.0"
NOBODY = 65534
CHECK = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"


def works(python):
    """Is this a Python 3.11 or newer, which every account may run if we are root?"""
    anyone = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    try:
        done = subprocess.run(
            [python, "-c", CHECK],
            stderr=subprocess.DEVNULL,
            **(anyone if os.geteuid() == 0 else {}),
        )
    except OSError:
        return False
    return done.returncode == 0


def main():
    named = os.environ.get("PYTHON")
    candidates = [named] if named else [sys.executable, "/usr/bin/python3"]
    python = next(filter(works, candidates), None)
    if python is None:
        sys.exit(
            f"hub: no Python 3.11 or newer that every account may run (looked at"
            f" {', '.join(candidates)}). Name one: make hub PYTHON=/usr/bin/python3"
        )
    if not (shutil.which("npm") and shutil.which("git")):
        sys.exit("hub: npm (of Node.js 20 or newer) and git are needed; install them.")
    os.umask(0o022)  # students run what is installed here
    print(f"Installing JupyterHub into hub/.venv with {python}; this takes a minute …")
    commands = [
        [python, "-m", "venv", "--clear", VENV],
        [
            *(VENV / "bin/python", "-m", "pip", "install", "-qq"),
            "--disable-pip-version-check",
            *("-r", HERE.parent / "requirements.txt", "-r", HERE / "requirements.txt"),
        ],
        ["npm", "install", "--prefix", VENV / "npm", "--no-save", "--silent", PROXY],
    ]
    for command in commands:
        done = subprocess.run([str(part) for part in command])
        if done.returncode:
            sys.exit(f"hub: {' '.join(map(str, command[:4]))} … failed.")
    # Without this file each server looks for settings of IPython 3 and notes in the
    # student's home that it has: it would not start where the disk is full.
    (VENV / "etc" / "jupyter" / "migrated").touch()
    (VENV / "installed").touch()


if __name__ == "__main__":
    main()
