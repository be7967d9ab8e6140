"""How a picture is painted again in milliseconds, by `Painter`."""

import copy

import numpy as np
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.legend import Legend
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform


class Painter:
    """Paints a figure again and again, and of what stays the same as little as it can.

    Three things take long, and so each is drawn once:

    - Axes. They are drawn without the artists that can move, and the pixels are kept.
      At each step these are put back, and the artists are drawn over them. The kept
      pixels are renewed when matplotlib calls the figure stale: an axis has changed.
    - Words. Their letters are kept as a stamp, which is put wherever the same words
      stand again, at whole pixels.
    - A legend, until something in it changes.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.
    """

    STAMPS = 2000  # a table of numbers needs some hundred

    def __init__(self, canvas):
        self.canvas = canvas
        self._background = None  # a picture of the axes alone
        self._stamps = {}  # of words, by all that makes them look as they do
        self._legends = {}  # stamps of legends

    def paint(self):
        """Bring the pixels of the canvas up to date."""
        figure = self.canvas.figure
        if self._background is None:  # the first layout stands, so that nothing jumps
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        movable = self._movable()
        if figure.stale or self._background is None:
            self._draw_background(movable)
        self.canvas.restore_region(self._background)
        for label in self._axis_labels():
            self._put_words(label)
        for owner, artist in movable:
            if _is_words(artist):
                self._put_words(artist)
            elif _stays_in_its_place(artist):
                self._put_legend(artist)
            else:
                owner.draw_artist(artist)
        figure.stale = False  # to draw a legend has called it stale again

    def _draw_background(self, movable):
        """Draw and keep the axes, without what can move and without their labels."""
        for _, artist in movable:
            for part in artist.findobj():
                part.set_animated(True)  # the canvas leaves it out
        labels = self._axis_labels()
        for label in labels:
            label.set_animated(True)  # other words are not another axis
            label.set_visible(False)
        self.canvas.draw()
        for label in labels:
            label.set_visible(True)
        self._background = self.canvas.copy_from_bbox(self.canvas.figure.bbox)
        self._legends.clear()  # they may stand elsewhere now

    def _axis_labels(self):
        """The labels of all axes that are shown."""
        return [
            axis.label
            for ax in self.canvas.figure.axes
            for axis in (ax.xaxis, ax.yaxis)
            if ax.get_visible() and ax.axison and axis.get_visible()
            if axis.label.get_visible()
        ]

    def _movable(self):
        """All but axes, frames and backgrounds, with their owners, in drawing order."""
        figure = self.canvas.figure
        found = []
        for owner in (*figure.axes, figure):
            if not owner.get_visible():
                continue
            fixed = (owner.patch, *figure.axes, *figure.subfigs)
            for artist in sorted(owner.get_children(), key=lambda a: a.zorder):
                if artist not in fixed and not isinstance(artist, (Axis, Spine)):
                    found.append((owner, artist))
        return found

    def _put_words(self, text):
        """Put the stamp of a text where the text stands."""
        if not text.get_visible() or not text.get_text():
            return
        x, y = text.get_transform().transform(text.get_position())
        if not np.isfinite(x + y):
            return
        looks = _looks_of_words(text)
        if looks not in self._stamps:
            if len(self._stamps) >= self.STAMPS:
                self._stamps.clear()
            self._stamps[looks] = self._stamp_of_words(text)
        left, bottom, stamp = self._stamps[looks]
        self._put(round(x) + left, round(y) + bottom, stamp)

    def _stamp_of_words(self, text):
        """How far a text begins to the left of its anchor and below it; its pixels."""
        alone = copy.copy(text)
        alone.set_transform(IdentityTransform())
        alone.set_position((0, 0))
        extent = alone.get_window_extent(self.canvas.get_renderer())
        margin = 25 if text.get_bbox_patch() or text.get_path_effects() else 3
        left, bottom = np.floor(extent.min).astype(int) - margin
        right, top = np.ceil(extent.max).astype(int) + margin
        alone.set_position((-left, -bottom))
        page = RendererAgg(right - left, top - bottom, self.canvas.figure.dpi)
        alone.draw(page)
        return _trimmed(left, bottom, np.asarray(page.buffer_rgba()))

    def _put_legend(self, legend):
        """Draw a legend, or put its stamp if nothing in it has changed."""
        parts = legend.findobj()
        if legend not in self._legends or any(part.stale for part in parts):
            page = RendererAgg(*self.canvas.get_width_height(), self.canvas.figure.dpi)
            legend.draw(page)
            for part in parts:
                part.stale = False  # also what is not visible
            self._legends[legend] = _trimmed(0, 0, np.asarray(page.buffer_rgba()))
        self._put(*self._legends[legend])

    def _put(self, left, bottom, stamp):
        """Lay a stamp over the canvas; what lies beyond the canvas is lost."""
        pixels = np.asarray(self.canvas.buffer_rgba())
        height, width = stamp.shape[:2]
        top = len(pixels) - bottom - height
        stamp = stamp[max(0, -top) :, max(0, -left) :]
        below = pixels[max(0, top) : max(0, top + height), max(0, left) :, :3]
        below = below[:, : stamp.shape[1]]
        stamp = stamp[: below.shape[0], : below.shape[1]]
        density = stamp[..., 3:] / np.float32(255)
        below[:] = below + (stamp[..., :3] - below.astype("float32")) * density + 0.5


def _looks_of_words(text):
    """What makes the pixels of a text as they are."""
    return (
        text.get_text(),
        text.get_fontproperties().copy(),
        to_rgba(text.get_color(), text.get_alpha()),
        text.get_horizontalalignment(),
        text.get_verticalalignment(),
        text.get_rotation(),
        text.get_rotation_mode(),
        tuple(text.get_path_effects()),
        _looks_of_box(text.get_bbox_patch()),
        text if "\n" in text.get_text() else None,  # lines have a distance of their own
    )


def _looks_of_box(box):
    """What makes the box behind a text look as it does."""
    if box is None:
        return None
    style = box.get_boxstyle()
    colours = box.get_facecolor(), box.get_edgecolor()
    return type(style), *vars(style).values(), *colours, box.get_linewidth()


def _trimmed(left, bottom, stamp):
    """A stamp without the empty margins, and where it begins now."""
    rows = np.flatnonzero(stamp[..., 3].any(axis=1))
    columns = np.flatnonzero(stamp[..., 3].any(axis=0))
    if not len(rows):
        return left, bottom, stamp[:0]
    bottom += len(stamp) - 1 - rows[-1]
    left += columns[0]
    used = stamp[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return left, bottom, used.copy()


def _is_words(artist):
    """A text of which nothing is cut off."""
    if type(artist) is not Text:
        return False
    is_cut = artist.get_clip_box() is not None or artist.get_clip_path() is not None
    return not (artist.get_clip_on() and is_cut)


def _stays_in_its_place(artist):
    """A legend, unless matplotlib is to find the best place for it."""
    return isinstance(artist, Legend) and artist._get_loc() != Legend.codes["best"]
