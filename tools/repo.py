"""Name the repository that the notebooks are opened from.

    make repo REPO=owner/name REF=main

Its name and revision stand in pyproject.toml. Here they are written into all that
cannot read it there: the badges of the README, and in each notebook the links and the
cell that fetches what is missing. Until one is named, the links are a comment,
<!--repo …-->; then they stand in the open: <!--repo-->…<!--/repo-->.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the addresses of GitHub and Colab allow.
NAME, REVISION = r"[\w-]+/(?!\.+$)[\w.-]+(?<!\.git)", r"[\w.-]+"
GROUPS = {"name": r"(?P<name>[\w.-]+/[\w.-]+)", "ref": r"(?P<ref>[\w.-]+)"}
PLACES = [
    re.compile(place.format(**GROUPS))
    for place in (
        r"colab\.research\.google\.com/github/{name}/blob/{ref}/",
        r"mybinder\.org/v2/gh/{name}/{ref}\?",
        r"git clone -b {ref} https://github\.com/{name} ",
        r'REPO, REF = \\?"{name}\\?", \\?"{ref}\\?"',
        r'repository = "{name}"\nrevision = "{ref}"',
    )
]

HIDDEN = re.compile(r"<!--repo(?!-->)(.*?)-->", re.DOTALL)
SHOWN = re.compile(r"<!--repo-->(.*?)<!--/repo-->", re.DOTALL)


def site_of(name):
    """Where GitHub Pages shows the book of a repository."""
    owner, _, repository = name.partition("/")
    site = f"{owner}.github.io"
    return f"https://{site}/" if repository == site else f"https://{site}/{repository}/"


def addresses(chapter):
    """Where a chapter, named by its file, is read, run and fetched in public."""
    name, ref = current()
    book, file = site_of(name), f"notebooks/{chapter}.ipynb"
    return {
        "web book": f"{book}{chapter}.html",
        "Binder": f"https://mybinder.org/v2/gh/{name}/{ref}?urlpath=lab/tree/{file}",
        "Colab": f"https://colab.research.google.com/github/{name}/blob/{ref}/{file}",
        "notebook": f"{book}downloads/{chapter}.zip",
    }


def places(text):
    """Every mention of a repository in `text`: a match with the groups name and ref."""
    return [match for place in PLACES for match in place.finditer(text)]


def renamed(text, name, ref):
    """`text` with another repository and revision in all these places."""
    sites = {site_of(match["name"]) for match in places(text)}
    spans = [
        (match.span(group), value)
        for match in places(text)
        for group, value in (("name", name), ("ref", ref))
    ]
    for (start, end), value in sorted(spans, reverse=True):
        text = text[:start] + value + text[end:]
    for site in sites:
        text = text.replace(site, site_of(name))
    if is_named(name):
        return HIDDEN.sub(r"<!--repo-->\1<!--/repo-->", text)
    return SHOWN.sub(r"<!--repo\1-->", text)


def files(root=ROOT):
    return [
        root / "pyproject.toml",
        root / "README.md",
        *sorted(root.glob("notebooks/[!g]*.ipynb")),  # the glossary leads nowhere
    ]


def is_named(text):
    """Whether a repository, or addresses in it, have a name: else they lead nowhere."""
    return "_OWNER_" not in text


def current(root=ROOT):
    """The repository and the revision that pyproject.toml names."""
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    course = settings["tool"]["course"]
    return course["repository"], course["revision"]


if __name__ == "__main__":
    name, ref = [*sys.argv[1:], "", ""][:2]
    name, ref = name or (ref and current()[0]), ref or "main"
    if not (re.fullmatch(NAME, name, re.A) and re.fullmatch(REVISION, ref, re.A)):
        sys.exit(
            "wanted: make repo REPO=owner/name (not its address) REF=branch (without a"
            f" slash); got REPO={name!r} REF={ref!r}"
        )
    for path in files():
        path.write_text(
            renamed(path.read_text("utf-8"), name, ref), encoding="utf-8", newline="\n"
        )
    print(
        f"Badges, links and notebooks now lead to {name}, {ref}. Commit and push them."
    )
