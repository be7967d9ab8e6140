"""Start the hub of a class on this machine, or stop it with all that belongs to it.

    make hub                  the hub, on http://127.0.0.1:8000
    make hub STOP=1           stop the hub, the proxy and the students' servers
    make hub FORGET=anna      anna's next password is her new one

Settings come from the environment, which `make hub NAME=value` sets; hub/README.md
lists them.
"""

import contextlib
import dbm
import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROXY = HERE / ".venv/npm/node_modules/configurable-http-proxy"
NAME = r"[a-z0-9][a-z0-9_-]{0,23}"
NOBODY = 65534
UNITS = {"M": 2**20, "G": 2**30}


def stop(why):
    """One line and an exit code."""
    sys.exit(f"hub: {why}")


def git(*arguments, **options):
    """Run git; what it says is shown only if it fails."""
    done = subprocess.run(
        ["git", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]}: {done.stdout.strip()}")
    return done.stdout


def number(name, default):
    """A whole number from the environment."""
    text = os.environ.get(name) or default
    if not text.isdecimal():
        stop(f"{name}={text} is not a whole number.")
    return int(text)


def memory(text):
    """The bytes of 512M, 1.5G or 0 (no limit)."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([MG])|0", text)
    if not found:
        stop(f"MEMORY={text} should look like 512M or 1.5G; 0 means no limit.")
    return int(float(found[1]) * UNITS[found[2]]) if found[1] else 0


def settings():
    """What the environment says, with what holds where it says nothing."""
    load_password = os.environ.get("HUB_LOAD_PASSWORD", "")
    if load_password and len(load_password) < 20:
        stop("HUB_LOAD_PASSWORD must be random and at least 20 characters long.")
    port = number("PORT", "8000")
    if not 1024 <= port <= 65000:
        stop(f"PORT={port} should be from 1024 to 65000.")
    prefix = os.environ.get("HUB_PREFIX") or "pe-"
    if load_password:
        prefix = "peload-"
    if not re.fullmatch(r"[a-z][a-z0-9]{0,6}-", prefix):
        stop(f"HUB_PREFIX={prefix} should be a few letters and a hyphen, such as pe-")
    address = os.environ.get("ADDRESS", "").rstrip("/")
    if address and not re.fullmatch(r"https://[\w.-]+(:\d+)?", address):
        stop(f"ADDRESS={address} should look like https://hub.school.example")
    build = ROOT / "build"
    state = build / ("hub-load" if load_password else "hub")
    return {
        "PORT": str(port),
        "HUB_ADDRESS": address,
        "HUB_STATE": os.environ.get("HUB_STATE") or str(state),
        "HUB_COURSE": os.environ.get("HUB_COURSE") or str(build / "hub-course"),
        "HUB_MEMORY": str(memory(os.environ.get("MEMORY") or "1G")),
        "HUB_IDLE": str(number("IDLE", "3600")),
        "HUB_PREFIX": prefix,
        "HUB_NAME_PATTERN": f"^{NAME}$",
        "STUDENTS": os.environ.get("STUDENTS") or str(HERE / "students.txt"),
    }


def check_names(path):
    """The names of the class, or a line that says what is wrong with the file."""
    if not path.is_file():
        stop(f"{path} is missing. Write the students' names into it, one a line.")
    names = set()
    for count, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        name = line.partition("#")[0].strip().lower()
        if name and not re.fullmatch(NAME, name):
            stop(
                f"{path}, line {count}: {name} may have a-z, 0-9, - and _, 24 at most."
            )
        names.add(name)
    names.discard("")
    if not names:
        stop(f"{path} holds no name. Write the students' names into it, one a line.")
    return names


def make_state(state):
    """The folder of the hub's secrets, which nobody else can enter."""
    state.mkdir(parents=True, exist_ok=True)
    state.chmod(0o700)
    for name in ("logs", "homes"):
        (state / name).mkdir(exist_ok=True)
    token = state / "proxy_token"
    if not token.exists():
        token.write_text(secrets.token_hex(32))
    for path in state.iterdir():
        if path.is_file():
            path.chmod(0o600)


def make_course(folder):
    """A git repository that students pull from, and a plain copy that all can read.

    Returns its address and branch. Without REPO it holds this folder's notebooks,
    with a new commit where they have changed since the last start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    config = folder / "gitconfig"
    attributes = folder / "gitattributes"
    # A notebook is the student's or the teacher's, never a mixture of both.
    attributes.write_text("*.ipynb -merge\n")
    config.write_text(
        f"[safe]\n\tdirectory = *\n[core]\n\tattributesFile = {attributes}\n"
        "[user]\n\tname = course\n\temail = course@localhost\n"
        "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    env["GIT_CONFIG_GLOBAL"] = str(config)
    address = os.environ.get("REPO", "")
    if re.fullmatch(r"[\w.-]+/[\w.-]+", address):
        address = f"https://github.com/{address}"
    branch = os.environ.get("REF") or "main" if address else "main"
    store = folder / ("git.git" if address else "here.git")
    new = folder / "original.new"
    shutil.rmtree(new, ignore_errors=True)
    if address:
        mirror(address, branch, store, env)
    else:
        snapshot(store, new, env)
    shutil.rmtree(new, ignore_errors=True)
    remote = f"file://{store}"
    git("clone", "-q", "--depth=1", "--branch", branch, remote, new, env=env)
    shutil.rmtree(new / ".git")
    old = folder / "original.old"
    shutil.rmtree(old, ignore_errors=True)
    if (folder / "original").exists():
        (folder / "original").rename(old)
    new.rename(folder / "original")
    shutil.rmtree(old, ignore_errors=True)
    for path in [*folder.rglob("*")]:
        writable = path.parent == folder or store in path.parents
        path.chmod(0o755 if path.is_dir() else 0o644 if writable else 0o444)
    return remote, branch


def mirror(address, branch, store, env):
    """Fetch the course from a git host. If that fails, the last copy has to do."""
    env = {**env, "GIT_TERMINAL_PROMPT": "0"}
    try:
        if store.exists():
            git("-C", store, "fetch", "-q", "--prune", env=env, timeout=120)
        else:
            git("clone", "-q", "--mirror", address, store, env=env, timeout=300)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        if not store.exists():
            stop(f"{address} cannot be reached; without REPO= this folder is copied.")
        print(f"hub: {address} cannot be reached; the last copy is used. ({error})")
    found = git("-C", store, "branch", "--list", branch, env=env)
    if not found.strip():
        stop(f"{address} has no branch {branch}; name it as REF=")


def snapshot(store, new, env):
    """Commit this folder's notebooks, if they have changed."""
    if not store.exists():
        git("init", "-q", "--bare", store, env=env)
    new.mkdir()
    shutil.copy(ROOT / "LICENSE", new)
    shutil.copytree(
        ROOT / "notebooks",
        new / "notebooks",
        ignore=shutil.ignore_patterns(".*", "__pycache__", "*.pyc"),
    )
    for path in new.rglob("*.*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    there = ["--git-dir", store, "--work-tree", new]
    git(*there, "add", "--all", ".", env=env)
    if git(*there, "status", "--porcelain", env=env).strip():
        git(*there, "commit", "-q", "-m", "The course", env=env)


def check_reach(course):
    """As root: can a student run our Python and read the course?"""
    program = f"import jupyterlab, os; os.listdir({str(course / 'original')!r})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        stderr=subprocess.DEVNULL,
    )
    if done.returncode:
        real = Path(sys.executable).resolve()
        stop(
            f"students cannot reach {ROOT} or {real}. Put the course where all can"
            " read, for instance in /opt, remove hub/.venv, and name a Python for all:"
            " make hub PYTHON=/usr/bin/python3"
        )


def answers(port, token):
    """Does our own proxy answer at this port?"""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/routes",
        headers={"Authorization": f"token {token}"},
    )
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(request, timeout=5) as got,
    ):
        return got.status == 200
    return False


def check_ports(ports):
    """Stop if one of the ports is taken."""
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                stop(f"port {port} is taken. Name another: make hub PORT=8500")


def start_proxy(state, port):
    """The proxy, a program of its own: it goes on while the hub starts again."""
    token = (state / "proxy_token").read_text().strip()
    log = open(state / "proxy.log", "ab")  # noqa: SIM115
    process = subprocess.Popen(
        [
            shutil.which("node"),
            str(PROXY / "bin/configurable-http-proxy"),
            "--ip=127.0.0.1",
            f"--port={port}",
            "--api-ip=127.0.0.1",
            f"--api-port={port + 2}",
            f"--default-target=http://127.0.0.1:{port + 1}",
            f"--error-target=http://127.0.0.1:{port + 1}/hub/error",
        ],
        env={"PATH": os.environ["PATH"], "CONFIGPROXY_AUTH_TOKEN": token},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        cwd="/",
    )
    log.close()
    (state / "proxy.pid").write_text(str(process.pid))
    deadline = time.monotonic() + 30
    while not answers(port + 2, token):
        if process.poll() is not None or time.monotonic() > deadline:
            stop(f"the proxy did not start; {state / 'proxy.log'} says why.")
        time.sleep(0.1)


def process_of(path, word):
    """The process whose number is in a file, if it is still the one with this word."""
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        process = psutil.Process(int(path.read_text()))
        if runs(process) and any(word in part for part in process.cmdline()):
            return process
    return None


def servers(state):
    """The students' servers that run, as the hub's database has them."""
    path = state / "jupyterhub.sqlite"
    if not path.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        rows = db.execute("select state from spawners where server_id not null")
        states = [json.loads(text) for (text,) in rows if text]
    found = []
    for pid in (entry.get("pid") for entry in states):
        with contextlib.suppress(psutil.Error, TypeError):
            process = psutil.Process(pid)
            if "jupyterhub.singleuser" in process.cmdline():
                found.append(process)
    return found


def runs(process):
    """Does it still run? Where nobody collects its exit code, it ends as a zombie."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end(processes, seconds=30):
    """Wait until they have ended; kill those that take too long."""
    deadline = time.monotonic() + seconds
    while any(map(runs, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for process in filter(runs, processes):
        process.kill()


def stop_all(state):
    """Stop the hub, then the servers, which stop their kernels, then the proxy."""
    hub = process_of(state / "hub.pid", "start.py")
    if hub:
        below = [child for child in hub.children() if "jupyterhub" in child.cmdline()]
        hub.terminate()
        end([hub, *below])
    running = servers(state)
    kernels = [child for one in running for child in one.children(recursive=True)]
    for process in running:
        process.terminate()  # it stops its kernels first
    end(running + kernels)
    proxy = process_of(state / "proxy.pid", "configurable-http-proxy")
    if proxy:
        proxy.terminate()
        end([proxy])
    print("hub: the hub, the proxy and the students' servers have stopped.")


def forget(state, name):
    """Forget a student's password; the next one that comes with the name is new."""
    try:
        with dbm.open(str(state / "passwords"), "w") as passwords:
            del passwords[name.encode()]
    except (*dbm.error, KeyError):
        stop(f"{name} has no password yet.")
    print(f"hub: the next password of {name} is the new one.")


def cullers(port):
    """The cullers that speak to the hub of this port."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if "jupyterhub_idle_culler" in (process.info["cmdline"] or []):
            with contextlib.suppress(psutil.Error):
                if f":{port + 1}/" in process.environ().get("JUPYTERHUB_API_URL", ""):
                    found.append(process)
    return found


def run_hub(state, port, env):
    """The hub until it is stopped. A proxy that dies meanwhile is started again."""
    (state / "hub.pid").write_text(str(os.getpid()))
    hub = None

    def leave(number, frame):
        if hub:
            hub.send_signal(signal.SIGTERM)

    # Before the hub starts: it would inherit a SIGINT that is ignored, as it is in the
    # background of a shell, and so would the servers that it wants to interrupt.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    config = HERE / "jupyterhub_config.py"
    hub = subprocess.Popen(
        [sys.executable, "-P", "-m", "jupyterhub", f"--config={config}"],
        env=env,
        cwd=state,
        start_new_session=True,
    )
    while hub.poll() is None:
        time.sleep(1)
        if hub.poll() is None and not process_of(state / "proxy.pid", "configurable"):
            print("hub: the proxy is gone; another one starts.")
            start_proxy(state, port)
    left = len(servers(state))
    print(
        f"hub: the hub has stopped. {left} servers of students go on, and so does the"
        " proxy. `make hub` takes them up again, `make hub STOP=1` stops them."
    )
    return 0 if hub.returncode in (0, -signal.SIGTERM) else 1


def main():
    os.umask(0o077)
    chosen = settings()
    state, course = Path(chosen["HUB_STATE"]), Path(chosen["HUB_COURSE"])
    if os.environ.get("STOP"):
        return stop_all(state)
    if os.environ.get("FORGET"):
        return forget(state, os.environ["FORGET"].lower())
    load_test = bool(os.environ.get("HUB_LOAD_PASSWORD"))
    names = [] if load_test else check_names(Path(chosen["STUDENTS"]))
    for program in ("git", "node"):
        if not shutil.which(program):
            stop(f"{program} is missing.")
    make_state(state)
    lock = open(state / "lock", "w")  # noqa: SIM115
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stop(f"the hub of {state} runs already. To stop it: make hub STOP=1")
    chosen["HUB_REMOTE"], chosen["HUB_BRANCH"] = make_course(course)
    private = os.geteuid() == 0
    if private:
        check_reach(course)
    port = int(chosen["PORT"])
    token = (state / "proxy_token").read_text().strip()
    if answers(port + 2, token):
        check_ports([port + 1])
    else:
        check_ports([port, port + 1, port + 2])
        start_proxy(state, port)
    who = "a load test, with its password" if load_test else f"{len(names)} students"
    print(f"hub: http://127.0.0.1:{port} for {who}.")
    if private:
        print(f"hub: each student has a system account, {chosen['HUB_PREFIX']}NAME.")
    else:
        print(
            "hub: all students share this account, so their files are NOT private."
            " This is for trying out; for a class, start the hub as root."
        )
    sys.stdout.flush()
    left = cullers(port)  # of a hub that was killed: they would go on without it
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    end(left)
    return run_hub(state, port, os.environ | chosen)


if __name__ == "__main__":
    sys.exit(main())
