"""The hub of a class: who comes in, what they can reach, what a restart costs them."""

import contextlib
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from at_hub import Student
from chapters import ROOT, calls
from lab import SCRIPT, move_every_slider, run_all_cells, show_cell
from served import screenshot, watched_page

PYTHON = ROOT / "hub/.venv/bin/python"
PREFIX = f"pt{os.getpid() % 100_000}-"  # runs side by side do not share accounts
PASSWORD = secrets.token_hex(12)
NOBODY = 65534
pytestmark = pytest.mark.kernel
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0,
    reason="only root can give each student an account",
)


def needs(path, hint):
    """Skip a test without an installation; in CI, fail."""
    if not path.exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(hint)


def three_ports():
    """The first of three ports in a row that are free."""
    first = 18000 + os.getpid() % 500 * 3
    for port in range(first, first + 3000, 3):
        try:
            for number in range(port, port + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", number))
        except OSError:
            continue
        return port
    raise AssertionError("no ports are free")


class Hub:
    """hub/start.py with a state and a class of its own."""

    def __init__(self, user=None):
        needs(PYTHON.parent.parent / "installed", "hub/.venv is missing: make hub")
        # Not pytest's folder: the accounts of students could not enter it.
        self.folder = Path(tempfile.mkdtemp(prefix="hub-test-"))
        self.folder.chmod(0o755)
        self.user, self.process = user, None
        self.state = self.folder / "state"
        self.course = self.folder / "course"
        self.port = three_ports()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.folder / "log"
        (self.folder / "students.txt").write_text(
            "# a class\nanna\nBen # new\n\ncleo\n"
        )
        if user is not None:
            os.chown(self.folder, user, user)

    def call(self, **more):
        """What starts the program, and with which settings."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PORT": str(self.port),
            "HUB_STATE": str(self.state),
            "HUB_COURSE": str(self.course),
            "HUB_PREFIX": PREFIX,
            "STUDENTS": str(self.folder / "students.txt"),
            **more,
        }
        who = {}
        if self.user is not None:
            who = {"user": self.user, "group": self.user, "extra_groups": []}
        return {
            "args": [PYTHON, ROOT / "hub/start.py"],
            "env": env,
            "cwd": self.folder,
            "stdin": subprocess.DEVNULL,
            "stderr": subprocess.STDOUT,
            **who,
        }

    def start(self, **more):
        """Start the hub and wait until it answers."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                stdout=log, start_new_session=True, **self.call(**more)
            )
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                urllib.request.urlopen(f"{self.url}/hub/health", timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        raise AssertionError(self.log.read_text())

    def stop(self):
        """Stop the hub, and it alone."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0

    def end(self):
        """Stop everything, and remove the accounts that were made."""
        subprocess.run(check=True, stdout=subprocess.PIPE, **self.call(STOP="1"))
        if self.process:
            self.process.wait(60)
        if self.user is None and os.geteuid() == 0:
            for name in ("anna", "ben", "cleo"):
                subprocess.run(["userdel", "-r", PREFIX + name], capture_output=True)
                runtime = Path("/run/positional-encoding") / (PREFIX + name)
                shutil.rmtree(runtime, ignore_errors=True)
        shutil.rmtree(self.folder)

    def said(self):
        """What start.py has printed."""
        return [
            line for line in self.log.read_text().splitlines() if line[:4] == "hub:"
        ]

    def family(self):
        """All processes that belong to the hub: its own, the proxy, the servers."""
        roots = [self.process.pid, int((self.state / "proxy.pid").read_text())]
        mine = {psutil.Process(pid) for pid in roots}
        mine |= {child for one in mine for child in one.children(recursive=True)}
        homes = (f"/home/{PREFIX}", f"{self.state}/homes")
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("HOME", "").startswith(homes):
                    mine.add(process)
        return mine


@pytest.fixture(scope="module")
def hub():
    """A running hub with three students."""
    hub = Hub()
    try:
        hub.start()
        yield hub
    finally:
        hub.end()


@pytest.fixture(scope="module")
def anna(hub):
    """A student who has logged in and whose server runs."""
    return at_work(hub, "anna")


@pytest.fixture(scope="module")
def ben(hub):
    return at_work(hub, "ben")


def at_work(hub, name):
    student = Student(hub.url, name)
    assert student.log_in(PASSWORD) == 200
    student.spawn()
    student.kernel = student.start_kernel()
    assert student.run(student.kernel, "print('here')") == "here"
    return student


# JupyterLab's page is told to show its application, as the tests of the lab want it.
EXPOSE = """
document.addEventListener('readystatechange', () => {
  const config = document.getElementById('jupyter-config-data');
  if (document.readyState === 'interactive' && config)
    config.textContent = config.textContent.replace(
      '"exposeAppInBrowser": false', '"exposeAppInBrowser": true');
});
"""


@pytest.mark.browser
def test_a_student_opens_a_chapter_runs_it_and_moves_a_slider(hub, browser):
    with watched_page(browser, "0", EXPOSE + SCRIPT) as page:
        page.goto(hub.url)
        for password, text in [("short", "at least 8"), (PASSWORD, None)]:
            page.fill("input[name=username]", "cleo")
            page.fill("input[name=password]", password)
            page.click("input[type=submit]")
            if text:
                page.get_by_text(text).wait_for()
        page.wait_for_function("state() === 'idle'", timeout=120_000)
        assert "positional-encoding/notebooks/01_" in page.url
        path = ROOT / "notebooks/01_integer_encoding.ipynb"
        cells = json.loads(path.read_text("utf-8"))["cells"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
        index = next(i for i, cell in enumerate(cells) if calls("explore", cell))
        run_all_cells(page)
        assert not page.evaluate("failed()")
        move_every_slider(page, show_cell(page, index), index)
        screenshot(page, "hub")


def test_only_names_of_the_list_and_the_first_password_come_in(hub, anna):
    assert Student(hub.url, "anna").log_in("another password") == 403
    assert Student(hub.url, "anna").log_in("") == 403
    assert Student(hub.url, "anna").log_in("x" * 100) == 403
    assert Student(hub.url, "ANNA").log_in(PASSWORD) == 200
    for name in ("zoe", "root", "admin", "", "../anna"):
        assert Student(hub.url, name).log_in(PASSWORD) in (400, 403), name
    # Nobody takes a name before it is listed. (Each Python has a dbm of its own.)
    read = "import dbm, sys; print(*map(bytes.decode, dbm.open(sys.argv[1]).keys()))"
    known = subprocess.run(
        [PYTHON, "-c", read, hub.state / "passwords"], capture_output=True, text=True
    )
    assert {"anna"} <= set(known.stdout.split()) <= {"anna", "ben", "cleo"}


def test_cookies_and_headers_are_as_advised(anna):
    cookies = {cookie.name: cookie for cookie in anna.jar if cookie.path != "/hub/"}
    cookies |= {cookie.name: cookie for cookie in anna.jar if cookie.path == "/hub/"}
    for name in (
        "jupyterhub-hub-login",
        "jupyterhub-session-id",
        "jupyterhub-user-anna",
    ):
        kept = {key.lower(): value for key, value in cookies[name]._rest.items()}
        assert "httponly" in kept and kept["samesite"] in ("Lax", "Strict"), name
    assert cookies["jupyterhub-user-anna"].path == "/user/anna/"
    tokens = json.loads(anna.ask("/hub/api/users/anna/tokens")[2])["api_tokens"]
    ends = [one["expires_at"] for one in tokens if one["expires_at"]]
    last = datetime.fromisoformat(max(ends))
    assert last <= datetime.now(UTC) + timedelta(days=1)
    with anna.opener.open(f"{anna.url}/hub/home") as page:
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    # A form without its token does nothing.
    assert anna.ask("/hub/login", "username=anna&password=x")[0] == 403


def test_nothing_listens_to_other_machines(hub, anna, ben):
    addresses = {
        connection.laddr
        for process in hub.family()
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert len(addresses) >= 5, "proxy, its API, the hub, two servers"
    assert {address.ip for address in addresses} == {"127.0.0.1"}


def test_secrets_are_the_hubs_alone(hub, anna):
    assert hub.state.stat().st_mode & 0o777 == 0o700
    for name in ("cookie_secret", "jupyterhub.sqlite", "proxy_token", "passwords"):
        found = [*hub.state.glob(f"{name}*")]
        assert found, name
        assert all(path.stat().st_mode & 0o077 == 0 for path in found), name
    token = (hub.state / "proxy_token").read_text()
    for process in hub.family():
        assert token not in " ".join(process.cmdline())


TRY = """
import os, glob, socket, urllib.request, urllib.error
def tried(what, do):
    try:
        print(what, "WORKS", repr(do())[:60])
    except Exception as error:
        print(what, "refused", type(error).__name__, getattr(error, "code", ""))
def ask(url, method="GET"):
    request = urllib.request.Request(url, method=method)
    answer = urllib.request.urlopen(request, timeout=20)
    if "/hub/login" in answer.url or "oauth2/authorize" in answer.url:
        raise PermissionError("log in")
    return answer.status
def reach(path):
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
"""


def outcomes(student, code):
    """What a student's kernel could do, one line for each attempt."""
    said = student.run(student.kernel, TRY + code)
    assert "Error" not in said.replace("refused PermissionError", "").replace(
        "refused HTTPError", ""
    ), said
    return dict(line.split(" ", 1) for line in said.splitlines())


@as_root
def test_a_student_cannot_reach_what_is_another_ones(hub, anna, ben):
    status, text = ben.api(
        "contents/secret.txt",
        "PUT",
        {"type": "file", "format": "text", "content": "mine"},
    )
    assert status == 201, text
    home = Path(f"/home/{PREFIX}ben")
    runtime = Path(f"/run/positional-encoding/{PREFIX}ben")
    sockets = [str(path) for path in runtime.glob("*-ipc-*")]
    assert len(sockets) == 5 and (home / "secret.txt").exists()
    server = next(
        process
        for process in psutil.process_iter(["username", "cmdline"])
        if process.info["username"] == PREFIX + "ben"
        and "jupyterhub.singleuser" in process.info["cmdline"]
    )
    connection = json.loads(next(runtime.glob("kernel-*.json")).read_text())
    assert connection["transport"] == "ipc"
    port = next(
        connection.laddr.port
        for connection in server.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    )
    proxy = (hub.state / "proxy.pid").read_text()
    found = outcomes(
        anna,
        f"""
tried("home", lambda: os.listdir({str(home)!r}))
tried("file", lambda: open({str(home / "secret.txt")!r}).read())
tried("write", lambda: open({str(home / "new")!r}, "w"))
tried("runtime", lambda: os.listdir({str(runtime)!r}))
tried("run", lambda: os.listdir({str(runtime.parent)!r}))
tried("kernel", lambda: reach({sockets[0]!r}))
tried("state", lambda: os.listdir({str(hub.state)!r}))
for name in ["jupyterhub.sqlite", "cookie_secret", "proxy_token", "passwords"]:
    tried(name, lambda: open({str(hub.state)!r} + "/" + name).read())
tried("environ-hub", lambda: open("/proc/{hub.process.pid}/environ").read())
tried("environ-proxy", lambda: open("/proc/{proxy}/environ").read())
tried("environ-server", lambda: open("/proc/{server.pid}/environ").read())
tried("memory-server", lambda: open("/proc/{server.pid}/mem", "rb").read(1))
tried("kill", lambda: os.kill({server.pid}, 9))
tried("root", lambda: os.setuid(0))
tried("server", lambda: ask("http://127.0.0.1:{port}/user/ben/api/contents"))
tried("lab", lambda: ask("http://127.0.0.1:{port}/user/ben/lab"))
tried("proxied", lambda: ask("{hub.url}/user/ben/api/contents"))
tried("proxy-api", lambda: ask("http://127.0.0.1:{hub.port + 2}/api/routes"))
tried("hub-api", lambda: ask("http://127.0.0.1:{hub.port + 1}/hub/api/users"))
tried("original", lambda: open(os.path.expanduser("~/original/LICENSE"), "a"))
tried("course", lambda: open({str(hub.course / "here.git/config")!r}, "a"))
tried("program", lambda: open({str(PYTHON.parent / "jupyterhub")!r}, "a"))
# What is allowed, so that the refusals above mean something.
tried("own", lambda: open(os.path.expanduser("~/positional-encoding/LICENSE")).read())
tried("read", lambda: open(os.path.expanduser("~/original/LICENSE")).read())
tried("health", lambda: ask("{hub.url}/hub/health"))
""",
    )
    allowed = {what for what, result in found.items() if result.startswith("WORKS")}
    assert allowed == {"own", "read", "health"}, found
    assert len(found) == 28, found
    assert psutil.pid_exists(server.pid)


def test_a_student_is_nobody_to_another_ones_server(hub, anna, ben):
    base = f"/user/{ben.name}/"
    for path in ("api/contents", "api/kernels", "api/terminals", "lab"):
        status, url, text = anna.ask(base + path)
        assert status in (401, 403, 404), (path, status, url)
        assert "secret.txt" not in text
    assert anna.ask(f"/hub/api/users/{ben.name}")[0] in (403, 404)
    assert anna.ask("/hub/api/users")[0] == 403
    assert anna.ask("/hub/admin")[0] == 403


@as_root
def test_the_token_of_a_server_opens_nothing_else(hub, anna, ben):
    found = outcomes(
        anna,
        f"""
def with_token(url, method="GET"):
    token = os.environ["JUPYTERHUB_API_TOKEN"]
    headers = {{"Authorization": "token " + token}}
    request = urllib.request.Request(url, headers=headers, method=method)
    return urllib.request.urlopen(request, timeout=20).status
api = "http://127.0.0.1:{hub.port + 1}/hub/api"
tried("itself", lambda: with_token(api + "/user"))
tried("users", lambda: with_token(api + "/users"))
tried("ben", lambda: with_token(api + "/users/ben"))
tried("stop", lambda: with_token(api + "/users/ben/server", "DELETE"))
tried("shutdown", lambda: with_token(api + "/shutdown", "POST"))
tried("contents", lambda: with_token("{hub.url}/user/ben/api/contents"))
tried("routes", lambda: with_token("http://127.0.0.1:{hub.port + 2}/api/routes"))
""",
    )
    allowed = {what for what, result in found.items() if result.startswith("WORKS")}
    assert allowed == {"itself"}, found


def test_a_kernel_that_wants_too_much_is_the_only_one_to_suffer(hub, anna, ben):
    assert ben.run(ben.kernel, "x = 42") == ""
    greedy = anna.start_kernel()
    eat = "pile = []\nwhile True: pile.append(b'x' * 10_000_000)"
    assert anna.run(greedy, eat).startswith("MemoryError")
    assert anna.run(greedy, "print(len(pile) * 10, 'MB')") != ""
    eaten = int(anna.run(greedy, "print(len(pile) * 10)"))
    assert 500 < eaten < 1100, "of one gigabyte"
    # Out of memory, a kernel may also end: another one does not.
    other = anna.start_kernel()
    assert "MemoryError" in anna.run(other, "import numpy; numpy.ones(2**28)")
    assert anna.run(other, "print('here')") == "here"
    assert anna.run(anna.kernel, "print('here')") == "here"
    assert ben.run(ben.kernel, "print(x)") == "42"
    for kernel in (greedy, other):
        assert anna.api(f"kernels/{kernel}", "DELETE")[0] == 204


def test_a_kernel_has_one_thread_and_lower_rank(anna):
    said = anna.run(
        anna.kernel, "import os; print(os.environ['OMP_NUM_THREADS'], os.nice(0))"
    )
    one, rank = map(int, said.split())
    assert one == 1 and rank >= 5


def test_a_new_hub_finds_the_kernels_as_they_were(hub, anna):
    proxy = (hub.state / "proxy.pid").read_text()
    assert anna.run(anna.kernel, "kept = 'through the night'") == ""
    hub.stop()
    assert "servers of students go on" in hub.said()[-1]
    # While there is no hub, a running server goes on answering.
    assert anna.run(anna.kernel, "print(kept)") == "through the night"
    hub.start()
    assert (hub.state / "proxy.pid").read_text() == proxy
    assert anna.run(anna.kernel, "print(kept)") == "through the night"
    status, _, text = anna.ask("/hub/home")
    assert status == 200 and "Stop My Server" in text, "still logged in"
    again = Student(hub.url, "anna")
    assert again.log_in(PASSWORD) == 200, "the password is kept, too"


def test_what_a_student_has_changed_stays_when_the_course_changes(hub, anna):
    notebook = "positional-encoding/notebooks/02_sine_cosine_waves.ipynb"
    note = "positional-encoding/LICENSE"
    source = f"""
import json, os
path = os.path.expanduser("~/{notebook}")
nb = json.load(open(path))
nb["cells"][0]["source"] = "# Mine"
json.dump(nb, open(path, "w"), indent=1)
os.remove(os.path.expanduser("~/{note}"))
"""
    assert anna.run(anna.kernel, source) == ""
    # The next version of the course has another second chapter and a new file.
    work = hub.folder / "work"
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": f"{hub.course}/gitconfig"}
    quiet = {"check": True, "env": env, "stdout": subprocess.DEVNULL}
    store = hub.course / "here.git"
    subprocess.run(["git", "clone", "-q", store, work], **quiet)
    changed = work / "notebooks/02_sine_cosine_waves.ipynb"
    changed.write_text(changed.read_text("utf-8").replace("sine", "SINE"), "utf-8")
    (work / "notebooks/new.txt").write_text("new")
    subprocess.run(["git", "-C", work, "add", "."], **quiet)
    subprocess.run(["git", "-C", work, "commit", "-qm", "New"], **quiet)
    subprocess.run(["git", "-C", work, "push", "-q"], **quiet)
    for path in store.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert anna.ask("/hub/home")[0] == 200
    token = anna.cookie("_xsrf", "/hub/")
    headers = {"X-XSRFToken": token}
    status, _, text = anna.ask(
        "/hub/api/users/anna/server", method="DELETE", headers=headers
    )
    assert status in (202, 204), text
    deadline = time.monotonic() + 60
    while json.loads(anna.ask("/hub/api/users/anna")[2])["servers"]:
        assert time.monotonic() < deadline, "the server does not stop"
        time.sleep(0.5)
    anna.spawn()
    anna.kernel = anna.start_kernel()
    found = anna.run(
        anna.kernel,
        f"""
import json, os
os.chdir(os.path.expanduser("~"))
text = open("{notebook}").read()
cells = json.loads(text)["cells"]
print(cells[0]["source"], "SINE" in text, os.path.exists("{note}"))
print(open("positional-encoding/notebooks/new.txt").read())
""",
    )
    assert found.splitlines() == ["# Mine False True", "new"]


def test_a_hub_with_a_certificate_before_it_asks_for_secure_cookies(hub, ben):
    hub.stop()
    hub.start(ADDRESS="https://hub.school.example", IDLE="4")
    # Its cookies do not come back on plain HTTP, so they are sent by hand.
    client = http.client.HTTPConnection("127.0.0.1", hub.port)
    with contextlib.closing(client):
        client.request("GET", "/hub/login")
        page = client.getresponse()
        page.read()
        token = page.headers["Set-Cookie"].partition(";")[0]
        form = {"username": "anna", "password": PASSWORD}
        form["_xsrf"] = token.partition("=")[2]
        headers = {"Cookie": token, "Content-Type": "application/x-www-form-urlencoded"}
        client.request("POST", "/hub/login", urllib.parse.urlencode(form), headers)
        answer = client.getresponse()
        cookies = answer.headers.get_all("Set-Cookie")
    login = [line for line in cookies if "jupyterhub-hub-login=" in line]
    assert answer.status == 302 and login
    assert all("; Secure" in line and "HttpOnly" in line for line in login)


def test_a_server_that_nobody_uses_is_stopped(hub, ben):
    # The hub above stops what has been idle for four seconds.
    deadline = time.monotonic() + 90
    while json.loads(ben.ask("/hub/api/users/ben")[2])["servers"]:
        assert time.monotonic() < deadline, "the server of ben still runs"
        time.sleep(1)


@as_root
def test_without_root_the_hub_says_that_homes_are_not_private():
    hub = Hub(user=NOBODY)
    try:
        hub.start()
        assert any("NOT private" in line for line in hub.said())
        student = at_work(hub, "anna")
        said = student.run(student.kernel, "import os; print(os.getuid(), os.getcwd())")
        assert said == f"{NOBODY} {hub.state}/homes/anna"
    finally:
        hub.end()
    left = psutil.process_iter(["uids", "status"])
    assert not [
        process
        for process in left
        if process.info["uids"].real == NOBODY
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.parametrize(
    "settings, text",
    [
        ({"STUDENTS": "nowhere.txt"}, "nowhere.txt is missing"),
        ({"STUDENTS": "empty.txt"}, "empty.txt holds no name"),
        ({"STUDENTS": "bad.txt"}, "line 2: anna maria may have"),
        ({"MEMORY": "much"}, "512M or 1.5G"),
        ({"PORT": "80"}, "1024 to 65000"),
        ({"IDLE": "soon"}, "not a whole number"),
        ({"HUB_LOAD_PASSWORD": "password"}, "at least 20"),
        ({"HUB_PREFIX": "ro ot"}, "a few letters and a hyphen"),
        ({"ADDRESS": "http://hub.school"}, "https://hub.school.example"),
        ({"FORGET": "anna"}, "has no password yet"),
    ],
)
def test_what_cannot_be_is_one_line(settings, text, tmp_path):
    needs(PYTHON, "hub/.venv is missing: make hub")
    (tmp_path / "empty.txt").write_text("# nobody yet\n")
    (tmp_path / "bad.txt").write_text("ben\nanna maria\n")
    env = {"PATH": os.environ["PATH"], "HUB_STATE": str(tmp_path / "state"), **settings}
    done = subprocess.run(
        [PYTHON, ROOT / "hub/start.py"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and done.stdout == ""
    assert text in done.stderr and len(done.stderr.splitlines()) == 1
