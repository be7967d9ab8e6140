"""The repository keeps its own rules: versions, links, sizes, colours."""

import doctest
import inspect
import json
import re
import subprocess
from itertools import combinations
from pathlib import Path
from urllib.parse import unquote

import matplotlib as mpl
import numpy as np
import pytest
import sympy
from chapters import DECKS
from matplotlib.colors import to_rgb

import explorer
import utils

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def committed_files():
    """Every file that is, or would be, committed."""
    command = "git -c safe.directory=* ls-files -z --cached --others --exclude-standard"
    names = subprocess.run(
        command.split(), cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [
        path for name in names.split("\0") if name and (path := ROOT / name).is_file()
    ]


def cells(notebook, kind=None):
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in found if kind in (None, cell["cell_type"])]


def source(cell):
    return "".join(cell["source"])


def short(path):
    return str(path.relative_to(ROOT))


# ---- versions -------------------------------------------------------------------
def ranges(lines):
    return dict(re.fullmatch(r"([\w-]+)([<>=!~].*)?", line).groups() for line in lines)


def test_conda_and_pip_install_the_same_five_packages():
    pip = ranges((ROOT / "requirements.txt").read_text().split())
    listed = (ROOT / "environment.yml").read_text().partition("dependencies:")[2]
    conda = ranges(re.findall(r"^  - (\S+)", listed, re.M))
    assert re.fullmatch(r"=3\.1[1-9]", conda.pop("python"))
    conda["matplotlib"] = conda.pop("matplotlib-base")  # the same without Qt
    assert conda == pip
    assert set(pip) == {"jupyterlab", "numpy", "matplotlib", "ipywidgets", "sympy"}


def test_what_tests_need_comes_on_top_of_the_five():
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    dev = ranges(line for line in lines if line and not line.startswith("#"))
    assert all(dev.values()), "every package has a range"
    assert (
        not dev.keys() & ranges((ROOT / "requirements.txt").read_text().split()).keys()
    )


# ---- what is written ------------------------------------------------------------
def links(text):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    found = re.findall(r"\]\(\s*<?([^)\s>]+)", text) + re.findall(
        r"""(?:src|href)=["']([^"']+)""", text
    )
    return [link for link in found if not re.match(r"[a-z]+:|#|//", link)]


def written():
    for path in committed_files():
        if path.suffix == ".md":
            yield path, path.read_text("utf-8")
    for path in NOTEBOOKS:
        yield path, "\n\n".join(source(cell) for cell in cells(path, "markdown"))


PAGES = ROOT / "book" / "pages"


def leads_somewhere(path, link):
    """Whether a link in the file `path` leads to a file; for a page, in the book."""
    name = unquote(re.split("[#?]", link)[0])
    if path.parent != PAGES:
        return (path.parent / name).exists()
    folder, _, file = name.rpartition("/")
    stem = file.partition(".")[0]
    homes = {
        "": [PAGES / f"{stem}.md", ROOT / "notebooks" / f"{stem}.ipynb"],
        "slides": [deck for deck in DECKS if deck.stem == stem],
        "_static": [ROOT / "figures" / file],
    }
    return any(home.exists() for home in homes.get(folder, []))


def test_links_between_files_resolve():
    broken = [
        (short(path), link)
        for path, text in written()
        for link in links(text)
        if not leads_somewhere(path, link)
    ]
    assert not broken


def test_a_page_of_the_book_that_leads_nowhere_is_seen():
    good = "10_in_practice.html#x questions.md slides/04_sum_angle_derivation.html"
    bad = "02_sine.html slides/appendix_algorithm.html _static/none.gif ../x.md"
    assert all(leads_somewhere(PAGES / "index.md", link) for link in good.split())
    assert not any(leads_somewhere(PAGES / "index.md", link) for link in bad.split())


def test_links_are_seen_where_they_are():
    text = (
        "[a](b.ipynb) ![c](../d.png \"e\") <img src='f.svg'> `[no](code)`"
        " [out](https://x.y) [here](#top)"
    )
    assert links(text) == ["b.ipynb", "../d.png", "f.svg"]


def test_no_file_names_a_package_registry_or_a_place_on_one_machine():
    words = [
        "pypi" + ".org",
        "python" + "hosted",
        "npm" + "js",
        "conda." + "anaconda",
        "repo." + "anaconda",
        "/" + "root/",
        "/tmp/" + "venv",
        "/" + "work/",
    ]
    found = [
        (short(path), word)
        for path in committed_files()
        for word in words
        if word.encode() in path.read_bytes()
    ]
    assert not found


# ---- colours of words -----------------------------------------------------------
WORDS = {
    "#004488",  # sine
    "#B34700",  # cosine
    "#1F6FA8",  # token
    "#7A5C00",  # position
    "#117733",  # sum
    "#AA3377",  # look here
}


def strange_colours(text):
    """Colours that are not the course's, and commands that set them otherwise."""
    found = set(re.findall(r"#[0-9A-Fa-f]{6}\b", text)) - WORDS
    return sorted(found | set(re.findall(r"\\color\b|color:\s*[a-z]+", text)))


def test_words_and_formulas_wear_the_colours_of_the_pictures():
    assert strange_colours(r"$\color{red} x$, \textcolor{#123456}{x}") == [
        "#123456",
        r"\color",
    ]
    assert strange_colours(r"$\textcolor{#004488}{\sin}$") == []
    found = {short(path): strange_colours(text) for path, text in written()}
    assert {path: colours for path, colours in found.items() if colours} == {}


@pytest.mark.parametrize("colour", sorted(WORDS))
def test_coloured_words_can_be_read_on_white(colour):
    light = np.array([to_rgb(colour), (1, 1, 1)])
    linear = np.where(light > 0.04045, ((light + 0.055) / 1.055) ** 2.4, light / 12.92)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert (luminance[1] + 0.05) / (luminance[0] + 0.05) >= 4.5


# ---- modules --------------------------------------------------------------------
def public(module):
    """The functions that a module defines and offers, by name."""
    return {
        name: thing
        for name, thing in inspect.getmembers(module, inspect.isfunction)
        if thing.__module__ == module.__name__ and not name.startswith("_")
    }


PUBLIC = {**public(utils), **public(explorer)}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_say_what_they_take(name):
    doc = inspect.getdoc(PUBLIC[name]) or ""
    for parameter in inspect.signature(PUBLIC[name]).parameters:
        assert re.search(rf"\b{parameter}", doc), parameter


def test_the_explorer_s_handles_are_documented():
    doc = inspect.getdoc(explorer.Explorer)
    for name in ("draw", "alt", "canvas", "sliders", "start", "sentence", "image"):
        assert re.search(rf"(?m)^{name}\b", doc.replace(", ", "\n")), name
    for name in ("alive", "values", "grid", "label", "paint", "render", "sentence_at"):
        assert getattr(explorer.Explorer, name).__doc__, name


@pytest.mark.parametrize(
    "name",
    [
        "frequencies",
        "positional_encoding",
        "shift_matrix",
        "check",
        "prove",
        "wishes_of",
    ],
)
def test_examples_in_the_documentation_are_true(name, monkeypatch):
    monkeypatch.setattr("utils.display", lambda *shown, **how: None)
    names = {**vars(utils), "sympy": sympy}
    (test,) = doctest.DocTestFinder().find(PUBLIC[name], name, globs=names)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", ["predict", "show", "explore"])
def test_what_a_student_calls_has_an_example(name):
    assert "Examples\n---" in inspect.getdoc(PUBLIC[name])


@pytest.mark.parametrize("name", ["frequencies", "positional_encoding", "shift_matrix"])
def test_the_mathematics_names_its_source_shapes_and_parameters(name):
    doc = inspect.getdoc(getattr(utils, name))
    assert all(
        word in doc
        for word in ("Parameters\n---", "Returns\n---", "shape (", "section 3.5")
    )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem[:2])
def test_every_cell_says_where_it_stands_in_the_deck(notebook):
    kinds = {"slide", "subslide", "fragment", "skip", "notes", "-"}
    for index, cell in enumerate(cells(notebook)):
        assert cell["metadata"].get("slideshow", {}).get("slide_type") in kinds, (
            index,
            source(cell)[:60],
        )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem[:2])
def test_what_is_folded_in_jupyterlab_is_folded_on_colab(notebook):
    for index, cell in enumerate(cells(notebook)):
        folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
        assert folded == (cell["metadata"].get("cellView") == "form"), index


# ---- colours --------------------------------------------------------------------
def lightness(colour):
    """CIE L*, from 0 (black) to 100 (white): what a grey print keeps of a colour."""
    srgb = np.array(to_rgb(colour))
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    Y = linear @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(Y) - 16 if Y > (6 / 29) ** 3 else Y * (29 / 3) ** 3


def test_lightness_runs_from_black_to_white():
    assert [lightness(c) for c in ("#000000", "#777777", "#FFFFFF")] == pytest.approx(
        [0, 50, 100], abs=0.1
    )


@pytest.mark.parametrize(
    "names", [*combinations(["TOKEN", "POSITION", "SUM"], 2), ("SIN", "COS")]
)
def test_colours_differ_in_a_grey_print(names):
    first, second = (lightness(getattr(utils, name)) for name in names)
    assert abs(first - second) >= 10


def test_the_signed_map_gets_lighter_all_the_way():
    values = [
        lightness(colour)
        for colour in mpl.colormaps[utils.SIGNED](np.linspace(0, 1, 65))[:, :3]
    ]
    assert (np.diff(values) > 0).all() and values[-1] - values[0] > 50
