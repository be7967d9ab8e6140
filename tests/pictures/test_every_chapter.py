"""All chapters: sliders at all values, words in pictures, exercises, time."""

import contextlib
import io
import pickle
import random
import re
from itertools import pairwise, product

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from course import draw
from course.explorer import Explorer, Live
from render.frames import for_telephone
from render.narrow import narrow, words_meet
from tests.support.colours import CONTRAST, contrast
from tests.support.reading import Found, same
from tools.chapters import cells, tags

ANYWHERE = 50  # points of the grid at which `update` runs, beside every value alone
PAINTED = 3  # corners, and other points, that are painted
SIZES = (16, 20)  # points: on a slide, 100 pixels an inch, 22 and 28 pixels
SECONDS = 20  # of computing that a chapter may take


# ---- sliders ------------------------------------------------------------------------
def explorers_of(ran):
    """The explorers of a chapter, with the ids of their cells."""
    random.seed(0)
    return [(name, x) for name, x in ran.cell.items() if isinstance(x, Explorer)]


def anywhere(panel, count):
    """Some points of the grid of all sliders."""
    grid = panel.allowed.items()
    return [{name: random.choice(some) for name, some in grid} for _ in range(count)]


def test_sliders_say_something_at_every_value(ran):
    for cell, panel in explorers_of(ran):
        grid = panel.allowed.items()
        alone = [{**panel.start, name: value} for name, some in grid for value in some]
        points = alone + anywhere(panel, ANYWHERE)
        sentences = {panel.live.update(**point) for point in points}
        assert all(sentences), f"cell {cell}: `update` says nothing at some values"
        assert len(sentences) > 1, f"cell {cell}: the sentence is always {sentences}"


def test_every_slider_changes_its_picture(ran):
    for cell, panel in explorers_of(ran):
        for name, values in panel.allowed.items():
            first, *others = ({**panel.start, name: value} for value in values)
            shown = panel.live.render(first)
            changes = any(panel.live.render(point) != shown for point in others)
            assert changes, f"cell {cell}: slider {name} does nothing"


def test_a_picture_is_the_same_on_every_way_there(ran):
    """The same stage on another figure, moved in another order, agrees."""
    for cell, panel in explorers_of(ran):
        ends = product(*((some[0], some[-1]) for some in panel.allowed.values()))
        corners = [dict(zip(panel.allowed, point, strict=True)) for point in ends]
        points = random.sample(corners, min(PAINTED, len(corners)))
        points += anywhere(panel, PAINTED)
        shown = [(point, panel.live.render(point)) for point in points]
        fresh = Live(panel.live.draw)
        fresh.paint(panel.start)  # which settles the layout
        random.shuffle(shown)
        for point, picture in shown:
            is_same = fresh.render(point) == picture  # no list of differing bytes
            why = f"cell {cell}: moving away and back gives another picture at {point}"
            assert is_same, f"{why}; `update` must set all that it changes"
            assert is_whole(fresh.canvas), f"cell {cell}: empty, or cut off, at {point}"


def test_no_artists_pile_up(ran):
    for cell, panel in explorers_of(ran):
        counts = []
        for _ in range(3):
            panel.live.update(**panel.start)
            counts.append(len(panel.live.canvas.figure.findobj()))
        why = f"cell {cell}: each `update` adds artists, create them in `draw`"
        assert len({*counts}) == 1, f"{why}: {counts}"


def is_whole(canvas):
    """Whether something is drawn, and nothing beyond the edge but for 2 pixels."""
    figure = canvas.figure
    drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    beyond = min(*drawn.min, *(figure.bbox.max - drawn.max)) < -2
    return np.ptp(canvas.buffer_rgba()) > 0 and not beyond


# ---- questions ----------------------------------------------------------------------
def test_nothing_moves_when_a_question_is_answered(ran):
    """The picture with the answer has the size and the panels of the one before it."""
    for before, name in pairwise(ran.cell):
        if "Predict: " in ran.said[name]:
            asked, answered = ran.cell[before], ran.cell[name]
            same(answered.get_size_inches(), asked.get_size_inches(), err_msg=name)
            for panel, ax in zip(asked.axes, answered.axes, strict=True):
                place, wanted = (x.get_position().bounds for x in (ax, panel))
                same(place, wanted, atol=1e-3, err_msg=name)
                same(ax.viewLim.bounds, panel.viewLim.bounds, err_msg=name)


# ---- words --------------------------------------------------------------------------
def texts_of(ran):
    """All words that can be seen in pictures, with the ids of their cells."""
    for name, what in ran.cell.items():
        for text in getattr(what, "live", what).canvas.figure.findobj(Text):
            if text.get_text().strip() and text.get_visible():
                yield name, text


def test_words_in_pictures_have_one_of_two_sizes(ran):
    """But for one or two letters that are drawn as a thing, such as a token."""
    for name, text in texts_of(ran):
        size, letters = text.get_fontsize(), re.sub(r"[$_{}\s]", "", text.get_text())
        fits = size in SIZES or (len(letters) <= 2 and size >= 28)
        assert fits, f"cell {name}: “{text.get_text()}” has {size} points, not {SIZES}"


def test_words_in_pictures_are_dark_enough_and_in_their_colours(ran):
    other = {draw.SIN: {"cos"}, draw.COS: {"sin"}, draw.COS_TEXT: {"sin"}}
    for name, text in texts_of(ran):
        words, colour = text.get_text(), text.get_color()
        is_white = colour in ("w", "white", draw.SAND)  # on something dark
        is_dark = is_white or contrast(colour) >= CONTRAST
        assert is_dark, f"cell {name}: “{words}” in {colour} is too pale on white"
        waves = set(re.findall("cos|sin", words.replace("cosine", "cos")))
        is_own = waves != other.get(colour)
        assert is_own, f"cell {name}: “{words}” has the colour of the other wave"


@pytest.mark.filterwarnings("ignore:Pickle, copy:DeprecationWarning")  # of cyclers
def test_words_do_not_meet_on_a_telephone(ran):
    for name, what in ran.cell.items():
        if isinstance(what, Explorer):
            live = Live(for_telephone(what.live.draw, what.start))
            live.paint(what.start)
            figure = live.canvas.figure
        else:
            figure = pickle.loads(pickle.dumps(what))  # the others stay as they are
            FigureCanvasAgg(figure)
            narrow(figure)
        meet = words_meet(figure)
        assert not meet, f"cell {name}: words meet in the shape for a telephone"


# ---- exercises ----------------------------------------------------------------------
def exercises(path):
    """What is to be tried: (cell, answer, check, first words of the reply)."""
    code = cells(path)
    for i, cell in enumerate(code):
        if "exercise" in tags(cell):
            below = [(tag, c.source) for c in code[i + 1 : i + 4] for tag in tags(c)]
            part = Found(f"cell after {cell.id}", below)
            check = part["check"]
            (right,) = re.findall(r"```python\n(.*?)```", part["solution"], re.DOTALL)
            wrong = cell.metadata.get("wrong", [])
            assert wrong, f"{cell.id}: add wrong answers, notebooks/README.md#metadata"
            yield cell.id, cell.source, check, "Your turn."
            for answer in wrong:
                yield cell.id, answer, check, "Not yet. "
            yield cell.id, right, check, "Correct: "


def test_exercises_hint_refuse_and_accept(path, ran, monkeypatch):
    monkeypatch.setattr("course.questions.display", lambda *_, **__: None)  # the hint
    names = dict(ran.names)
    for cell, answer, check, wanted in exercises(path):
        with contextlib.redirect_stdout(io.StringIO()) as reply:
            exec(answer, names)
            exec(check, names)
        said = reply.getvalue()
        fits = said.startswith(wanted) and said.count("\n") == 1
        assert fits, f"cell {cell}: {answer}\nis answered by: {said}wanted: {wanted}"


def test_a_chapter_takes_20_seconds_of_computing_at_most(ran):
    assert ran.seconds < SECONDS
