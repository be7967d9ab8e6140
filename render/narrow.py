"""A picture in the shape of a telephone: one rule for all, that no chapter knows of."""

from itertools import combinations

import numpy as np
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

WIDTH = 3.6  # inches: the page of a telephone, at 100 pixels an inch
WIDER = (4.5, 5.3)  # inches: where words would meet, the page scrolls the picture
HIGHEST, WITH_SLIDERS = 7, 4  # inches: a picture alone, or seen with its sliders
DPI = 160  # its screen has more of them
LETTERS, SMALLEST = 0.58, 8.2  # share of the size in the wide shape; points, at least
LINES = 0.65
GAP, CORNER = 2, 30  # pixels beside words; what two may share, as names that move


def narrow(figure, highest=HIGHEST):
    """Bring a figure into this shape: panels below each other, small letters."""
    figure.set_dpi(DPI)
    wide, high = figure.get_size_inches()
    beside = stack(figure)
    make_small(figure)
    for width in (WIDTH, *WIDER):
        if beside and width == WIDER[-1]:  # side by side again, at the widest
            while beside:
                ax, spec = beside.popitem()
                ax.set_subplotspec(spec)
        if not beside:
            figure.set_figheight(max(1.1 * high * width / wide, min(high, 3.2) / 1.3))
        figure.set_size_inches(width, min(figure.get_figheight(), highest))
        if not words_meet(figure):
            break


def make_small(figure):
    """Make letters, lines and marks of a figure small."""
    for text in figure.findobj(Text):
        text.set_fontsize(max(LETTERS * text.get_fontsize(), SMALLEST))
    for ax in figure.axes:
        ax.tick_params(labelsize=SMALLEST + 0.5)
        ax.title.set_wrap(True)
    for line in figure.findobj(Line2D):
        line.set_markersize(LETTERS * line.get_markersize())
    for drawn in figure.findobj(lambda artist: isinstance(artist, (Line2D, Patch))):
        drawn.set_linewidth(LINES * drawn.get_linewidth())
    for note in figure.findobj(Annotation):
        if note.anncoords == "offset points":
            note.xyann = tuple(LETTERS * offset for offset in note.xyann)
    for text in figure.texts:
        text.set_wrap(text.get_text() == figure.get_suptitle())


def words_meet(figure):
    """Whether words of a figure touch each other, or leave it."""
    figure.draw_without_rendering()
    boxes = [box_of_letters(text) for text in words_of(figure)]
    left, bottom = np.min([box.min for box in boxes], axis=0, initial=0)
    right, top = np.max([box.max for box in boxes], axis=0, initial=0)
    beyond = max(-left, -bottom, right - figure.bbox.width, top - figure.bbox.height)
    shared = (Bbox.intersection(*pair) for pair in combinations(boxes, 2))
    met = any(box.width * box.height > CORNER for box in shared if box)
    return met or beyond > 2 * GAP


def words_of(figure):
    """The texts that can be seen, turned ones left out."""
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if not ax.axison:
                hidden.add(axis.label)
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                hidden.add(tick.label2)
                if not ax.axison or not low <= tick.get_loc() <= high:
                    hidden.add(tick.label1)
    for text in figure.findobj(Text):
        is_level = text.get_rotation() % 90 == 0
        is_seen = text.get_visible() and text.get_text().strip()
        if is_level and is_seen and text not in hidden:
            yield text


def box_of_letters(text):
    """The box of a text with a gap at its sides, without the room above and below."""
    box = text.get_window_extent()
    room = 0.2 * box.height
    return Bbox([(box.x0 - GAP, box.y0 + room), (box.x1 + GAP, box.y1 - room)])


def stack(figure):
    """Put panels that stand side by side below each other, in one column or two.

    Returns where each panel stood; nothing where all stay.
    """
    specs = {ax: ax.get_subplotspec() for ax in figure.axes}
    grids = {spec and spec.get_gridspec() for spec in specs.values()}
    grid = grids.pop() if grids else None
    if grids or grid is None or len(specs) != grid.nrows * grid.ncols:
        return {}  # a colour bar, a mosaic, a panel over another, no panel
    heights = figure.axes[0].get_shared_y_axes()
    if len(specs) == 3 and all(heights.joined(figure.axes[0], ax) for ax in specs):
        return {}  # three that are to be compared
    columns = 1 if grid.nrows == 1 and grid.ncols <= 3 else 2
    if grid.ncols <= columns:
        return {}
    wide, high = figure.get_size_inches()
    shares = np.array(grid.get_width_ratios() or [1] * grid.ncols)
    widths = np.tile(wide * shares / shares.sum(), grid.nrows)
    scales = np.minimum(1, WIDTH / columns / widths)
    firsts = range(0, len(scales), columns)
    heights = high / grid.nrows * np.maximum.reduceat(scales, firsts)
    figure.set_figheight(heights.sum())
    below = GridSpec(len(heights), columns, figure=figure, height_ratios=heights)
    for ax, spec in specs.items():
        ax.set_subplotspec(below[divmod(spec.num1, columns)])
    return specs
