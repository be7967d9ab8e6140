"""How a picture is painted again in milliseconds, by `Painter`."""

import copy
from itertools import combinations

import numpy as np
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

MOST_STAMPS = 2000  # of words; a table of numbers needs some hundred


class Painter:
    """Paints a figure again and again, mostly in less time than a full redraw takes.

    If a change does not show, set `ax.stale = True` beside it: matplotlib does not
    report all, as whether a line of the grid is visible.

    **What is kept.** The layout, from the first `paint` on. The pixels of the
    background: the ground, ticks, grid and labels of all axes; at each step it is put
    back, and all else is drawn over it. Of words and of legends a stamp, which is put
    wherever the same words stand again. To keep the background is what every blit does,
    and for one wave that is all there is to gain. The stamps pay where there are many
    words, as in a table of numbers. `make bench` measures both.

    **What is not as in a full redraw.** A picture covers the grid of its axes, as the
    background lies below all artists. What belongs to the figure lies above all axes.
    Words begin at whole pixels, and where they are half transparent, as at the edges of
    letters, a colour may be rounded otherwise, by a few of 255. Artists stay animated:
    a later `canvas.draw()` leaves them out.

    **What is redrawn in full.** A figure with figures inside of it, with something of
    its own below its axes, or with a ground that is not solid; one whose axes are no
    flat rectangles, lie inside of others, or overlap.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.

    Examples
    --------
    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> canvas = FigureCanvasAgg(Figure())
    >>> (line,) = canvas.figure.subplots().plot([0, 1])
    >>> painter = Painter(canvas)
    >>> painter.paint()
    >>> line.set_ydata([1, 0])
    >>> painter.paint()  # the axes are still there, only the line is drawn
    """

    def __init__(self, canvas):
        self.canvas = canvas
        self._has_layout = False
        self._is_unusual = False
        self._background = None
        self._page = None  # where stamps are made
        self._words = {}  # what makes words look as they do → their stamp
        self._legends = {}  # legend → its stamp

    def paint(self):
        """Bring the pixels of the canvas up to date."""
        figure = self.canvas.figure
        self._settle()
        parts = [*_parts_of_background(figure)]
        is_stale = figure.stale or any(part.stale for part in parts)
        if is_stale:
            self._is_unusual = _is_unusual(figure)
        if self._is_unusual:
            self._redraw()
            return
        artists = self._artists()
        if is_stale:
            self._draw_background(artists)
            for part in parts:
                part.stale = False  # also what is not visible
        self.canvas.restore_region(self._background)
        for owner, artist in artists:
            if _is_plain_text(artist):
                self._put_words(owner, artist)
            elif _is_fixed_legend(artist):
                self._put_legend(artist)
            else:
                owner.draw_artist(artist)
        figure.stale = False  # to draw a legend has called it stale again

    def _settle(self):
        """Find the layout, once, so that nothing jumps, and limits that are open."""
        figure = self.canvas.figure
        if not self._has_layout:
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            figure.stale = True  # there is no background yet
            self._has_layout = True
        for ax in figure.axes:
            ax.get_xlim()  # settles limits that autoscale() left open, and says so

    def _redraw(self):
        """Let matplotlib draw all of the figure."""
        for artist in self.canvas.figure.findobj():
            artist.set_animated(False)
        self.canvas.draw()
        self.canvas.figure.stale = True  # there is no background

    def _artists(self):
        """What is drawn over the background, with its owner, in drawing order."""
        figure, found = self.canvas.figure, []
        for owner in (*sorted(figure.axes, key=lambda ax: ax.zorder), figure):
            if not owner.get_visible():
                continue
            left_out = [owner.patch, *figure.axes]
            if owner is not figure and not (owner.axison and owner.get_frame_on()):
                left_out += owner.spines.values()
            for artist in sorted(owner.get_children(), key=lambda a: a.zorder):
                if artist not in left_out and not isinstance(artist, Axis):
                    found.append((owner, artist))
        return found

    def _draw_background(self, artists):
        """Draw and keep the axes without the artists."""
        # The canvas leaves out what is animated, and when such an artist changes,
        # matplotlib does not call the figure stale.
        for _, artist in artists:
            for part in artist.findobj():
                part.set_animated(True)
        self.canvas.draw()
        self._background = self.canvas.copy_from_bbox(self.canvas.figure.bbox)
        size = self.canvas.get_width_height()
        self._page = RendererAgg(*size, self.canvas.figure.dpi)
        self._legends.clear()  # they may stand elsewhere now

    def _put_words(self, owner, text):
        """Put the stamp of a text where the text stands, at whole pixels."""
        if not text.get_visible() or not text.get_text():
            return
        x, y = text.get_transform().transform(text.get_unitless_position())
        if not np.isfinite(x + y):
            return
        looks = _looks_of(text)
        if looks not in self._words:
            if len(self._words) >= MOST_STAMPS:
                del self._words[next(iter(self._words))]  # the oldest
            self._words[looks] = self._stamp_of_words(text)
        if self._words[looks] is None:
            owner.draw_artist(text)
        else:
            left, bottom, stamp = self._words[looks]
            self._put(round(x) + left, round(y) + bottom, stamp)

    def _stamp_of_words(self, text):
        """Where a text begins, seen from its anchor, its pixels; None if too wide."""
        alone = copy.copy(text)
        alone.set_transform(IdentityTransform())
        alone.set_position((0, 0))
        extent = alone.get_window_extent(self._page)
        left, bottom = np.floor(extent.min).astype(int) - 3
        if any(extent.max + 3 > (self._page.width + left, self._page.height + bottom)):
            return None
        alone.set_position((-left, -bottom))
        return self._stamp_of(alone, left, bottom)

    def _put_legend(self, legend):
        """Put the stamp of a legend, a new one if something in it has changed."""
        parts = legend.findobj()
        if legend not in self._legends or any(part.stale for part in parts):
            self._legends[legend] = self._stamp_of(legend)
            for part in parts:
                part.stale = False  # also what is not visible
        self._put(*self._legends[legend])

    def _stamp_of(self, artist, left=0, bottom=0):
        """Where the pixels of an artist begin, and the pixels, without empty margins.

        The artist stands on a page that begins at `left` and `bottom`.
        """
        self._page.clear()
        artist.draw(self._page)
        page = np.asarray(self._page.buffer_rgba())
        rows = np.flatnonzero(page[..., 3].any(axis=1))
        columns = np.flatnonzero(page[..., 3].any(axis=0))
        if not len(rows):
            return left, bottom, page[:0].copy()
        left, bottom = left + columns[0], bottom + len(page) - 1 - rows[-1]
        used = page[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return left, bottom, used.copy()

    def _put(self, left, bottom, stamp):
        """Lay a stamp over the canvas; what lies beyond the canvas is lost."""
        pixels = np.asarray(self.canvas.buffer_rgba())
        top = len(pixels) - bottom - len(stamp)  # the rows of pixels begin at the top
        stamp = stamp[max(0, -top) :, max(0, -left) :]  # cut off above and at the left
        height, width = stamp.shape[:2]
        below = pixels[max(0, top) :, max(0, left) :][:height, :width, :3]
        stamp = stamp[: below.shape[0], : below.shape[1]]  # below and at the right
        density = stamp[..., 3:] / np.float32(255)
        mixed = below + (stamp[..., :3] - below.astype("float32")) * density
        below[:] = mixed + 0.5  # to whole numbers, rounded


def _parts_of_background(figure):
    """Grounds and labels of axes: to change one does not make the figure stale."""
    for ax in figure.axes:
        yield from (ax.patch, ax.xaxis.label, ax.yaxis.label)


def _is_unusual(figure):
    """Whether a figure is one of those that are redrawn in full."""
    below = [part for part in figure.get_children() if part.zorder < 0]
    ground = figure.patch
    is_solid = ground.get_visible() and to_rgba(ground.get_facecolor())[3] == 1
    if figure.subfigs or below or not is_solid:
        return True
    if any(ax.child_axes or ax.name != "rectilinear" for ax in figure.axes):
        return True
    seen = [ax for ax in figure.axes if ax.get_visible()]
    grounded = {ax for ax in seen if ax.axison and ax.patch.get_visible()}
    return any(
        grounded & {one, other} and _meet(one.bbox, other.bbox)
        for one, other in combinations(seen, 2)
    )


def _meet(one, other):
    """Whether two boxes share more than an edge."""
    shared = Bbox.intersection(one, other)
    return shared is not None and shared.width * shared.height > 0


def _is_plain_text(artist):
    """Whether an artist is words alone, drawn in no special way and nothing cut off."""
    special = ["bbox_patch", "path_effects", "agg_filter", "usetex"]
    special += ["wrap", "transform_rotates_text"]  # of these, its place tells the look
    if type(artist) is not Text or any(
        getattr(artist, f"get_{name}")() for name in special
    ):
        return False
    is_cut = artist.get_clip_box() is not None or artist.get_clip_path() is not None
    return not (artist.get_clip_on() and is_cut)


def _is_fixed_legend(artist):
    """Whether an artist is a legend for which matplotlib does not look for a place."""
    return isinstance(artist, Legend) and _place_of(artist) != Legend.codes["best"]


def _looks_of(text):
    """What makes the pixels of a text as they are, whatever else is fixed."""
    return (
        text.get_text(),
        text.get_fontproperties().copy(),
        to_rgba(text.get_color(), text.get_alpha()),
        text.get_horizontalalignment(),
        text.get_verticalalignment(),
        text.get_rotation(),
        text.get_rotation_mode(),
        text.get_parse_math(),
        text.get_antialiased(),
        text.get_figure().dpi,
        *_lines_of(text),
    )


# ---- what matplotlib tells only in private ------------------------------------------
# These have no public name in all of its versions from 3.10 on; a version that renames
# one fails in tests/quick/test_painter.py.
def _place_of(legend):
    """The number of a legend's place, or where it stands."""
    return legend._get_loc()


def _lines_of(text):
    """How far apart the lines of a text stand, and how they are aligned."""
    return text._linespacing, text._get_multialignment()
