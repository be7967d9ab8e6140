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
from tests.support.reading import same
from tools.chapters import cells, tags

ANYWHERE = 50  # points of the grid at which `update` runs, beside every value alone
PAINTED = 3  # corners, and other points, that are painted
LETTERS = 16  # points, at least: on a slide, 100 pixels an inch, these are 22 pixels
SIZES = (LETTERS, 20)
SECONDS = 20  # of computing that a chapter may take


def panels_of(ran):
    return [what for what in ran.cell.values() if isinstance(what, Explorer)]


# ---- sliders ------------------------------------------------------------------------
@pytest.fixture
def seed():
    random.seed(0)


def points_of(panel):
    """Every value alone, and some points of the grid."""
    grid = panel.allowed
    alone = [{**panel.start, name: v} for name, some in grid.items() for v in some]
    return alone, [
        {name: random.choice(some) for name, some in grid.items()}
        for _ in range(ANYWHERE)
    ]


def test_sliders_say_something_at_every_value(ran, seed):
    for panel in panels_of(ran):
        alone, anywhere = points_of(panel)
        sentences = {panel.live.update(**point) for point in alone + anywhere}
        assert "" not in sentences and len(sentences) > 1, panel.alt


def test_every_slider_changes_its_picture(ran):
    for panel in panels_of(ran):
        for name, values in panel.allowed.items():
            first, *others = ({**panel.start, name: value} for value in values)
            shown = panel.live.render(first)
            changes = any(panel.live.render(point) != shown for point in others)
            assert changes, f"slider {name} does nothing"


def test_a_picture_is_the_same_on_every_way_there(ran, seed):
    """The same stage on another figure, moved in another order, agrees."""
    for panel in panels_of(ran):
        ends = [(values[0], values[-1]) for values in panel.allowed.values()]
        corners = [
            dict(zip(panel.allowed, point, strict=True)) for point in product(*ends)
        ]
        chosen = random.sample(corners, min(PAINTED, len(corners)))
        chosen += random.sample(points_of(panel)[1], PAINTED)
        shown = []
        for point in chosen:
            shown.append((point, panel.live.render(point)))
            assert np.ptp(panel.live.canvas.buffer_rgba()), f"nothing at {point}"
            assert stays_within(panel.live.canvas.figure), f"cut off at {point}"
        fresh = Live(panel.live.draw)
        fresh.paint(panel.start)  # which settles the layout
        random.shuffle(shown)
        for point, picture in shown:
            is_same = fresh.render(point) == picture  # no list of differing bytes
            assert is_same, f"the picture at {point} depends on the way there"


def stays_within(figure):
    drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    return min(*drawn.min, *(figure.bbox.max - drawn.max)) >= -2  # pixels


# ---- questions ----------------------------------------------------------------------
def test_nothing_moves_when_a_question_is_answered(ran):
    """The picture with the answer has the size and the panels of the one before it."""
    for before, name in pairwise(ran.cell):
        if "Predict: " in ran.said[name]:
            asked, answered = ran.cell[before], ran.cell[name]
            same(answered.get_size_inches(), asked.get_size_inches())
            for panel, ax in zip(asked.axes, answered.axes, strict=True):
                same(ax.get_position().bounds, panel.get_position().bounds, atol=1e-3)
                same(ax.viewLim.bounds, panel.viewLim.bounds)


# ---- words --------------------------------------------------------------------------
def test_words_in_pictures_have_one_of_two_sizes(ran):
    """But for one or two letters that are drawn as a thing, such as a token."""
    for name, what in ran.cell.items():
        for text in getattr(what, "live", what).canvas.figure.findobj(Text):
            letters = re.sub(r"[$_{}\s]", "", text.get_text())
            if letters and text.get_visible() and text.get_fontsize() not in SIZES:
                is_thing = len(letters) <= 2 and text.get_fontsize() >= 28
                assert is_thing, (name, text, text.get_fontsize())


def test_words_in_pictures_are_large_and_dark_enough(ran):
    for name, what in ran.cell.items():
        figure = getattr(what, "live", what).canvas.figure
        for text in figure.findobj(Text):
            if text.get_text() and text.get_visible():
                assert text.get_fontsize() >= LETTERS, (name, text)
                colour = text.get_color()
                on_dark = colour in ("w", "white", draw.SAND)
                on_white = on_dark or contrast(colour) >= CONTRAST
                assert on_white, (name, text, colour)
                other = {draw.SIN: "cos", draw.COS: "sin", draw.COS_TEXT: "sin"}
                words = text.get_text().replace("cosine", "cos")
                is_both = "sin" in words and "cos" in words
                assert is_both or other.get(colour, " none ") not in words, (name, text)


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
        assert not words_meet(figure), name


# ---- exercises ----------------------------------------------------------------------
def exercises(path):
    """What is to be tried, as (answer, check, first words of the reply)."""
    code = cells(path)
    for i, cell in enumerate(code):
        if "exercise" in tags(cell):
            below = {tag: c for c in code[i + 1 : i + 4] for tag in tags(c)}
            check, solution = below["check"].source, below["solution"].source
            (right,) = re.findall(r"```python\n(.*?)```", solution, re.DOTALL)
            yield cell.source, check, "Your turn."
            for wrong in cell.metadata["wrong"]:
                yield wrong, check, "Not yet. "
            yield right, check, "Correct: "


def test_exercises_hint_refuse_and_accept(path, ran, monkeypatch):
    monkeypatch.setattr(
        "course.questions.display", lambda *data, **how: None
    )  # the hint
    names = dict(ran.names)
    for answer, check, wanted in exercises(path):
        with contextlib.redirect_stdout(io.StringIO()) as reply:
            exec(answer, names)
            exec(check, names)
        assert reply.getvalue().startswith(wanted), answer
        assert reply.getvalue().count("\n") == 1, answer


def test_a_chapter_takes_20_seconds_of_computing_at_most(ran):
    assert ran.seconds < SECONDS
