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
from tools.chapters import ROOT, cells, explorers_in
from tools.web.lab import SCRIPT, run_all, show_cell
from tools.web.served import watched_page

ANNA, BEN, CLEO, DORA = (
    f"test{os.getpid()}-{name}" for name in ("anna", "ben", "cleo", "dora")
)
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
    _, index, *_ = explorers_in(cells(ROOT / CHAPTER))  # the first has buttons alone
    with watched_page(browser, "0", SCRIPT + HASH) as page:
        page.goto(hub.url)
        page.fill("input[name=username]", CLEO)
        page.fill("input[name=password]", PASSWORD)
        page.click("input[type=submit]")
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
    assert not log_in(hub, ANNA, "short")
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
    open(path, "rb").read(1)
def reach(path):
    socket.socket(socket.AF_UNIX).connect(path)
def ask(url, method="GET", token=os.environ["JUPYTERHUB_API_TOKEN"]):
    headers = {"Authorization": f"token {token}"} if token else {}
    request = urllib.request.Request(url, headers=headers, method=method)
    if "/hub/login" in urllib.request.urlopen(request, timeout=60).url:
        raise PermissionError
for attempt in json.loads(%r):
    try:
        eval(attempt)
        print(attempt)
    except (PermissionError, HTTPError):
        pass
"""


@as_root
def test_a_student_cannot_reach_what_is_anothers_or_the_hubs(hub, anna):
    ben = Student(hub, BEN)
    home = f"/home/{ben.account}"
    api = f"http://127.0.0.1:{hub.port + 1}/hub/api"
    (server,) = listening(ben.server)
    servers = f"http://127.0.0.1:{server.port}", hub.url  # direct, and by the proxy
    sockets = subprocess.getoutput(f"ls {home}/.run/*-ipc-*").split()
    allowed = [
        "os.listdir(os.path.expanduser('~/positional-encoding'))",
        f"read('{ROOT}/hub/jupyterhub_config.py')",
        f"ask('{hub.url}/hub/health')",
        f"ask('{api}/user')",
    ]
    forbidden = [
        f"os.listdir('{home}')",
        f"read('{home}/positional-encoding/LICENSE')",
        f"open('{home}/new', 'w')",
        *(f"reach('{path}')" for path in sockets),
        f"read('/proc/{hub.process.pid}/environ')",
        *(f"ask('{url}/user/{ben.account}/api/contents'{how})"
          for url in servers for how in ("", ", token=None")),
        f"ask('{api}/users/{ben.account}')",
        f"ask('{api}/users/{ben.account}/server', 'DELETE')",
        f"ask('http://127.0.0.1:{hub.port + 2}/api/routes')",
        *(f"read('{path}')" for path in hub.state.iterdir()),
        f"open('{ROOT}/hub/jupyterhub_config.py', 'a')",
    ]  # fmt: skip
    assert anna.run(TRY % json.dumps(allowed + forbidden)).splitlines() == allowed
    assert sockets and ben.server.is_running()
    top = psutil.Process(hub.process.pid)
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
    nobody = {"user": "nobody", "group": 65534, "extra_groups": []}
    with class_hub([DORA], **nobody if os.geteuid() == 0 else {}) as hub:
        assert "NOT private" in hub.log.read_text()
        assert Student(hub, DORA).run("print(1 + 1)") == "2"


@pytest.mark.parametrize(
    "text, why",
    [(None, "is missing"), ("\n \n", "holds no name"), ("b\na b\n", "a b may have")],
)
def test_an_invalid_list_of_students_is_refused_in_one_line(text, why, tmp_path):
    path = tmp_path / "students.txt"
    if text is not None:
        path.write_text(text)
    hub = ROOT / "hub"
    command = [hub / ".venv/bin/jupyterhub", "-f", hub / "jupyterhub_config.py"]
    env = {**os.environ, "STUDENTS": str(path), "HUB_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 1 and why in done.stderr
    assert len(done.stderr.splitlines()) == 1
