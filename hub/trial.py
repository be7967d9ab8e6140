"""The hub of `make hub` for a while, with students: for measurements and tests."""

import contextlib
import os
import secrets
import shutil
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


@contextlib.contextmanager
def class_hub(names, more="", **user):
    """The hub of `make hub` for students who exist until it ends.

    It has a folder and ports of its own. `more` is added to its configuration; `user`,
    as subprocess takes it, starts it.
    """
    with tempfile.TemporaryDirectory(prefix="hub-") as folder:
        hub = Hub(Path(folder), names, more, user)
        try:
            hub.start()
            yield hub
        finally:
            hub.process.terminate()  # it stops servers and proxy
            hub.process.wait(120)
            for account in hub.accounts:
                for end in (["pkill", "-KILL", "-u"], ["userdel", "-f", "-r"]):
                    subprocess.run([*end, account], stderr=subprocess.DEVNULL)


class Hub:
    def __init__(self, folder, names, more, user):
        self.accounts = [f"pe-{name}" for name in names]
        self.port = 10_000 + secrets.randbelow(20_000)  # the hub takes two more
        self.url, token = f"http://127.0.0.1:{self.port}", secrets.token_hex(32)
        self.headers = {"Authorization": f"token {token}"}
        config, students = folder / "config.py", folder / "students.txt"
        self.state, self.log = folder / "state", folder / "log"
        config.write_text(CONFIG + more)
        students.write_text("\n".join(names))
        folder.chmod(0o755)  # as the course is, which all can read
        if user:
            shutil.chown(folder, user["user"])
        env = {"PATH": os.environ["PATH"], "HOME": folder, "PORT": str(self.port)}
        env |= {"STUDENTS": students, "HUB_STATE": self.state, "LOAD_TOKEN": token}
        self.command = [ROOT / "hub/.venv/bin/jupyterhub", "-f", config]
        self.how = {"env": env, **user}

    def start(self):
        """Start the hub and wait until it answers."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, **self.how
            )
        end = time.monotonic() + 300
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(requests.ConnectionError):
                if requests.get(f"{self.url}/hub/health", timeout=10).ok:
                    return
            time.sleep(0.2)
        raise RuntimeError(self.log.read_text())

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
        while not (server := self.ask(account)["servers"][""])["ready"]:
            time.sleep(0.5)  # the hub gives up after 300 seconds, and names none
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
