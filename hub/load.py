"""A class of simulated students at a hub on this machine: how much does each need?

    hub/.venv/bin/python hub/load.py               1, 5, 10, 20 and 40 students
    hub/.venv/bin/python hub/load.py --quick       1 and 5, about a minute
    hub/.venv/bin/python hub/load.py --students 20 --json rows.json

Each student logs in, starts a server and a kernel, runs chapter 4 and moves its
sliders, with pauses as a reader makes them. There is no browser: the students speak
HTTP and a websocket, as JupyterLab does. What is timed ends where the new picture
arrives; a browser takes some milliseconds more to show it.

The hub is a new one, with a password, a folder and accounts of its own. It listens on
this machine only, and nothing of it is left at the end.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import aiohttp
import needs
import psutil
from jupyter_server.services.kernels.connection.base import (
    deserialize_msg_from_ws_v1,
    serialize_msg_to_ws_v1,
)
from start import process_of, servers

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "load.json"
CHAPTER = "positional-encoding/notebooks/04_sum_angle_derivation.ipynb"
PREFIX = "peload-"
PROTOCOL = "v1.kernel.websocket.jupyter.org"
CLASSES = [1, 5, 10, 20, 40]
ARRIVALS = 4  # students a second: forty log in within ten seconds
SCRIPTS = 60  # the largest of JupyterLab, as a guess at what its page fetches
PAUSE = 0.3, 3.0  # seconds between a picture and the next move
DRAG = 0.1  # the share of moves that are drags, of ten values in a second
PATIENCE = 60  # seconds; then a slider has not answered
WAIT = aiohttp.ClientTimeout(total=300)


# ---- a student ----------------------------------------------------------------------
class Failed(Exception):
    """Something that a student would have complained about."""


class Student:
    """What a browser does for a student, as far as the hub notices.

    Attributes
    ----------
    explorers : list of (list of str, str)
        The sliders of each explorer, and its picture, by the ids of their widgets.
    delays : list of float
        Seconds from each slider's message to the picture.
    settled : list of float
        Seconds from the last value of each drag to the last picture.
    """

    def __init__(self, url, name, password):
        self.url, self.name, self.password = url, name, password
        self.base = f"{url}/user/{name}"
        self.random = random.Random(name)
        self.widgets, self.explorers = {}, []
        self.delays, self.settled = [], []
        self.moves = 0
        self.subshell = None
        self.session = uuid.uuid4().hex
        self._waiting = {}  # for the answer to a message, by its number
        self._pictures = {}  # when the last one came, by the id of its widget
        self._came = asyncio.Event()

    async def __aenter__(self):
        self.http = aiohttp.ClientSession(
            timeout=WAIT,
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # 127.0.0.1 is no name
            connector=aiohttp.TCPConnector(limit_per_host=6),  # as a browser has
        )
        return self

    async def __aexit__(self, *problem):
        await self.disconnect()
        await self.http.close()

    async def disconnect(self):
        """Close the websocket, if there is one."""
        if hasattr(self, "socket"):
            await self.socket.close()
            await self._reader

    def cookie(self, path):
        """The token against forged requests, for an address."""
        cookies = self.http.cookie_jar.filter_cookies(self.http_url(path))
        return cookies["_xsrf"].value if "_xsrf" in cookies else ""

    def http_url(self, path):
        """The whole address of a path."""
        from yarl import URL

        return URL(path if path.startswith("http") else self.url + path)

    async def ask(self, path, method="GET", **options):
        """The answer, with its text; a status of 400 or more is a failure."""
        async with self.http.request(method, self.http_url(path), **options) as got:
            text = await got.text()
            if got.status >= 400:
                raise Failed(f"{method} {got.url.path}: {got.status} {said(text)}")
            return got, text

    async def log_in(self):
        """Name and password."""
        await self.ask("/hub/login")
        form = {
            "username": self.name,
            "password": self.password,
            "_xsrf": self.cookie("/hub/"),
        }
        got, _ = await self.ask("/hub/login?next=/hub/home", "POST", data=form)
        if got.url.path != "/hub/home":
            raise Failed(f"the login led to {got.url.path}")

    async def spawn(self):
        """Start the server, and watch the hub's bar until it is full."""
        got, page = await self.ask("/hub/spawn")
        found = re.search(r'EventSource\("([^"]+)"', page)
        if found:
            await self.watch(found[1].replace("\\u0026", "&").replace("&amp;", "&"))
        got, _ = await self.ask(f"{self.base}/lab")
        if not got.url.path.startswith(f"/user/{self.name}/lab"):
            raise Failed(f"JupyterLab's page led to {got.url.path}")

    async def watch(self, progress):
        """Follow the start of the server, as the page with the bar does."""
        async with self.http.get(self.http_url(progress)) as events:
            async for line in events.content:
                if not line.startswith(b"data:"):
                    continue
                event = json.loads(line[5:])
                if event.get("failed"):
                    raise Failed(f"the server did not start: {event.get('message')}")
                if event.get("ready"):
                    return
        raise Failed("the hub stopped telling how far the server is")

    async def open_lab(self):
        """Fetch what JupyterLab's page fetches first."""
        static = Path(sys.prefix, "share/jupyter/lab/static")
        scripts = sorted(static.glob("*.js"), key=lambda file: file.stat().st_size)
        paths = [f"static/lab/{script.name}" for script in scripts[-SCRIPTS:]]
        paths += ["lab/api/settings", "api/kernelspecs", "api/contents"]
        await asyncio.gather(*[self.ask(f"{self.base}/{path}") for path in paths])

    async def api(self, path, method="GET", body=None):
        """Ask the student's own server."""
        headers = {"X-XSRFToken": self.cookie(f"{self.base}/")}
        _, text = await self.ask(
            f"{self.base}/api/{path}", method, json=body, headers=headers
        )
        return json.loads(text) if text else None

    async def start_kernel(self, path=CHAPTER):
        """Open the chapter with a kernel of its own."""
        session = {
            "path": path,
            "name": Path(path).name,
            "type": "notebook",
            "kernel": {"name": "python3"},
        }
        opened = await self.api("sessions", "POST", session)
        self.kernel = opened["kernel"]["id"]
        await self.connect()

    async def connect(self):
        """Open the websocket of the kernel, or open it again."""
        await self.disconnect()
        self.socket = await self.http.ws_connect(
            f"{self.base}/api/kernels/{self.kernel}/channels?session_id={self.session}",
            protocols=[PROTOCOL],
            max_msg_size=0,
        )
        self._reader = asyncio.create_task(self.read())

    async def use_subshell(self):
        """A thread of the kernel for the widgets' messages, as JupyterLab asks for."""
        number = await self.send("create_subshell_request", {}, channel="control")
        answer = await self.answer(number)
        self.subshell = answer.get("subshell_id")

    async def send(self, kind, content, channel="shell", subshell=None):
        """Send the kernel a message; its number."""
        number = uuid.uuid4().hex
        header = {
            "msg_id": number,
            "msg_type": kind,
            "session": self.session,
            "username": "",
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "version": "5.4",
            **({"subshell_id": subshell} if subshell else {}),
        }
        awaited = {"idle"} if kind == "comm_msg" else {"idle", "reply"}
        if channel == "control":
            awaited = {"reply"}
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = {"done": future, "awaited": awaited, "reply": {}}
        parts = [json.dumps(part).encode() for part in (header, {}, {}, content)]
        await self.socket.send_bytes(serialize_msg_to_ws_v1(parts, channel))
        return number

    async def answer(self, number, seconds=600):
        """The reply to a message, when the kernel has done with it."""
        try:
            await asyncio.wait_for(self._waiting[number]["done"], seconds)
        except TimeoutError:
            raise Failed(f"the kernel did not answer in {seconds} s") from None
        return self._waiting.pop(number)["reply"]

    async def run(self, code, seconds=600):
        """Run a cell; an error in it is a failure."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        reply = await self.answer(await self.send("execute_request", content), seconds)
        if reply.get("status") != "ok":
            raise Failed(f"a cell: {reply.get('ename')}: {reply.get('evalue')}")

    async def value(self, expression):
        """What an expression is in the kernel, as text."""
        content = {
            "code": "",
            "silent": True,
            "store_history": False,
            "user_expressions": {"it": expression},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        reply = await self.answer(await self.send("execute_request", content), 60)
        found = reply["user_expressions"]["it"]
        return found["data"]["text/plain"] if "data" in found else found["ename"]

    async def read(self):
        """Take in what the kernel sends, until the websocket is closed."""
        async for message in self.socket:
            if message.type == aiohttp.WSMsgType.BINARY:
                arrived = time.perf_counter()
                _, parts = deserialize_msg_from_ws_v1(message.data)
                self.take(arrived, *parts)
        for waiting in self._waiting.values():
            if not waiting["done"].done():
                waiting["done"].set_exception(Failed("the websocket was closed"))
                waiting["done"].exception()  # nobody need be waiting
        self._came.set()

    def take(self, arrived, header, parent, metadata, content, *buffers):
        """One message of the kernel."""
        kind = json.loads(header)["msg_type"]
        if kind == "comm_open":
            self.meet(json.loads(content))
        elif kind == "comm_msg":
            self.follow(arrived, json.loads(content), buffers)
        elif kind.endswith("_reply") or kind == "status":
            waiting = self._waiting.get(json.loads(parent).get("msg_id"))
            if waiting:
                self.tick_off(waiting, kind, json.loads(content))

    def tick_off(self, waiting, kind, content):
        """Reply and idle come on two channels, in any order."""
        if kind != "status":
            waiting["reply"] = content
            waiting["awaited"].discard("reply")
        elif content["execution_state"] == "idle":
            waiting["awaited"].discard("idle")
        if not waiting["awaited"] and not waiting["done"].done():
            waiting["done"].set_result(None)

    def meet(self, content):
        """A new widget: is it an explorer, a picture below a row of sliders?"""
        state = content["data"].get("state", {})
        self.widgets[content["comm_id"]] = state
        children = ids(state)
        if len(children) > 1 and self.model(children[1]) == "ImageModel":
            row = ids(self.widgets[children[0]])
            sliders = [w for w in row if self.model(w) == "SelectionSliderModel"]
            self.explorers.append((sliders, children[1]))

    def model(self, widget):
        """What kind of widget it is."""
        return self.widgets.get(widget, {}).get("_model_name")

    def follow(self, arrived, content, buffers):
        """A widget has changed; of pictures, note when they came."""
        widget, data = content["comm_id"], content["data"]
        if data.get("method") != "update" or widget not in self.widgets:
            return
        self.widgets[widget].update(data["state"])
        if ["value"] in data.get("buffer_paths", []) and buffers:
            self._pictures[widget] = arrived
            self._came.set()

    async def read_chapter(self, pause):
        """Run all cells of the chapter, with pauses of up to `pause` seconds."""
        notebook = await self.api(f"contents/{CHAPTER}?type=notebook&content=1")
        for cell in notebook["content"]["cells"]:
            if cell["cell_type"] == "code":
                await self.run("".join(cell["source"]))
                await asyncio.sleep(self.random.uniform(0, pause))
        await self.api(f"contents/{CHAPTER}", "PUT", notebook)  # save it
        await self.use_subshell()

    async def play(self, seconds):
        """Move sliders for some time, as a reader does: unevenly, now and then far."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(self.random.uniform(*PAUSE))
            sliders, picture = self.random.choice(self.explorers)
            slider = self.random.choice(sliders)
            if self.random.random() < DRAG:
                await self.drag(slider, picture)
            else:
                index, last = self.place(slider)
                steps = [step for step in (-2, -1, 1, 2) if 0 <= index + step <= last]
                await self.move(slider, picture, index + self.random.choice(steps))

    def place(self, slider):
        """Where a slider stands, and the last place that it can have."""
        state = self.widgets[slider]
        return state["index"], len(state["_options_labels"]) - 1

    async def move(self, slider, picture, index):
        """Set a slider and wait for the picture; the seconds that it took."""
        self.widgets[slider]["index"] = index
        self.moves += 1
        content = {
            "comm_id": slider,
            "data": {
                "method": "update",
                "state": {"index": index},
                "buffer_paths": [],
            },
        }
        sent = time.perf_counter()
        number = await self.send("comm_msg", content, subshell=self.subshell)
        await self.picture_after(picture, sent)
        await self.answer(number, PATIENCE)
        self.delays.append(self._pictures[picture] - sent)

    async def picture_after(self, picture, sent):
        """Wait for a picture that came after a moment."""
        try:
            async with asyncio.timeout(PATIENCE):
                while self._pictures.get(picture, 0) < sent:
                    if self.socket.closed:
                        raise Failed("the websocket was closed")
                    self._came.clear()
                    await self._came.wait()
        except TimeoutError:
            raise Failed(f"no new picture in {PATIENCE} s") from None

    async def drag(self, slider, picture):
        """Ten values in a second. While one is drawn, only the newest one is kept.

        So does ipywidgets in the browser.
        """
        index, last = self.place(slider)
        way = 1 if index < last / 2 else -1
        targets = [min(max(index + way * n, 0), last) for n in range(1, 11)]
        targets = list(dict.fromkeys(targets))
        began = time.perf_counter()
        shown = 0
        while shown < len(targets):
            due = int((time.perf_counter() - began) / 0.1)
            if due >= shown:
                shown = min(due, len(targets) - 1) + 1
                await self.move(slider, picture, targets[shown - 1])
            else:
                await asyncio.sleep(began + 0.1 * shown - time.perf_counter())
        released = began + 0.1 * (len(targets) - 1)
        self.settled.append(self._pictures[picture] - released)


def ids(state):
    """The widgets in a box."""
    return [child.removeprefix("IPY_MODEL_") for child in state.get("children", [])]


def said(text):
    """What a page or an answer says, in one short line."""
    words = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", text, flags=re.S)
    return " ".join(words.split())[:200]


# ---- the hub ------------------------------------------------------------------------
def free_port():
    """The first of three free ports: of the proxy, the hub and the proxy's door."""
    bases = range(8400, 9400, 10)
    for port in random.sample(bases, len(bases)):
        with contextlib.ExitStack() as stack:
            try:
                for number in (port, port + 1, port + 2):
                    probe = stack.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", number))
            except OSError:
                continue
            return port
    sys.exit("load: no three free ports from 8400 to 9400.")


def account_exists(name):
    """Is there a system account of this name?"""
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


class Hub:
    """A hub for a load test: with a password and a folder of its own.

    Parameters
    ----------
    students : int
        How many names it needs; names that nobody has are taken.
    **environment
        More settings for hub/start.py.
    """

    def __init__(self, students, **environment):
        self.accounts = ["root"]
        while any(map(account_exists, self.accounts)):
            first = 100 * random.randrange(
                1, 99
            )  # another test may run beside this one
            self.names = [f"load{first + n}" for n in range(students)]
            self.accounts = [PREFIX + name for name in self.names]
        self.password = secrets.token_hex(16)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="hub-load-"))
        self.folder.chmod(0o711)  # students read the course in it
        self.stopped = contextlib.ExitStack()  # to be left when all has stopped
        self.state = self.folder / "state"
        self.environment = os.environ | {
            "HUB_LOAD_PASSWORD": self.password,
            "HUB_STATE": str(self.state),
            "HUB_COURSE": str(self.folder / "course"),
            "PORT": str(self.port),
            **environment,
        }

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *problem):
        with no_interrupts():
            self.stop()
            self.stopped.close()
            self.remove_accounts()
            shutil.rmtree(self.folder)

    def student(self, number):
        """The student of a number."""
        return Student(self.url, self.names[number], self.password)

    def start(self):
        """Start the hub, or start it again, and wait for its answer."""
        log = self.folder / "hub.log"
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "start.py")],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        for _ in range(600):
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError), socket.socket() as probe:
                probe.settimeout(1)
                probe.connect(("127.0.0.1", self.port + 1))
                return
            time.sleep(0.1)
        sys.exit("load: the hub did not start:\n" + log.read_text()[-2000:])

    def stop(self):
        """Stop the hub, the servers and the proxy."""
        for kind, process in self.processes():  # slow to end, and nothing is lost
            if kind != "hub":
                with contextlib.suppress(psutil.Error):
                    process.kill()
        subprocess.run(
            [sys.executable, str(HERE / "start.py")],
            env=self.environment | {"STOP": "1"},
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
        self.process.wait(60)

    def remove_accounts(self):
        """Remove the accounts that this hub has made, with all they hold."""
        for account in filter(account_exists, self.accounts):
            for process in psutil.process_iter(["username"]):
                if process.info["username"] == account:
                    with contextlib.suppress(psutil.Error):
                        process.kill()
                        process.wait(10)
            subprocess.run(["userdel", "--remove", account], stderr=subprocess.DEVNULL)
            shutil.rmtree(f"/run/positional-encoding/{account}", ignore_errors=True)
        if os.geteuid():
            ours = Path(tempfile.gettempdir()) / f"pe-{os.geteuid()}"
            for account in self.accounts:
                shutil.rmtree(ours / account, ignore_errors=True)

    def processes(self):
        """What belongs to this hub: pairs of a kind and a process."""
        hub = process_of(self.state / "hub.pid", "start.py")
        proxy = process_of(self.state / "proxy.pid", "configurable-http-proxy")
        # The servers first: some are the hub's children, and one that starts is not
        # in its database yet.
        roots = [("server", process) for process in servers(self.state)]
        roots += [("hub", hub), ("hub", proxy)]
        seen = set()
        for kind, root in roots:
            with contextlib.suppress(psutil.Error, AttributeError):
                for process in [root, *root.children(recursive=True)]:
                    if process in seen:
                        continue
                    seen.add(process)
                    is_kernel = any("ipykernel" in part for part in process.cmdline())
                    yield "kernel" if is_kernel else kind, process

    def seconds(self):
        """Seconds of CPU so far, of each kind, those of ended children included."""
        found = {"hub": 0.0, "server": 0.0, "kernel": 0.0}
        for kind, process in self.processes():
            with contextlib.suppress(psutil.Error):
                found[kind] += sum(process.cpu_times()[:4])
        return found

    def memory(self):
        """MiB of memory, of each kind; what processes share is divided among them."""
        found = {"hub": 0.0, "server": 0.0, "kernel": 0.0}
        for kind, process in self.processes():
            with contextlib.suppress(psutil.Error):
                found[kind] += process.memory_full_info().pss / 2**20
        return found

    def home(self, number=0):
        """The home of a student."""
        if os.geteuid():
            return self.state / "homes" / self.names[number]
        return Path(os.path.expanduser(f"~{self.accounts[number]}"))


def on_disk(folder):
    """MiB that a folder takes."""
    blocks = [path.lstat().st_blocks for path in Path(folder).rglob("*")]
    return 512 * sum(blocks) / 2**20


@contextlib.contextmanager
def no_interrupts():
    """Ctrl-C must wait until all is cleared away."""
    numbers = signal.SIGINT, signal.SIGTERM
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- a class ------------------------------------------------------------------------
class Class:
    """Some students at a hub, and what was measured of them.

    Attributes
    ----------
    row : dict
        All that was measured; times in seconds, memory in MiB.
    """

    def __init__(self, hub, students):
        self.hub, self.students = hub, students
        self.row = {"students": len(students), "failures": []}
        self.peak = 0.0

    async def each(self, phase, action):
        """Let every student do something; who fails is left out from then on."""

        async def one(student):
            try:
                await action(student)
            except (Failed, aiohttp.ClientError, OSError) as error:
                why = f"{student.name}, {phase}: {type(error).__name__}: {error}"
                self.row["failures"].append(why)
                self.students.remove(student)

        before = self.hub.seconds()
        began = time.monotonic()
        await asyncio.gather(*[one(student) for student in list(self.students)])
        spent = {kind: s - before[kind] for kind, s in self.hub.seconds().items()}
        self.row[phase] = {"seconds": time.monotonic() - began, "cpu": spent}
        self.row[phase] |= {"memory": self.look(), "students": len(self.students)}
        print(f"  {phase}: {time.monotonic() - began:.0f} s", file=sys.stderr)

    def look(self):
        """The memory now, with the peak kept."""
        memory = self.hub.memory()
        both = memory["server"] + memory["kernel"]
        self.peak = max(self.peak, both / max(len(self.students), 1))
        return memory

    async def watch(self, seconds=10):
        """Look at the memory now and then."""
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self.look)

    async def start(self):
        """All come in, four a second: servers, kernels, and the first cell's answer."""
        ready, first = [], []
        arrivals = {s: n / ARRIVALS for n, s in enumerate(self.students)}

        async def begin(student):
            await asyncio.sleep(arrivals[student])
            came = time.monotonic()
            await student.log_in()
            await student.spawn()
            ready.append(time.monotonic() - came)
            await student.open_lab()
            await student.start_kernel()
            await student.run("1 + 1")
            first.append(time.monotonic() - came)

        await self.each("start", begin)
        self.row["start"] |= {"ready": ready, "first": first}

    async def work(self, pause, seconds):
        """The chapter, and then its sliders."""
        await self.each("chapter", lambda student: student.read_chapter(pause))
        psutil.cpu_percent()
        own = sum(psutil.Process().cpu_times()[:2])
        await self.each("sliders", lambda student: student.play(seconds))
        phase = self.row["sliders"]
        own = sum(psutil.Process().cpu_times()[:2]) - own
        phase |= {
            "busy": psutil.cpu_percent() / 100,
            "own": own / phase["seconds"] / psutil.cpu_count(),
            "moves": sum(student.moves for student in self.students),
            "delays": [d for student in self.students for d in student.delays],
            "drags": [d for student in self.students for d in student.settled],
        }


async def measure(count, pause, seconds):
    """The row of a class of `count` students, at a new hub."""
    print(f"{count} students", file=sys.stderr)
    with Hub(count) as hub:
        async with contextlib.AsyncExitStack() as stack:
            students = [
                await stack.enter_async_context(hub.student(n)) for n in range(count)
            ]
            group = Class(hub, students)
            watcher = asyncio.create_task(group.watch())
            await group.start()
            await group.work(pause, seconds)
            watcher.cancel()
        group.row |= {"peak": group.peak, "home": on_disk(hub.home())}
    return group.row


# ---- the program --------------------------------------------------------------------
def arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, nargs="+", default=CLASSES)
    parser.add_argument("--quick", action="store_true", help="1 and 5 students")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the rows")
    parser.add_argument("--keep", action="store_true", help="into hub/README.md")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.students = [1, 5]
    if not all(1 <= count <= 100 for count in chosen.students):
        parser.error("--students takes numbers from 1 to 100")
    return chosen


def interrupt(number, frame):
    """SIGTERM is like Ctrl-C."""
    raise KeyboardInterrupt


def main():
    chosen = arguments()
    signal.signal(signal.SIGTERM, interrupt)
    rows = []
    try:
        for count in sorted(chosen.students):
            seconds = 4 if chosen.quick else min(max(300 / count, 45), 120)
            pause = 0 if chosen.quick else 1
            rows.append(asyncio.run(measure(count, pause, seconds)))
            if chosen.json:
                chosen.json.write_text(json.dumps(rows, indent=1) + "\n")
    except KeyboardInterrupt:
        sys.exit("load: stopped; nothing is left of the hub and its students.")
    found = {
        "cores": psutil.cpu_count(),
        "memory": psutil.virtual_memory().total / 2**30,
        "installed": on_disk(HERE / ".venv"),
        "rows": rows,
    }
    print(needs.report(found))
    if chosen.keep:
        RESULTS.write_text(json.dumps(found) + "\n", "utf-8")
        needs.PAGE.write_text(needs.page_with(found), "utf-8")
    for row in rows:
        for failure in row["failures"]:
            print(f"{row['students']} students: {failure}", file=sys.stderr)
    return 1 if any(row["failures"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
