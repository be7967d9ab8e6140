"""`make hub`: who comes in, what they can reach, and what a killed hub costs them."""

import json
import os
import secrets
import subprocess
import time

import psutil
import pytest
import requests

from hub.trial import class_hub
from tests.support.sliders import HASH, picture, position, wait_for_change
from tools.chapters import ROOT, calls, cells
from tools.web.lab import SCRIPT, run_all, show_cell
from tools.web.served import watched_page

ANNA, BEN, CLEO = (f"test{os.getpid()}-{name}" for name in ("anna", "ben", "cleo"))
PASSWORD = secrets.token_hex(12)
CHAPTER = "notebooks/01_integer_encoding.ipynb"
EXPOSE = 'c.Spawner.args += ["--LabApp.expose_app_in_browser=True"]'  # to lab.SCRIPT
# Where CI=true these run, and without root they fail.
as_root = pytest.mark.skipif(
    os.geteuid() != 0 and os.environ.get("CI") != "true",
    reason="only root can give each student an account",
)


class Student:
    """A student whose server and kernel run."""

    def __init__(self, hub, name):
        self.account = f"pe-{name}"
        self.server = hub.server(self.account)
        self.kernel = hub.kernel(self.account)

    def run(self, code):
        """What code prints in the kernel, and the error that stops it."""
        outputs = self.kernel.execute(code, timeout=600)["outputs"]
        lines = [one.get("text", "".join(one.get("traceback", []))) for one in outputs]
        return "".join(lines).strip()


@pytest.fixture(scope="module")
def hub():
    with class_hub([ANNA, BEN, CLEO], more=EXPOSE) as hub:
        yield hub


@pytest.fixture(scope="module")
def anna(hub):
    return Student(hub, ANNA)


@pytest.fixture(scope="module")
def ben(hub):
    return Student(hub, BEN)


def log_in(hub, name, password):
    """Whether someone comes in."""
    visit = requests.Session()
    visit.get(f"{hub.url}/hub/login")
    form = {"username": name, "password": password, "_xsrf": visit.cookies["_xsrf"]}
    answer = visit.post(f"{hub.url}/hub/login?next=/hub/home", form)
    return answer.ok and answer.url.endswith("/hub/home")


def wait_until(true):
    for _ in range(300):
        if true():
            return
        time.sleep(0.2)
    raise AssertionError("this did not happen within a minute")


def listening(process):
    """The addresses at which a process waits for connections."""
    connections = process.net_connections("inet")
    return [one.laddr for one in connections if one.status == psutil.CONN_LISTEN]


@pytest.mark.browser
def test_a_student_logs_in_runs_a_chapter_and_moves_a_slider(hub, browser):
    made = [calls("explore", cell) for cell in cells(ROOT / CHAPTER)]
    index = made.index(1, made.index(1) + 1)  # the first explorer has buttons alone
    with watched_page(browser, "0", SCRIPT + HASH) as page:
        page.goto(hub.url)
        for password in ("short", PASSWORD):
            page.fill("input[name=username]", CLEO)
            page.fill("input[name=password]", password)
            page.click("input[type=submit]")
            if password == "short":
                page.get_by_text("at least 8").wait_for()
        page.wait_for_url(f"**/lab/tree/positional-encoding/{CHAPTER}", timeout=120_000)
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        run_all(page, f"positional-encoding/{CHAPTER}")
        cell = show_cell(page, index)
        before = picture(cell)
        handle = cell.locator(".noUi-handle").first
        # A key, as the page still moves while a slow machine draws it.
        handle.press("ArrowRight" if position(handle) < 1 else "ArrowLeft")
        wait_for_change(cell, before, "the slider changes nothing")


def test_only_names_of_the_list_with_their_first_password_come_in(hub):
    assert log_in(hub, ANNA, PASSWORD)
    assert log_in(hub, ANNA.upper(), PASSWORD)
    for password in ("another password", "", "x" * 100):
        assert not log_in(hub, ANNA, password), password
    for name in ("zoe", "root", "pe-zoe"):
        assert not log_in(hub, name, PASSWORD), name


# In a student's kernel: what works is printed, what is forbidden is not, and anything
# else stops it.
TRY = """
import json, os, socket, urllib.request
from urllib.error import HTTPError
def read(path):
    return open(path, "rb").read(1)
def ask(url, method="GET", **headers):
    request = urllib.request.Request(url, headers=headers, method=method)
    answer = urllib.request.urlopen(request, timeout=60)
    if "/hub/login" in answer.url:
        raise PermissionError
def ask_as_server(url, method="GET"):
    token = os.environ["JUPYTERHUB_API_TOKEN"]
    ask(url, method, Authorization=f"token {token}")
def reach(path):
    socket.socket(socket.AF_UNIX).connect(path)
for attempt in json.loads(%r):
    try:
        eval(attempt)
        print(attempt)
    except (PermissionError, HTTPError):
        pass
"""


@as_root
def test_a_student_cannot_reach_what_is_anothers_or_the_hubs(hub, anna, ben):
    home, bens = f"/home/{ben.account}", ben.server.pid
    proxy = (hub.state / "jupyterhub-proxy.pid").read_text()
    api = f"http://127.0.0.1:{hub.port + 1}/hub/api"
    (server,) = listening(ben.server)
    servers = f"http://127.0.0.1:{server.port}", hub.url  # direct, and by the proxy
    sockets = subprocess.getoutput(f"ls {home}/.run/*-ipc-*").split()
    allowed = [
        "os.listdir(os.path.expanduser('~/positional-encoding'))",
        f"read('{ROOT}/hub/jupyterhub_config.py')",
        f"ask('{hub.url}/hub/health')",
        f"ask_as_server('{api}/user')",
    ]
    forbidden = [
        f"os.listdir('{home}')",
        f"read('{home}/positional-encoding/LICENSE')",
        f"open('{home}/new', 'w')",
        *(f"reach('{path}')" for path in sockets),
        *(f"read('/proc/{process}/{file}')"
          for process in (hub.process.pid, int(proxy), bens)
          for file in ("environ", "mem")),
        f"os.kill({bens}, 9)",
        "os.setuid(0)",
        *(f"{how}('{url}/user/{ben.account}/{page}')"
          for how in ("ask", "ask_as_server") for url in servers
          for page in ("lab", "api/contents", "api/kernels")),
        f"ask_as_server('{api}/users')",
        f"ask_as_server('{api}/users/{ben.account}')",
        f"ask_as_server('{api}/users/{ben.account}/server', 'DELETE')",
        f"ask_as_server('http://127.0.0.1:{hub.port + 2}/api/routes')",
        *(f"read('{path}')" for path in hub.state.iterdir()),
        f"open('{ROOT}/hub/.venv/bin/jupyterhub', 'a')",
        f"open('{ROOT}/hub/jupyterhub_config.py', 'a')",
    ]  # fmt: skip
    assert anna.run(TRY % json.dumps(allowed + forbidden)).splitlines() == allowed
    assert sockets and ben.server.is_running()


def test_nothing_listens_to_other_machines(hub, anna):
    top = psutil.Process(hub.process.pid)
    assert listening(top) and listening(anna.server)
    for process in [top, *top.children(recursive=True)]:
        assert {address.ip for address in listening(process)} <= {"127.0.0.1"}


@as_root
def test_what_asks_for_too_much_memory_gets_an_error(anna):
    assert "MemoryError" in anna.run("import numpy; numpy.ones(2**28)")
    assert anna.run("print('here')") == "here"


def test_a_hub_that_was_killed_finds_the_kernels_as_they_were(hub, anna):
    anna.run("kept = 'through the night'")
    hub.process.kill()
    hub.process.wait()
    assert anna.run("print(kept)") == "through the night", "without a hub"
    hub.start()
    kernels = f"{hub.url}/user/{anna.account}/api/kernels"
    wait_until(lambda: requests.get(kernels, headers=hub.headers).ok)
    anna.kernel = hub.kernel(anna.account, anna.kernel.id)
    assert anna.run("print(kept)") == "through the night"
    assert log_in(hub, ANNA, PASSWORD), "passwords are kept"


def test_what_a_student_has_changed_stays_and_what_is_missing_comes_again(hub):
    ben = Student(hub, BEN)
    ben.run("import os; os.remove('glossary.ipynb'); open('utils.py', 'a').write('me')")
    hub.ask(ben.account, "DELETE", "/server")
    wait_until(lambda: not hub.ask(ben.account)["servers"])
    end = "open('glossary.ipynb'); print(open('utils.py').read()[-2:])"
    assert Student(hub, BEN).run(end) == "me"


def test_without_root_the_hub_says_that_files_are_not_private():
    with class_hub([ANNA], nobody=os.geteuid() == 0) as hub:
        assert "NOT private" in hub.log.read_text()
        student = Student(hub, ANNA)
        printed = student.run("import os; print(os.getuid(), os.getcwd())")
        here = hub.state / f"homes/{student.account}/positional-encoding/notebooks"
        assert printed == f"{psutil.Process(hub.process.pid).uids().real} {here}"


@pytest.mark.parametrize(
    "text, why",
    [
        (None, "is missing"),
        ("\n \n", "holds no name"),
        ("ben\nanna maria\n", "anna maria may have"),
    ],
)
def test_a_list_that_cannot_be_is_told_in_one_line(text, why, tmp_path):
    path = tmp_path / "students.txt"
    if text is not None:
        path.write_text(text)
    done = subprocess.run(
        [ROOT / "hub/.venv/bin/jupyterhub", "-f", ROOT / "hub/jupyterhub_config.py"],
        env={**os.environ, "STUDENTS": str(path), "HUB_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and why in done.stderr
    assert len(done.stderr.splitlines()) == 1
