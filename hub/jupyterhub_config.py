"""The course for a class on this machine, to try it out: hub/README.md.

What each setting means, and what else there is:
https://jupyterhub.readthedocs.io/en/stable/reference/config-reference.html
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from firstuseauthenticator import FirstUseAuthenticator
from jupyterhub.auth import LocalAuthenticator

c = get_config()  # noqa: F821

COURSE = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
FIRST = "positional-encoding/notebooks/01_integer_encoding.ipynb"
AS_ROOT = os.geteuid() == 0

# ---- who comes in: the names of a list, each with its first password -----------------
path = Path(os.environ.get("STUDENTS") or COURSE / "hub/students.txt").absolute()
if not path.is_file():
    sys.exit(f"hub: {path} is missing. Write the students' names into it, one a line.")
names = {line.strip().lower() for line in path.read_text("utf-8").splitlines()} - {""}
for name in sorted(names):
    if not re.fullmatch("[a-z0-9][a-z0-9_-]{0,23}", name):
        sys.exit(f"hub: {path}: {name} may have a-z, 0-9, - and _, 24 at most.")
if not names:
    sys.exit(f"hub: {path} holds no name. Write the students' names into it.")


class FirstUseAccounts(FirstUseAuthenticator, LocalAuthenticator):
    """The first password is the password; each name has an account of the system."""


c.JupyterHub.authenticator_class = (
    FirstUseAccounts if AS_ROOT else FirstUseAuthenticator
)
# The student anna has the account pe-anna, so no name opens an account of yours.
c.Authenticator.username_map = {name: f"pe-{name}" for name in names}
c.Authenticator.allowed_users = {f"pe-{name}" for name in names}
c.Authenticator.allow_existing_users = False  # the list decides, not who was here once
c.FirstUseAuthenticator.create_users = False  # no password for a name not on the list
c.FirstUseAuthenticator.min_password_length = 8
c.LocalAuthenticator.create_system_users = True
c.LocalAuthenticator.add_user_cmd = [
    *("useradd", "--create-home", "--shell=/bin/bash", "--key=HOME_MODE=0700")
]
c.JupyterHub.cookie_max_age_days = 1  # computers in a school have many users

# ---- where it listens, and what it keeps ---------------------------------------------
# Only this machine can reach it. Passwords, secrets and, without root, homes: in a
# folder of mode 700, which `make clean` leaves.
port = int(os.environ.get("PORT") or 8000)
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.ConfigurableHTTPProxy.command = [str(BIN / "configurable-http-proxy")]
state = Path(os.environ.get("HUB_STATE") or COURSE / "hub/state").absolute()
state.mkdir(mode=0o700, parents=True, exist_ok=True)
os.umask(0o077)
os.chdir(state)

# ---- a server for each student -------------------------------------------------------
# These lines run as the student, in the home. A file that is there stays as it is.
# ulimit: each process has at most so many KiB of data; more is a MemoryError.
c.Spawner.cmd = [
    *("bash", "-c"),
    f"""
    exec > .hub.log 2>&1 < /dev/null
    mkdir -p positional-encoding
    cp -R -n '{COURSE}/notebooks' '{COURSE}/LICENSE' positional-encoding/
    export PATH='{BIN}':$PATH JUPYTER_RUNTIME_DIR=$HOME/.run
    ulimit -d 1048576
    exec jupyterhub-singleuser "$@"
    """,
    "jupyterhub-singleuser",
]
# After an hour without use, a kernel ends, and then the server. (jupyterhub-idle-culler
# does the same as a service of the hub; a hub that is killed leaves it behind.)
c.Spawner.args = [
    "--MappingKernelManager.cull_idle_timeout=3600",
    "--MappingKernelManager.cull_connected=True",
    "--ServerApp.shutdown_no_activity_timeout=3600",
    "--LabApp.extension_manager=readonly",
]
c.Spawner.default_url = f"/lab/tree/{FIRST}"
c.Spawner.disable_user_config = True
c.Spawner.environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
c.Spawner.start_timeout = 300  # seconds: a class comes at once
c.Spawner.http_timeout = 300
c.LocalProcessSpawner.interrupt_timeout = 5

if AS_ROOT:
    # Kernels talk through sockets in the home: a port would be open to everybody here.
    c.Spawner.args += ["--KernelManager.transport=ipc"]
    reads = f"test -r '{COURSE}/LICENSE' && exec '{sys.executable}' -c 0 2>/dev/null"
    nobody = {"user": "nobody", "group": 65534, "extra_groups": [], "cwd": "/"}
    if subprocess.run(["sh", "-c", reads], **nobody).returncode:
        sys.exit(f"hub: students cannot read {COURSE} or its Python. Try it in /opt.")
else:
    c.JupyterHub.spawner_class = "simple"
    c.SimpleLocalProcessSpawner.home_dir_template = f"{state}/homes/{{username}}"
    shared = "hub: all students share this account; their files are NOT private."
    print(shared, flush=True)
