"""What fails at a hub, and who suffers: each failure is tried at a hub of its own.

    hub/.venv/bin/python hub/failures.py                  all of them, some minutes
    hub/.venv/bin/python hub/failures.py proxy kernels    some of them

Two students work at chapter 4. Then something fails: the hub, the proxy, one student's
kernel, a disk. Printed is what was found, with "NO" before what should have held. Full
disks are small ones in memory, and only root can mount them. Nothing is left at the
end.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import aiohttp
import psutil
from load import CHAPTER, Failed, Hub, interrupt
from needs import percentile
from start import cullers

PROBLEMS = (Failed, aiohttp.ClientError, OSError)
FILL = """
def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(2**16))
        except OSError as error:
            return error.strerror
"""


class Trial:
    """What was found in a trial.

    Attributes
    ----------
    holds : bool
        Whether all was as it should be.
    """

    def __init__(self, title):
        print(f"\n### {title}\n")
        self.holds = True

    def check(self, holds, text):
        """Something that should hold."""
        self.holds = self.holds and bool(holds)
        print(f"- {text}" if holds else f"- NO: {text}", flush=True)

    def tell(self, text):
        """Something that was seen."""
        print(f"- {text}", flush=True)

    async def works(self, what, action):
        """An action that should succeed."""
        problem = await attempt(action)
        self.check(not problem, f"{what}: {problem or 'works'}")


async def attempt(action):
    """Try something; what went wrong, or nothing."""
    try:
        await action
    except PROBLEMS as error:
        return f"{type(error).__name__}: {error}"[:200]
    return ""


async def log_in(student):
    """Log in, start a server and open the chapter."""
    await student.log_in()
    await student.spawn()
    await student.start_kernel()


async def to_first_explorer(student):
    """Run the chapter until there are sliders; remember a number."""
    await log_in(student)
    notebook = await student.api(f"contents/{CHAPTER}?type=notebook&content=1")
    for cell in notebook["content"]["cells"]:
        if cell["cell_type"] == "code" and not student.explorers:
            await student.run("".join(cell["source"]))
    await student.use_subshell()
    await student.run("kept = 42")
    return notebook


async def nudge(student):
    """Move the first slider by one."""
    sliders, picture = student.explorers[0]
    index, last = student.place(sliders[0])
    await student.move(sliders[0], picture, index + (1 if index < last else -1))


async def all_is_there(student):
    """The number is still known, and the slider answers."""
    kept = await student.value("kept")
    if kept != "42":
        raise Failed(f"the kernel says {kept} and not 42")
    await nudge(student)


@contextlib.asynccontextmanager
async def playing(trial, student, who="the other student"):
    """In the meantime, a student moves a slider again and again."""
    student.delays.clear()
    problems = []

    async def play():
        while True:
            problem = await attempt(nudge(student))
            problems.extend([problem] if problem else [])
            await asyncio.sleep(0.3)

    task = asyncio.create_task(play())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    p50, p95 = (1000 * percentile(student.delays, share) for share in (0.5, 0.95))
    trial.check(
        not problems and student.delays,
        f"{who} moved a slider {len(student.delays)} times meanwhile:"
        f" p50 {p50:.0f} ms, p95 {p95:.0f} ms {problems[:1] or ''}",
    )


@contextlib.asynccontextmanager
async def two_at_work(**environment):
    """A hub with three names; the first two students work."""
    with Hub(3, **environment) as hub:
        async with hub.student(0) as anna, hub.student(1) as ben:
            await asyncio.gather(to_first_explorer(anna), to_first_explorer(ben))
            yield hub, anna, ben


async def newcomer(hub):
    """A third student comes in."""
    async with hub.student(2) as cleo:
        await log_in(cleo)


async def reconnect(student):
    """Open the websocket again, as JupyterLab does; the seconds that it took."""
    began = time.monotonic()
    while time.monotonic() < began + 120:
        if not await attempt(student.connect()):
            return time.monotonic() - began
        await asyncio.sleep(0.5)
    raise Failed("the websocket does not open again")


# ---- the trials ---------------------------------------------------------------------
async def hub_stops(how):
    """The hub is stopped in the middle and started again."""
    trial = Trial(f"The hub gets {how.name} and is started again")
    async with two_at_work() as (hub, anna, ben):
        kernels = {process for kind, process in hub.processes() if kind == "kernel"}
        async with playing(trial, ben):
            if how == signal.SIGKILL:
                for process in hub_alone(hub):
                    process.kill()
            else:
                hub.process.send_signal(how)
            await asyncio.to_thread(hub.process.wait, 60)
            await trial.works("without a hub, cell and slider", all_is_there(anna))
            await trial.works("without a hub, a save", save(anna))
            problem = await attempt(anna.ask("/hub/home"))
            trial.tell(f"without a hub, its own pages: {problem}")
            began = time.monotonic()
            await asyncio.to_thread(hub.start)
            while await attempt(anna.ask("/hub/health")):
                await asyncio.sleep(0.2)
            trial.tell(f"a new hub answers after {time.monotonic() - began:.0f} s")
            await trial.works("then, cell and slider", all_is_there(anna))
            await trial.works("then, the hub's home page", anna.ask("/hub/home"))
            await trial.works("then, a student who was not there before", newcomer(hub))
        now = {process for kind, process in hub.processes() if kind == "kernel"}
        trial.check(kernels <= now, f"{len(kernels & now)} of 2 kernels are the same")
        trial.check(not anna.socket.closed, "no websocket was closed")
        orphans = old_cullers(hub)
        for process in orphans:
            process.kill()
        trial.check(not orphans, f"cullers of the old hub that go on: {len(orphans)}")
    return trial.holds


def hub_alone(hub):
    """The hub's own processes, without proxy and servers."""
    return [
        process
        for kind, process in hub.processes()
        if kind == "hub" and "configurable-http-proxy" not in str(process.cmdline())
        if "jupyterhub_idle_culler" not in process.cmdline()
    ]


def old_cullers(hub):
    """Cullers that speak to this hub's port and are nobody's child."""
    ours = {process.pid for _, process in hub.processes()}
    return [process for process in cullers(hub.port) if process.pid not in ours]


async def save(student):
    """Save the chapter as it stands on the disk."""
    notebook = await student.api(f"contents/{CHAPTER}?type=notebook&content=1")
    await student.api(f"contents/{CHAPTER}", "PUT", notebook)


async def proxy_dies():
    """The proxy is killed."""
    trial = Trial("The proxy is killed")
    async with two_at_work() as (hub, anna, ben):
        proxy = psutil.Process(int((hub.state / "proxy.pid").read_text()))
        proxy.kill()
        took = await asyncio.gather(reconnect(anna), reconnect(ben))
        trial.tell(f"the websockets are open again after {max(took):.0f} s")
        trial.check(max(took) < 20, "that is less than 20 seconds")
        for name, student in (("anna", anna), ("ben", ben)):
            await trial.works(f"{name}: cell and slider", all_is_there(student))
        await trial.works("a student who was not there before", newcomer(hub))
    return trial.holds


async def memory_is_eaten():
    """A kernel takes all the memory that it can get."""
    trial = Trial("A kernel eats memory, with the limit of 1 GiB")
    async with two_at_work(MEMORY="1G") as (hub, anna, ben):
        async with playing(trial, ben):
            eat = "pile = []\nwhile True: pile.append(bytearray(2**24))"
            trial.tell(f"the eater sees: {await attempt(anna.run(eat))}")
            most = hub.memory()["kernel"]
            trial.check(most < 2500, f"two kernels have {most:.0f} MiB together")
            await trial.works("the eater, after `del pile`", anna.run("del pile"))
            await trial.works("the eater: cell and slider", all_is_there(anna))
        await trial.works("the other: cell and slider", all_is_there(ben))
    return trial.holds


async def twenty_kernels():
    """A student opens twenty notebooks."""
    trial = Trial("A student starts 20 kernels")
    async with two_at_work() as (hub, anna, ben):
        before = hub.memory()
        async with playing(trial, ben):
            began = time.monotonic()
            problems = [
                await attempt(anna.api("kernels", "POST", {"name": "python3"}))
                for _ in range(20)
            ]
            seconds = time.monotonic() - began
            await asyncio.sleep(10)
        failed = [problem for problem in problems if problem]
        trial.tell(f"{20 - len(failed)} of 20 started in {seconds:.0f} s {failed[:1]}")
        more = (hub.memory()["kernel"] - before["kernel"]) / 20
        trial.tell(f"an empty kernel takes {more:.0f} MiB")
        await trial.works("her first kernel: cell and slider", all_is_there(anna))
        await trial.works("a student who was not there before", newcomer(hub))
    return trial.holds


async def many_processes():
    """A student starts more programs than the limit allows, 600 at most."""
    trial = Trial("A student starts programs until it is refused")
    if os.geteuid():
        trial.tell("left out: only root's hub limits the processes of a student")
        return True
    start = (
        "import subprocess\n"
        "many, refused = [], ''\n"
        "try:\n"
        "    while len(many) < 600:\n"
        "        many.append(subprocess.Popen(['sleep', '300']))\n"
        "except OSError as error:\n"
        "    refused = error.strerror\n"
    )
    async with two_at_work() as (hub, anna, ben):
        async with playing(trial, ben):
            await trial.works("starting them", anna.run(start))
            count, refused = await anna.value("len(many)"), await anna.value("refused")
            trial.check(refused != "''", f"after {count} programs: {refused}")
            await trial.works("her slider", all_is_there(anna))
            problem = await attempt(anna.api("kernels", "POST", {"name": "python3"}))
            trial.tell(f"meanwhile, a new kernel of hers: {problem or 'works'}")
            await trial.works("a student who was not there before", newcomer(hub))
            stop = "for one in many: one.kill(); one.wait()"
            await trial.works("ending them", anna.run(stop))
        await trial.works("then, her own", all_is_there(anna))
    return trial.holds


@contextlib.contextmanager
def small_disk(place, size, owner=0):
    """A disk in memory, mounted at a folder."""
    options = f"size={size},mode=700,uid={owner},gid={owner}"
    command = ["mount", "-t", "tmpfs", "-o", options, "hub-failures", str(place)]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        raise PermissionError("this system mounts no disk for us")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


async def stop_server(student):
    """Stop the student's server and wait until it has ended."""
    token = {"X-XSRFToken": student.cookie("/hub/")}
    path = f"/hub/api/users/{student.name}"
    await student.ask(f"{path}/server", "DELETE", headers=token)
    for _ in range(120):
        _, text = await student.ask(path, headers=token)
        if not json.loads(text)["servers"]:
            return
        await asyncio.sleep(0.5)
    raise Failed("the server does not stop")


def left_out(trial):
    """Only root can mount a small disk; for anyone else, say so."""
    if os.geteuid():
        trial.tell("left out: only root can mount a small disk")
    return bool(os.geteuid())


async def home_is_full():
    """The disk with a student's home is full."""
    trial = Trial("The disk of a student's home is full")
    if left_out(trial):
        return True
    async with contextlib.AsyncExitStack() as stack:
        hub = stack.enter_context(Hub(3))
        ben = await stack.enter_async_context(hub.student(1))
        await to_first_explorer(ben)
        async with hub.student(0) as anna:
            await anna.log_in()
            await anna.spawn()  # makes the account
            await stop_server(anna)
        home = hub.home(0)
        hub.stopped.enter_context(small_disk(home, "48m", home.stat().st_uid))
        anna = await stack.enter_async_context(hub.student(0))
        notebook = await to_first_explorer(anna)
        await stack.enter_async_context(playing(trial, ben))
        await anna.run(f"{FILL}\nwhy = fill({str(home / 'large')!r})")
        trial.tell(f"the kernel that fills the disk sees {await anna.value('why')}")
        put = f"contents/{CHAPTER}", "PUT", notebook
        problem = await attempt(anna.api(*put))
        trial.check(problem, f"she saves and sees: {problem}")
        await trial.works("her cell and her slider", all_is_there(anna))
        opened = anna.api(f"contents/{CHAPTER}?type=notebook&content=1")
        await trial.works("what she saved before, opened again", opened)
        await stop_server(anna)
        await trial.works("her server, stopped and started on the full disk", back(hub))
        (home / "large").unlink()
        async with hub.student(0) as again:
            await log_in(again)
            await trial.works("with space again, a save", again.api(*put))
    return trial.holds


async def back(hub):
    """The first student comes back."""
    async with hub.student(0) as anna:
        await log_in(anna)
        await anna.run("1 + 1")


async def state_is_full():
    """The disk with the hub's state is full."""
    trial = Trial("The disk of the hub's state is full")
    if left_out(trial):
        return True
    async with contextlib.AsyncExitStack() as stack:
        hub = Hub(3)
        hub.state.mkdir()
        hub.stopped.enter_context(small_disk(hub.state, "8m"))
        stack.enter_context(hub)
        anna = await stack.enter_async_context(hub.student(0))
        await to_first_explorer(anna)
        large = hub.state / "large"
        with open(large, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(2**12))
        async with playing(trial, anna, "a student who is at work"):
            await trial.works("a save of hers", save(anna))
            problem = await attempt(newcomer(hub))
            trial.tell(f"a student who was not there before: {problem or 'works'}")
            await asyncio.sleep(5)
        trial.check(hub.process.poll() is None, "the hub goes on")
        large.unlink()
        await trial.works("with space again, a new student", newcomer(hub))
        await trial.works("with space again, the one at work", all_is_there(anna))
    return trial.holds


TRIALS = {
    "hub": lambda: hub_stops(signal.SIGTERM),
    "killed": lambda: hub_stops(signal.SIGKILL),
    "proxy": proxy_dies,
    "memory": memory_is_eaten,
    "kernels": twenty_kernels,
    "processes": many_processes,
    "home": home_is_full,
    "state": state_is_full,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trials", nargs="*", metavar="|".join(TRIALS))
    chosen = parser.parse_args().trials or list(TRIALS)
    unknown = [name for name in chosen if name not in TRIALS]
    if unknown:
        parser.error(f"{unknown[0]} is none of {', '.join(TRIALS)}")
    signal.signal(signal.SIGTERM, interrupt)
    try:
        held = [asyncio.run(TRIALS[name]()) for name in chosen]
    except KeyboardInterrupt:
        sys.exit("failures: stopped; nothing is left of the hub and its students.")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
