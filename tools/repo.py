"""Name the repository that the notebooks are opened from: make repo REPO=owner/name REF=main

Its name and revision stand in pyproject.toml. Here they are written into all that cannot read it there:
the badges of the README, and in each notebook the links and the cell that fetches what is missing.
"""
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME, REVISION = r"[\w.-]+/[\w.-]+", r"[\w.-]+"
PLACES = [  # what stands before the name, between it and the revision, and after that
    (r"colab\.research\.google\.com/github/", "/blob/", "/"),
    (r"mybinder\.org/v2/gh/", "/", r"\?"),
    (r'REPO, REF = \\?"', r'\\?", \\?"', r'\\?"'),
    (r'repository = "', '"\nrevision = "', '"'),
]


def places(text):
    """Every mention of a repository in `text` as a match with the groups name and ref."""
    for before, between, after in PLACES:
        yield from re.finditer(f"{before}(?P<name>{NAME}){between}(?P<ref>{REVISION}){after}", text)


def renamed(text, name, ref):
    """`text` with another repository and revision in all these places."""
    for match in sorted(places(text), key=lambda match: -match.start()):
        for group, value in (("ref", ref), ("name", name)):
            text = text[:match.start(group)] + value + text[match.end(group):]
    return text


def files(root=ROOT):
    return [root / "pyproject.toml", root / "README.md", *sorted(root.glob("notebooks/*.ipynb"))]


def current(root=ROOT):
    """The repository and the revision that pyproject.toml names."""
    course = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["course"]
    return course["repository"], course["revision"]


if __name__ == "__main__":
    name, _, ref = (words := " ".join(sys.argv[1:]).strip()).partition(" ")
    ref = ref or "main"
    if not (re.fullmatch(NAME, name) and re.fullmatch(REVISION, ref)):
        sys.exit(f"wanted: make repo REPO=owner/name, if need be with REF=branch; got {words!r}")
    for path in files():
        path.write_text(renamed(path.read_text("utf-8"), name, ref), encoding="utf-8", newline="\n")
    print(f"Badges, links and notebooks now lead to {name}, {ref}.")
