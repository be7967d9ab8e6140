"""The hub of `make hub` with a class of programs: for its tests, and for load.py."""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
import requests
from jupyter_kernel_client import JupyterKernelClient

from tools.chapters import ROOT

# The hub of `make hub`, and a token that may start and use every student's server.
CONFIG = f"""
import os
load_subconfig("{ROOT}/hub/jupyterhub_config.py")
c = get_config()
c.JupyterHub.services = [{{"name": "load", "api_token": os.environ["LOAD_TOKEN"]}}]
scopes = ["admin:users", "admin:server_state", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "load", "services": ["load"], "scopes": scopes}}]
"""


class Hub:
    """The hub of `make hub`, with a class, a folder and ports of its own.

    Parameters
    ----------
    names : list of str
        The class. If root starts the hub, each has an account until the end.
    user : str, optional
        Who starts the hub, if not who runs this program.
    more : str, optional
        More lines of its configuration.
    """

    def __init__(self, names, user=None, more=""):
        self.accounts = [f"pe-{name}" for name in names]
        self.user = user
        self.process = None
        self.folder = Path(tempfile.mkdtemp(prefix="hub-"))
        self.state = self.folder / "state"
        self.log = self.folder / "log"
        self.port = free_ports()
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = secrets.token_hex(32)
        self.headers = {"Authorization": f"token {self.token}"}
        (self.folder / "config.py").write_text(CONFIG + more)
        (self.folder / "students.txt").write_text("\n".join(names))
        self.folder.chmod(0o755)  # as the course is, which all can read
        if user:
            shutil.chown(self.folder, user)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *problem):
        self.remove()

    def start(self):
        """Start the hub and wait until it answers."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PORT": str(self.port),
            "STUDENTS": str(self.folder / "students.txt"),
            "HUB_STATE": str(self.state),
            "LOAD_TOKEN": self.token,
        }
        program = ROOT / "hub/.venv/bin/jupyterhub"
        if not program.is_file():
            raise FileNotFoundError(f"{program} is missing: make hub/.venv/installed")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [program, "-f", self.folder / "config.py"],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **identity(self.user),
            )
        deadline = time.monotonic() + 120
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self.log.read_text())
            time.sleep(0.2)

    def answers(self):
        """Is the hub there?"""
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(f"{self.url}/hub/health", timeout=10).ok
        return False

    def remove(self):
        """Stop the hub with all that belongs to it, and remove what it made."""
        try:
            if self.process:
                self.process.send_signal(signal.SIGTERM)  # it stops servers and proxy
                self.process.wait(120)
        finally:
            if os.geteuid() == 0 and not self.user:
                for account in self.accounts:
                    remove_account(account)
            shutil.rmtree(self.folder)

    def ask(self, account, method="GET", path=""):
        """What the hub's REST API says of a student."""
        url = f"{self.url}/hub/api/users/{account}{path}"
        answer = requests.request(method, url, headers=self.headers, timeout=300)
        answer.raise_for_status()
        return answer.json() if answer.text else {}

    def server(self, account):
        """Start a student's server, if it does not run; its process."""
        if not self.ask(account)["servers"]:
            self.ask(account, "POST", "/server")
        deadline = time.monotonic() + 300
        while not (server := self.ask(account)["servers"].get("", {})).get("ready"):
            if not server or time.monotonic() > deadline:
                raise RuntimeError(f"the server of {account} did not start")
            time.sleep(0.5)
        return psutil.Process(server["state"]["pid"])

    def kernel(self, account, number=None):
        """A new kernel of a student, or the one with this number."""
        kernel = JupyterKernelClient(
            server_url=f"{self.url}/user/{account}",
            token=None,  # it would go into the address
            headers=dict(self.headers),
            kernel_id=number,
        )
        kernel.start(path="positional-encoding/notebooks", timeout=300)
        return kernel


def identity(user):
    """What makes a program run as this user."""
    if not user:
        return {}
    group = pwd.getpwnam(user).pw_gid
    return {"user": user, "group": group, "extra_groups": []}


def remove_account(account):
    """Remove an account with its home; what still ends there is waited for."""
    commands = [["pkill", "-KILL", "-u", account], ["userdel", "-r", account]]
    deadline = time.monotonic() + 60
    while subprocess.run(["id", account], capture_output=True).returncode == 0:
        for command in commands:
            subprocess.run(command, capture_output=True)
        if time.monotonic() > deadline:
            raise RuntimeError(f"the account {account} cannot be removed")


def free_ports():
    """The first of three free ports in a row."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with contextlib.suppress(OSError), contextlib.ExitStack() as probes:
            for number in range(port, port + 3):
                probe = probes.enter_context(socket.socket())
                probe.bind(("127.0.0.1", number))
            return port


def run(kernel, code):
    """What code prints in a kernel, and the error that stops it."""
    outputs = kernel.execute(code, timeout=600)["outputs"]
    lines = [
        output.get("text") or f"{output['ename']}: {output['evalue']}"
        for output in outputs
        if output["output_type"] in ("stream", "error")
    ]
    return "".join(lines).strip()
