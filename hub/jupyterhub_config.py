"""A trial: JupyterHub with the course, on this machine and for this machine only.

No file is private here: what students run, runs as the user who has started the hub.
For a class see hub/README.md. What the settings mean:
https://jupyterhub.readthedocs.io/en/stable/reference/config-reference.html
"""

import os
import secrets
import shutil
import sys
from pathlib import Path

c = get_config()  # noqa: F821

COURSE = Path(__file__).resolve().parent.parent
HOMES = Path.cwd() / "homes"  # beside what JupyterHub itself keeps
LESSONS = "positional-encoding/notebooks"

# Any name comes in, with a password that is new at each start.
password = secrets.token_urlsafe(6)
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = password
c.Authenticator.allow_all = True

# No other machine can reach these three addresses.
port = int(os.environ["PORT"])
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.ConfigurableHTTPProxy.command = [f"{sys.prefix}/bin/configurable-http-proxy"]


def copy_course(spawner):
    """Bring the course into a home that does not have it yet."""
    folder = HOMES / spawner.user.name / LESSONS
    if not folder.exists():
        shutil.copytree(COURSE / "notebooks", folder)


# Each name has a folder for its home, and a JupyterLab that opens at chapter 1.
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = f"{HOMES}/{{username}}"
c.Spawner.pre_spawn_hook = copy_course
c.Spawner.default_url = f"/lab/tree/{LESSONS}/01_integer_encoding.ipynb"
server = "-m jupyterhub.singleuser --allow-root --log-level=WARN"
c.Spawner.cmd = [sys.executable, *server.split()]

c.JupyterHub.log_level = c.ConfigurableHTTPProxy.log_level = "WARN"
print("A trial, no file is private: at", c.JupyterHub.bind_url, flush=True)
print(f"any name comes in, with the password {password}", flush=True)
