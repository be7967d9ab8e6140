"""Runs in a chapter's kernel: does every slider answer, is every picture right?"""

import random
import sys
import warnings
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.text import Text

import explorer
from tools.frames import this_cell

ANYWHERE = 50  # points of the grid at which `update` runs, beside every value alone
PAINTED = 3  # corners, and other points, that are painted
letters = set()  # sizes of the letters in every picture, in points
QUIETLY = ["--noconftest", "-p", "no:terminal", "--override-ini", "addopts="]
seen = {}  # the number of a cell → what it showed, a figure or an explorer


def notice(figure):
    texts = (text for text in figure.findobj(Text) if text.get_text())
    letters.update(text.get_fontsize() for text in texts if text.get_visible())


def watch():
    """From now on, keep what cells show and explore."""
    show, explore = explorer.show, explorer.explore

    def show_and_keep(fig, alt):
        show(fig, alt)  # only now have the ticks their labels
        notice(fig)
        seen.setdefault(this_cell(), fig)

    def explore_and_keep(*arguments, **controls):
        panel = explore(*arguments, **controls)
        panel.canvas = panel.live.canvas  # tests of pictures ask for these two often
        panel.sentence_at = panel.live.sentence_at
        seen.setdefault(this_cell(), panel)
        return panel

    explorer.show, explorer.explore = show_and_keep, explore_and_keep


def complaints(tests, cells):
    """What each test of a file complains of, or "": {its name: a traceback}.

    Each gets the chapter: its names; `cell`, the figure or the explorer that the cell
    of an id shows; and `said`, the words that it puts out. `cells` are the ids of the
    cells that ran, in their order, with their words.
    """
    ran = {number: name for number, (name, _) in enumerate(cells, 1)}  # tests ran later
    shown = {ran[number]: what for number, what in seen.items() if number in ran}
    names = vars(sys.modules["__main__"])
    picture_tests = PictureTests({**names, "cell": shown, "said": dict(cells)})
    ended = pytest.main([*QUIETLY, tests], plugins=[picture_tests])
    assert ended <= pytest.ExitCode.INTERRUPTED, f"pytest itself failed: {ended}"
    return picture_tests.faults


class Asked(dict):
    """A dictionary that keeps the names it was asked for."""

    def __init__(self, values):
        super().__init__(values)
        self.asked = set()

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)


class PictureTests:
    """What pytest asks of a plugin: the fixture `chapter`, and an ear for reports."""

    def __init__(self, names):
        self.names = names | {kind: Asked(names[kind]) for kind in ("cell", "said")}
        self.faults = {}

    @pytest.fixture
    def chapter(self):
        return SimpleNamespace(**self.names)

    def pytest_collectreport(self, report):
        if report.failed:
            self.faults[report.nodeid] = report.longreprtext

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.partition("::")[2]
        self.faults[name] = self.faults.get(name, "") + report.longreprtext

    def pytest_sessionfinish(self):
        """Each picture must be asked for, unless a test failed and asked for less."""
        asked = self.names["cell"].asked | self.names["said"].asked
        unread = [name for name in self.names["cell"] if name not in asked]
        if unread and not any(self.faults.values()):
            self.faults["pictures"] = f"no test looks at: {', '.join(unread)}"


def smallest_letter():
    return min(letters)


def probe():
    """Move every explorer of this kernel over its grid; what is wrong with each."""
    warnings.simplefilter("error", UserWarning)  # what would be printed into the page
    return [fault_of(panel) for panel in explorer.Explorer.alive().values()]


def fault_of(panel):
    """The first thing that is wrong with an explorer, as a sentence, or ""."""
    random.seed(0)
    grid = panel.grid()
    alone = [{**panel.start, name: v} for name, some in grid.items() for v in some]
    points = [{n: random.choice(v) for n, v in grid.items()} for _ in range(ANYWHERE)]
    try:
        says_something_everywhere(panel, alone + points)
        every_slider_changes_the_picture(panel, grid)
        paints_the_same_on_every_way(panel, grid, points)
    except AssertionError as fault:
        return f"{panel.alt} {fault}"
    return ""


def at(point, do):
    """What `do` returns at a point of the grid; an error tells of the point."""
    try:
        return do(point)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} at {point}: {error}") from error


def says_something_everywhere(panel, points):
    """`update` runs at these points, and its sentence changes with the values."""
    sentences = {at(point, panel.live.sentence_at) for point in points}
    assert "" not in sentences, "update returns no sentence"
    assert len(sentences) > 1, "the sentence never changes"


def every_slider_changes_the_picture(panel, grid):
    for name, values in grid.items():
        first, *others = ({**panel.start, name: value} for value in values)
        shown = at(first, panel.live.render)
        changes = any(at(point, panel.live.render) != shown for point in others)
        assert changes, f"slider {name} does nothing"


def paints_the_same_on_every_way(panel, grid, points):
    """The same stage on another figure, moved in another order, agrees."""
    ends = [(values[0], values[-1]) for values in grid.values()]
    corners = [dict(zip(grid, point)) for point in product(*ends)]
    chosen = [
        *random.sample(corners, min(PAINTED, len(corners))),
        *random.sample(points, min(PAINTED, len(points))),
    ]
    shown = []
    for point in chosen:
        shown.append((point, at(point, panel.live.render)))
        assert np.ptp(panel.live.canvas.buffer_rgba()), f"nothing is drawn at {point}"
        assert stays_within(panel.live.canvas.figure), (
            f"{point}: something lies outside"
        )
    fresh = explorer.Live(panel.live.draw)
    fresh.paint(panel.start)  # which settles the layout
    random.shuffle(shown)
    for point, picture in shown:
        same = at(point, fresh.render) == picture
        assert same, f"the picture at {point} depends on the way there"
    notice(fresh.canvas.figure)


def stays_within(figure):
    drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    return min(*drawn.min, *(figure.bbox.max - drawn.max)) >= -2  # pixels
