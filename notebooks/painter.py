"""How a picture is painted again in milliseconds, by `Painter`."""

from operator import attrgetter

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.spines import Spine

BY_ZORDER = attrgetter("zorder")


class Painter:
    """Paints a figure again and again, in less time than a full redraw takes.

    The first `paint` finds the layout, which stays. It also keeps the pixels of the
    background: the ground, ticks, grid and labels of all axes. At each step they
    are put back, and all else is drawn over them. This is matplotlib's blitting,
    https://matplotlib.org/stable/users/explain/animations/blitting.html, with a new
    background where one is needed. So all that is drawn in axes lies above their grid
    and labels and, where it leaves them, above the background of other axes. What
    belongs to the figure lies above all axes, but for a negative zorder.

    A figure whose axes overlap, as twins do, hold others, as insets and second scales,
    or are no flat rectangles, is drawn by matplotlib, in full, at each step; so is one
    with figures inside of it.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.

    Notes
    -----
    - A figure with constrained layout needs no `tight_layout` or `subplots_adjust`.
      Titles and tick labels that become longer after the first `paint` are cut off; to
      keep room for them: `fig.get_layout_engine().set(rect=(0.06, 0, 0.94, 1))`.
    - A step is quick if only artists change: write `ax.title.set_text(…)` for
      `ax.set_title(…)`. Limits, labels of axes and `ax.set(…)` need a new background:
      nothing is gained where limits move at each step.
    - If a change does not show, set `ax.stale = True` beside it: matplotlib does not
      report all, as whether a line of the grid is visible.
    - The artists stay animated: a later `canvas.draw()` leaves them out.

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
        self._background = None  # none while the figure is drawn in full
        self._has_layout = False
        canvas.mpl_connect("draw_event", self._look_again)

    def _look_again(self, event):
        """Take what another has drawn, as by draw_idle(), for a changed background."""
        event.canvas.figure.stale = True

    def paint(self):
        """Bring the pixels of the canvas up to date."""
        figure = self.canvas.figure
        if not self._has_layout:
            figure.draw_without_rendering()
            figure.set_layout_engine("none")  # so that nothing jumps later
            self._has_layout = True
        if _is_plain(figure):
            self._paint_over_background()
        else:
            self._paint_in_full()

    def _paint_in_full(self):
        """Let matplotlib draw everything."""
        if self._background is not None:  # the figure was plain until now
            _set_animated(self.canvas.figure, False)
            self._background = None
        self.canvas.draw()

    def _paint_over_background(self):
        """Put the background back, a new one if it has changed, and draw the rest."""
        figure = self.canvas.figure
        for ax in figure.axes:
            ax.get_xlim()  # settles limits that autoscale() left open, and says so
        for artist in figure.get_children():
            if artist.zorder < 0 and artist.get_animated():  # it lay above until now
                _set_animated(artist, False)
                figure.stale = True
        parts = [*_parts_of_background(figure)]
        artists = self._artists()
        if self._background is None or any(part.stale for part in (figure, *parts)):
            self._draw_background(artists)
            for part in parts:
                part.stale = False  # matplotlib 3.10 and 3.11 leave hidden ones stale
        self.canvas.restore_region(self._background)
        for owner, artist in artists:
            owner.draw_artist(artist)

    def _artists(self):
        """What is drawn over the background, with its owner, in drawing order."""
        figure = self.canvas.figure
        return [
            (owner, artist)
            for owner in (*sorted(figure.axes, key=BY_ZORDER), figure)
            if owner.get_visible()
            for artist in sorted(owner.get_children(), key=BY_ZORDER)
            if _is_over_background(artist, owner)
        ]

    def _draw_background(self, artists):
        """Draw and keep the axes without the artists."""
        # The canvas leaves out what is animated, and when such an artist changes,
        # matplotlib does not call the figure stale.
        for _, artist in artists:
            _set_animated(artist, True)
        try:
            self.canvas.draw()
        except Exception:  # as from a formula; matplotlib calls the figure drawn
            self.canvas.figure.stale = True
            raise
        self.canvas.figure.stale = False
        self._background = self.canvas.copy_from_bbox(self.canvas.figure.bbox)


def _is_over_background(artist, owner):
    """Whether an artist of the figure, or of axes, is drawn at each step."""
    if artist is owner.patch or isinstance(artist, (Axes, Axis)):
        return False
    if isinstance(owner, Figure):
        return artist.zorder >= 0
    has_frame = owner.axison and owner.get_frame_on()
    return has_frame or not isinstance(artist, Spine)


def _set_animated(artist, animated):
    """Say whether the canvas leaves out an artist, with all that it is made of."""
    for part in artist.findobj():
        part.set_animated(animated)


def _parts_of_background(figure):
    """Grounds and labels of axes: to change one does not make the figure stale."""
    for ax in figure.axes:
        yield from (ax.patch, ax.xaxis.label, ax.yaxis.label)


def _is_plain(figure):
    """Whether all axes are flat rectangles, alone in their place."""
    boxes = [ax.bbox for ax in figure.axes]
    overlap = any(box.count_overlaps(boxes) > 1 for box in boxes)
    flat = all(ax.name == "rectilinear" for ax in figure.axes)
    holds_axes = any(ax.child_axes for ax in figure.axes)  # insets, second scales
    return flat and not (overlap or holds_axes or figure.subfigs)
