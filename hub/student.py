"""A student of the class: the account, the limits, the copy of the course."""

import asyncio
import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from firstuseauthenticator import FirstUseAuthenticator
from jupyterhub.spawner import LocalProcessSpawner, set_user_setuid
from traitlets import Bool, Integer, Unicode

COURSE = "positional-encoding"
FIRST = f"{COURSE}/notebooks/01_integer_encoding.ipynb"
# One thread for each kernel: thirty kernels with a thread for every core are slower.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
# useradd would be refused where another one is at work.
ONE_AT_A_TIME = asyncio.Lock()


async def run(*command, **options):
    """Run a program; what it said becomes the error if it fails."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), 120)
    except TimeoutError:
        process.kill()
        raise RuntimeError(f"{command[0]} took more than two minutes") from None
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed: {said.decode(errors='replace')}")


class ClassAuthenticator(FirstUseAuthenticator):
    """The first password that comes with a name of the list is the password."""

    async def authenticate(self, handler, data):
        # bcrypt reads 72 bytes and refuses more.
        if len(data["password"].encode()) > 72:
            handler.custom_login_error = "Please choose a shorter password."
            return None
        return await super().authenticate(handler, data)


class StudentSpawner(LocalProcessSpawner):
    """A server on this machine, with limits that its kernels inherit.

    The hub of root gives each student a system account. The hub of anyone else runs
    all servers under that one account, each with a folder as its home.
    """

    prefix = Unicode("pe-", config=True, help="begins the name of each account")
    homes = Unicode("", config=True, help="the folder of the homes, if not root")
    original = Unicode("", config=True, help="the copy that all can read")
    remote = Unicode("", config=True, help="the git address the course comes from")
    branch = Unicode("main", config=True)
    gitconfig = Unicode("", config=True, help="settings of git for this")
    logs = Unicode("", config=True, help="the folder for what the servers say")
    memory = Integer(0, config=True, help="bytes of data of each process")
    processes = Integer(0, config=True, help="processes and threads of each account")
    private = Bool(os.geteuid() == 0, help="Does each student have an account?")

    @property
    def account(self):
        """The name of the system account."""
        return self.prefix + self.user.name

    @property
    def home(self):
        """The student's home."""
        if not self.private:
            return Path(self.homes) / self.user.name
        import pwd

        return Path(pwd.getpwnam(self.account).pw_dir)

    @property
    def runtime(self):
        """A short path for the sockets of kernels, which may have 107 characters."""
        if self.private:
            return Path("/run/positional-encoding") / self.account
        return Path(tempfile.gettempdir()) / f"pe-{os.getuid()}" / self.account

    def identity(self):
        """What makes a program run as the student."""
        import pwd

        if not self.private:
            return {}
        entry = pwd.getpwnam(self.account)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    async def make_account(self):
        """The account of the student, with a home that nobody else can enter."""
        import pwd

        if not self.private:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            return
        async with ONE_AT_A_TIME:
            try:
                pwd.getpwnam(self.account)
            except KeyError:
                await run(
                    "useradd",
                    "--create-home",
                    "--user-group",
                    "--shell=/bin/bash",
                    "--comment=student of the hub",
                    self.account,
                )
                self.home.chmod(0o700)

    def make_runtime(self):
        """The folder for the kernels' sockets, closed to all others."""
        above = self.runtime.parent
        above.mkdir(mode=0o711 if self.private else 0o700, exist_ok=True)
        if above.stat().st_uid != os.geteuid() or above.is_symlink():
            raise RuntimeError(f"{above} belongs to somebody else")
        if self.private:
            above.chmod(0o711)
        shutil.rmtree(self.runtime, ignore_errors=True)  # left by a server that is gone
        self.runtime.mkdir(mode=0o700)
        if self.private:
            identity = self.identity()
            os.chown(self.runtime, identity["user"], identity["group"])

    async def bring_course(self):
        """Pull the course into the home. What the student has changed stays.

        It runs as the student: root never writes where a student may have laid a link,
        and a student's own settings of git run within the student's limits.
        """
        home = self.home
        environment = {
            "HOME": str(home),
            "PATH": self.path(),
            "GIT_CONFIG_GLOBAL": self.gitconfig,
        }
        options = {
            "cwd": home,
            "env": environment,
            "preexec_fn": self.limited(),
            **self.identity(),
        }
        pull = [sys.executable, "-P", "-m", "nbgitpuller.pull"]
        try:
            await run(*pull, self.remote, self.branch, COURSE, **options)
        except RuntimeError as error:
            # The copy as it was is better than none.
            self.log.error("%s: %s", self.user.name, error)
        link = home / "original"
        if not os.path.lexists(link):
            await run("ln", "-s", self.original, link, **options)

    @staticmethod
    def path():
        """Where a student's programs are looked for: ours first."""
        own = os.path.dirname(sys.executable)
        return f"{own}:/usr/local/bin:/usr/bin:/bin"

    def user_env(self, env):
        env |= {
            "USER": self.account if self.private else self.user.name,
            "HOME": str(self.home),
            "SHELL": "/bin/bash",
            "PATH": self.path(),
            "JUPYTER_RUNTIME_DIR": str(self.runtime),
        }
        return env

    def limited(self):
        """What puts a new process within the student's limits."""
        memory = self.memory
        processes = self.processes if self.private else 0

        def preexec():
            os.umask(0o077)  # new files are their owner's alone
            os.nice(5)  # the hub and the proxy come first
            with contextlib.suppress(OSError):  # Linux alone; there, they go last
                Path("/proc/self/oom_score_adj").write_text("500")
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if memory:
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            if processes:
                resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))

        return preexec

    def make_preexec_fn(self, name):
        """Limits first, then root's rights are given up, then the home is entered."""
        limit, home = self.limited(), self.home
        become = set_user_setuid(self.account) if self.private else None

        def preexec():
            limit()
            if become:
                become()
            os.chdir(home)

        return preexec

    async def start(self):
        await self.make_account()
        self.make_runtime()
        await self.bring_course()
        # Not the hub's own output: the server lives longer than a hub.
        with open(Path(self.logs) / f"{self.user.name}.log", "wb") as log:
            self.popen_kwargs = {
                "stdin": subprocess.DEVNULL,
                "stdout": log,
                "stderr": log,
            }
            ip, port = await super().start()
        # A server that ends at once is told of at once.
        while await self.poll() is None:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(ip, port)
                writer.close()
                return ip, port
            await asyncio.sleep(0.2)
        raise RuntimeError("The server has ended at once. Is the disk full?")
