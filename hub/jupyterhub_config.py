"""The hub of a class on one machine. Start it with `make hub`; see hub/README.md.

hub/start.py sets what is read from the environment here, and makes the folder of the
hub's state, which nobody else can enter.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from student import FIRST, ONE_THREAD, ClassAuthenticator, StudentSpawner  # noqa: E402

c = get_config()  # noqa: F821

state = Path(os.environ["HUB_STATE"])
port = int(os.environ["PORT"])
course = Path(os.environ["HUB_COURSE"])
load_test = os.environ.get("HUB_LOAD_PASSWORD")

# Everything listens on this machine only. To the world: hub/README.md, "An address".
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
# Behind a web server with a certificate, cookies go through it alone.
if os.environ["HUB_ADDRESS"]:
    c.JupyterHub.public_url = os.environ["HUB_ADDRESS"]

# Secrets: all in one folder of mode 700, files of mode 600.
c.JupyterHub.db_url = f"sqlite:///{state / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(state / "cookie_secret")
c.ConfigurableHTTPProxy.auth_token = (state / "proxy_token").read_text().strip()

# The hub may stop and start again while students work: the proxy is a program of its
# own (hub/start.py), and the servers stay.
c.ConfigurableHTTPProxy.should_start = False
c.JupyterHub.cleanup_servers = False
# Seconds; so soon a new proxy knows all routes.
c.JupyterHub.last_activity_interval = 10

# Who may come in: the names of the list, each with the password it came with first.
# Nobody is an administrator: who came first with that name would rule the hub.
if load_test:
    c.JupyterHub.authenticator_class = "shared-password"
    c.SharedPasswordAuthenticator.user_password = load_test
    c.Authenticator.username_pattern = r"^load[0-9]{1,4}$"
    c.Authenticator.allow_all = True
else:
    c.JupyterHub.authenticator_class = ClassAuthenticator
    names = Path(os.environ["STUDENTS"]).read_text("utf-8").split("\n")
    c.Authenticator.allowed_users = {
        name for line in names if (name := line.partition("#")[0].strip().lower())
    }
    c.Authenticator.username_pattern = os.environ["HUB_NAME_PATTERN"]
    # The list decides, not who was here once.
    c.Authenticator.allow_existing_users = False
    # Otherwise a password would be kept for a name that is not on the list yet.
    c.ClassAuthenticator.create_users = False
    c.ClassAuthenticator.dbm_path = str(state / "passwords")
    c.ClassAuthenticator.min_password_length = 8
c.JupyterHub.cookie_max_age_days = 1  # computers in a school have many users

# Pages of the hub in no frame, no cookie for another site, no guessing of types.
c.JupyterHub.tornado_settings = {
    "cookie_options": {"SameSite": "Lax"},
    "headers": {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    },
}

# A server for each student.
c.JupyterHub.spawner_class = StudentSpawner
c.Spawner.cmd = [sys.executable, "-P", "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    # Kernels talk through sockets in a closed folder: a port would be everybody's.
    "--KernelManager.transport=ipc",
    "--MappingKernelManager.cull_idle_timeout=3600",
    "--LabApp.extension_manager=readonly",
]
c.Spawner.default_url = f"/lab/tree/{FIRST}"
c.Spawner.disable_user_config = True
c.Spawner.env_keep = ["LANG", "LC_ALL"]
c.Spawner.environment = ONE_THREAD
c.Spawner.start_timeout = 600  # seconds: a class comes at once
c.Spawner.http_timeout = 300
c.LocalProcessSpawner.interrupt_timeout = 5  # then a stronger signal
c.Spawner.consecutive_failure_limit = 0  # a hub that stops itself helps nobody here
c.JupyterHub.concurrent_spawn_limit = 40
c.StudentSpawner.prefix = os.environ["HUB_PREFIX"]
c.StudentSpawner.homes = str(state / "homes")
c.StudentSpawner.logs = str(state / "logs")
c.StudentSpawner.original = str(course / "original")
c.StudentSpawner.remote = os.environ["HUB_REMOTE"]
c.StudentSpawner.branch = os.environ["HUB_BRANCH"]
c.StudentSpawner.gitconfig = str(course / "gitconfig")
c.StudentSpawner.memory = int(os.environ["HUB_MEMORY"])
c.StudentSpawner.processes = 500

# Servers that nobody uses are stopped. Nothing is lost: notebooks are saved.
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [
            sys.executable,
            "-P",
            "-m",
            "jupyterhub_idle_culler",
            f"--timeout={os.environ['HUB_IDLE']}",
        ],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": [
            "list:users",
            "read:users:activity",
            "read:servers",
            "delete:servers",
        ],
        "services": ["idle-culler"],
    }
]
