"""The page for lecturers fits the decks: minutes, slides, sliders and their values."""

import ast
import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from chapters import DECKS, NOTEBOOKS, title

PAGE = NOTEBOOKS.parent / "book" / "pages" / "lecturers.md"
EACH_DECK = pytest.mark.parametrize("deck", DECKS, ids=lambda path: path.stem)


SETTING = re.compile(r"`(\w+) = ([^`]+)`")  # a slider's name and a value


# ---- the page -------------------------------------------------------------------
def sections():
    """The plan of each chapter, by the chapter's number and name."""
    parts = re.split(r"(?m)^## Chapter (.*)\n", PAGE.read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(deck):
    """The rows of a chapter's table: minutes, slides, what happens, what to drag."""
    lines = re.findall(r"(?m)^\| (\d.*) \|$", sections()[title(deck)])
    cells = [line.split(" | ") for line in lines]
    assert all(len(row) == 4 for row in cells), "a row has four cells"
    return [(int(time), numbers(slides), drag) for time, slides, _, drag in cells]


def numbers(text):
    """The numbers of `1–3, 7`, in their order."""
    found = []
    for part in text.split(", "):
        first, _, last = part.partition("–")
        found += range(int(first), int(last or first) + 1)
    return found


def dragged(cell):
    """Each explorer in a cell: its name, its slide, what is said of it."""
    return re.findall(r"\*([^*]+)\* \((\d+)\)((?:(?!\*[^*]+\* \().)*)", cell)


# ---- the decks ------------------------------------------------------------------
@dataclass
class Slide:
    heading: str
    calls: list = field(default_factory=list)  # of explore, as syntax trees


def plain(heading):
    return re.sub(r"[`$]", "", heading)


def calls_of_explore(tree):
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explore"
    ]


def chapter(deck):
    """The slides of a chapter's deck, and the trees of all its code."""
    slides, trees, heading = [], [], ""
    for cell in json.loads(deck.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        kind = cell["metadata"].get("slideshow", {}).get("slide_type", "-")
        shown = kind not in ("skip", "notes")
        own = re.search(r"(?m)^#+ (.*)", source)
        if cell["cell_type"] == "markdown" and shown and own:
            heading = plain(own[1])
        if kind in ("slide", "subslide"):
            slides.append(Slide(heading))
        if cell["cell_type"] == "code":
            trees.append(ast.parse(source))
            if shown and slides:
                slides[-1].calls += calls_of_explore(trees[-1])
    return slides, trees


class Unknown(ValueError):
    """A control whose values only a kernel knows."""


def listed(node, trees):
    """What a control that is written down as `node` may be set to."""
    match node:
        case ast.Name(name):
            return listed(assigned(name, trees), trees)
        case ast.Tuple() if len(node.elts) == 3:
            low, high, step = map(ast.literal_eval, node.elts)
            return list(np.arange(low, high + step / 2, step).round(9))
        case ast.List() | ast.Tuple() | ast.Dict():
            return members(node, trees)
        case ast.Call(func=ast.Name("range"), args=args):
            return list(range(*map(ast.literal_eval, args)))
        case ast.Call(func=ast.Name("list"), args=[ast.Constant(text)]):
            return list(text)
        case ast.Call(func=ast.Name("list"), args=[ast.Name(name)]):
            return members(assigned(name, trees), trees)
    raise Unknown(ast.unparse(node))


def members(node, trees):
    """What stands in a list, in a tuple, or as a key in a dictionary."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Dict):
        raise Unknown(ast.unparse(node))
    found = []
    for item in node.keys if isinstance(node, ast.Dict) else node.elts:
        if isinstance(item, ast.Starred):
            found += listed(item.value, trees)
        else:
            found.append(constant(item, trees))
    return found


def constant(node, trees):
    if isinstance(node, ast.Name):
        node = assigned(node.id, trees)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise Unknown(ast.unparse(node)) from None


def assigned(name, trees):
    """What stands at the right of the only `name = …` of a chapter."""
    found = [
        node.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign)
        and [getattr(target, "id", "") for target in node.targets] == [name]
    ]
    grown = {
        node.value.id
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
    if len(found) != 1 or name in grown:
        raise Unknown(name)
    return found[0]


def squeezed(text):
    return re.sub(r"[\s\"']", "", text).replace("−", "-")


def written(value, trees):
    """Whether a value stands in the code of a chapter, or an f-string fits it."""
    patterns = [
        "".join(
            re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
            for part in node.values
        )
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[-1], ast.Constant)
    ]
    return squeezed(value) in squeezed("\n".join(map(ast.unparse, trees))) or any(
        re.fullmatch(pattern, value) for pattern in patterns
    )


def fits(value, call, slider, trees):
    """Whether a slider of the deck has a value."""
    controls = {word.arg: word.value for word in call.keywords}
    node = controls[slider]
    if export := controls.get("export"):
        names = [key.value for key in export.keys]
        node = dict(zip(names, export.values, strict=True)).get(slider, node)
    try:
        allowed = listed(node, trees)
    except Unknown:
        return written(value, trees)
    try:
        return float(value) in [one for one in allowed if not isinstance(one, str)]
    except ValueError:
        return value in allowed


# ---- tests ----------------------------------------------------------------------
def test_every_chapter_has_its_plan_in_order():
    assert list(sections()) == [title(deck) for deck in DECKS]
    for deck in DECKS:
        section = sections()[title(deck)]
        assert f'<a href="slides/{deck.stem}.html">' in section
        assert f'<a href="slides/{deck.stem}.html" download>' in section
        assert f"]({deck.name})" in section


@EACH_DECK
def test_minutes_are_those_of_a_lecture(deck):
    minutes = [time for time, _, _ in rows(deck)]
    assert 4 <= len(minutes) <= 7
    assert sum(minutes) == 45


@EACH_DECK
def test_every_slide_has_its_place(deck):
    planned = [number for _, slides, _ in rows(deck) for number in slides]
    assert planned == list(range(1, len(chapter(deck)[0]) + 1))


def short_form(deck):
    """What is kept in 20 minutes, how long each part takes, and what is left out."""
    [(keep, leave)] = re.findall(
        r"(?m)^\*\*In 20 minutes\.\*\* Keep ([^.]+)\. Leave out ([\d–, ]+)\. \w",
        sections()[title(deck)],
    )
    times = re.findall(r" \((\d+) min\)", keep)
    parts = re.split(r" \(\d+ min\)(?:, |$)", keep)
    assert parts.pop() == "" and len(parts) == len(times), "each part has its minutes"
    return numbers(", ".join(parts)), list(map(int, times)), numbers(leave)


@EACH_DECK
def test_twenty_minutes_keep_or_leave_out_every_slide(deck):
    keep, times, leave = short_form(deck)
    assert sorted(keep + leave) == list(range(1, len(chapter(deck)[0]) + 1))
    assert sum(times) == 20


@EACH_DECK
def test_who_is_late_leaves_out_ten_minutes_that_nothing_needs(deck):
    pattern = r"(?m)^\*\*Ten minutes late\?\*\* Leave out ([\d–, and]+)\.$"
    [late] = re.findall(pattern, sections()[title(deck)])
    late = set(numbers(late.replace(" and ", ", ")))
    assert late <= set(short_form(deck)[2])
    saved = sum(
        time * len(late & set(slides)) / len(slides) for time, slides, _ in rows(deck)
    )
    assert 8 <= saved <= 12


@EACH_DECK
def test_what_comes_before_and_after_exists(deck):
    pattern = (
        r"(?m)^\*\*Before and after\.\*\* The class should know (.+)\."
        r" Set exercise (\d+\.\d)(?=\D)(.+)\.$"
    )
    [(before, exercise, after)] = re.findall(pattern, sections()[title(deck)])
    for group in re.findall(r"chapters? ([\d, andto]+)", before):
        assert all(int(n) < int(deck.stem[:2]) for n in re.findall(r"\d+", group))
    cells = json.loads(deck.read_text("utf-8"))["cells"]
    headings = {"".join(cell["source"]).partition("\n")[0] for cell in cells}
    for number in (exercise, *re.findall(r"\d+\.\d", after)):
        assert f"### Exercise {number}" in headings


@EACH_DECK
def test_every_explorer_is_dragged_to_values_that_it_has(deck):
    slides, trees = chapter(deck)
    seen = []
    checked = 0
    for _, in_row, cell in rows(deck):
        for name, number, words in dragged(cell):
            number = int(number)
            assert number in in_row, f"{name} is not in this row"
            slide = slides[number - 1]
            assert slide.heading.startswith(name), f"slide {number}: {slide.heading}"
            settings = SETTING.findall(words)
            assert settings, f"nothing to drag on slide {number}"
            for slider, value in settings:
                [call] = slide.calls
                assert slider in {word.arg for word in call.keywords}
                assert fits(value, call, slider, trees), f"{slider} is never {value}"
            seen.append(number)
            checked += len(settings)
    assert seen == [number for number, slide in enumerate(slides, 1) if slide.calls]
    assert checked == len(SETTING.findall(sections()[title(deck)])), "one elsewhere"


@EACH_DECK
def test_what_an_answer_points_at_exists(deck):
    section = sections()[title(deck)]
    for label in ("The peak.", "In 20 minutes.", "They will ask."):
        assert len(re.findall(rf"(?m)^\*\*{label}\*\* \S", section)) == 1
    last = len(chapter(deck)[0])
    for group in re.findall(r"slides? (\d+(?:(?: and| to|,) \d+)*)", section):
        assert all(1 <= int(number) <= last for number in re.findall(r"\d+", group))
    cells = json.loads(deck.read_text("utf-8"))["cells"]
    headings = re.findall(
        r"(?m)^#+ (.*)", "\n".join("".join(cell["source"]) for cell in cells)
    )
    for heading in re.findall(r'notebook, "([^"]+)"', section):
        assert heading in headings


# ---- votes ----------------------------------------------------------------------
ORDINALS = ("first", "second", "third", "fourth")
VOTE = re.compile(
    r"<details><summary>For the lecturer</summary>\n\n"
    r"(\*\*Right: the (\w+)\.\*\* .+)\n\n</details>"
)


def votes(cells):
    """Each question of a deck: which answer is right, and the cell behind it."""
    for cell, behind in zip(cells, cells[1:]):
        source = "".join(cell["source"])
        shown = cell["metadata"]["slideshow"]["slide_type"] != "skip"
        if cell["cell_type"] == "code" and shown and "predict(" in source:
            pages = ["".join(o["data"]["text/html"]) for o in cell["outputs"]]
            verdicts = re.findall(r"<b>(Yes|Not this one)\.</b>", "".join(pages))
            yield ORDINALS[verdicts.index("Yes")], behind


def ill_noted(cells):
    """Notes below a question that are missing, too short or long, or wrong."""
    for right, note in votes(cells):
        found = VOTE.fullmatch("".join(note["source"]))
        if note["metadata"]["slideshow"]["slide_type"] != "notes" or not found:
            yield "no note"
        elif found[2] != right or not 20 <= len(found[1].split()) <= 50:
            yield found[1]


@EACH_DECK
def test_a_lecturer_knows_the_answer_to_each_vote(deck):
    cells = json.loads(deck.read_text("utf-8"))["cells"]
    assert len(list(votes(cells))) >= 3
    assert list(ill_noted(cells)) == []


def test_a_vote_whose_note_is_missing_or_wrong_is_seen():
    cells = json.loads(DECKS[0].read_text("utf-8"))["cells"]
    (_, first), (_, second), _ = votes(cells)
    first["source"] = "".join(first["source"]).replace("the second.", "the third.")
    cells.remove(second)
    assert [fault[:16] for fault in ill_noted(cells)] == ["**Right: the thi", "no note"]
