"""A student at the hub, without a browser: log in, start a server, run code there."""

import contextlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.cookiejar import CookieJar

import websocket


class Student:
    """Cookies and tokens of one student, as a browser would keep them."""

    def __init__(self, url, name):
        self.url, self.name = url.rstrip("/"), name
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self.jar)
        )

    def cookie(self, name, path):
        """The value of a cookie that goes to a path."""
        found = [c for c in self.jar if c.name == name and path.startswith(c.path)]
        return max(found, key=lambda c: len(c.path)).value if found else ""

    def ask(self, path, data=None, method=None, headers=None):
        """Status, final address and text of an answer, after its redirects."""
        url = path if path.startswith("http") else self.url + path
        body = data if data is None or isinstance(data, bytes) else data.encode()
        request = urllib.request.Request(url, body, headers or {}, method=method)
        try:
            with self.opener.open(request, timeout=120) as got:
                return got.status, got.url, got.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.url, error.read().decode(errors="replace")

    def log_in(self, password):
        """Log in at the hub; the status of its answer."""
        self.ask("/hub/login")
        token = self.cookie("_xsrf", "/hub/")
        form = {"username": self.name, "password": password, "_xsrf": token}
        status, url, _ = self.ask(
            "/hub/login?next=/hub/home", urllib.parse.urlencode(form)
        )
        return status if status != 200 else 200 if url.endswith("/hub/home") else 403

    def api(self, path, method="GET", data=None):
        """Ask the student's own server, with the token that its pages send."""
        base = f"/user/{self.name}/"
        headers = {
            "X-XSRFToken": self.cookie("_xsrf", base),
            "Content-Type": "application/json",
        }
        body = None if data is None else json.dumps(data)
        status, _, text = self.ask(f"{base}api/{path}", body, method, headers)
        return status, json.loads(text) if text.strip()[:1] in ("{", "[") else text

    def spawn(self, seconds=120):
        """Start the student's server and wait for it."""
        self.ask("/hub/spawn")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # The lab's page brings the cookies of the server.
            _, url, _ = self.ask(f"/user/{self.name}/lab")
            if f"/user/{self.name}/lab" in url and self.api("status")[0] == 200:
                return
            time.sleep(0.5)
        raise AssertionError(f"the server of {self.name} does not answer: {url}")

    def start_kernel(self):
        """A new kernel of the student; its id."""
        status, answer = self.api("kernels", "POST", {"name": "python3"})
        assert status == 201, (status, answer)
        return answer["id"]

    def run(self, kernel, code, seconds=120):
        """What a cell prints; an error's name and message if it raises one."""
        path = f"/user/{self.name}/api/kernels/{kernel}/channels"
        session = uuid.uuid4().hex
        cookies = "; ".join(
            f"{c.name}={c.value}" for c in self.jar if path.startswith(c.path)
        )
        socket = websocket.create_connection(
            self.url.replace("http", "ws", 1) + f"{path}?session_id={session}",
            cookie=cookies,
            timeout=seconds,
        )
        with contextlib.closing(socket):
            number = uuid.uuid4().hex
            socket.send(json.dumps(execute_request(number, session, code)))
            return answer_to(socket, number)


def execute_request(number, session, code):
    """A message that has a kernel run code."""
    return {
        "header": {
            "msg_id": number,
            "msg_type": "execute_request",
            "username": "",
            "session": session,
            "date": "",
            "version": "5.3",
        },
        "parent_header": {},
        "metadata": {},
        "channel": "shell",
        "buffers": [],
        "content": {
            "code": code,
            "silent": False,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        },
    }


def answer_to(socket, number):
    """All that is printed until the kernel is idle again."""
    said = ""
    while True:
        message = json.loads(socket.recv())
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "status" and content["execution_state"] in ("restarting", "dead"):
            return "the kernel died"
        if message["parent_header"].get("msg_id") != number:
            continue
        if kind == "stream":
            said += content["text"]
        elif kind == "error":
            said += f"{content['ename']}: {content['evalue']}"
        elif kind == "status" and content["execution_state"] == "idle":
            return said.strip()
