"""How a picture is painted again in milliseconds, by `Painter`."""

from itertools import combinations

from matplotlib.axis import Axis
from matplotlib.transforms import Bbox


class Painter:
    """Paints a figure again and again, in less time than a full redraw takes.

    The first `paint` finds the layout, which stays. It also keeps the pixels of the
    background: the ground, frame, ticks, grid and labels of all axes. At each step they
    are put back, and all else is drawn over them. This is matplotlib's blitting,
    https://matplotlib.org/stable/users/explain/animations/blitting.html, with a new
    background where one is needed. So the grid of axes lies below all that is drawn in
    them, and what belongs to the figure lies above all axes, but for a negative zorder.

    If a change does not show, set `ax.stale = True` beside it: matplotlib does not
    report all, as whether a line of the grid is visible. The artists stay animated: a
    later `canvas.draw()` leaves them out.

    A figure is redrawn in full where axes overlap, lie inside of others or are no flat
    rectangles, and where there are figures inside of it. Nothing is gained where limits
    move at each step.

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
        self._in_full = False
        self._background = None

    def paint(self):
        """Bring the pixels of the canvas up to date."""
        figure = self.canvas.figure
        self._settle()
        parts = [*_parts_of_background(figure)]
        is_stale = figure.stale or any(part.stale for part in parts)
        if is_stale:
            self._in_full = _needs_full_redraw(figure)
        if self._in_full:
            self._redraw()
            return
        artists = self._artists()
        if is_stale:
            self._draw_background(artists)
            for part in parts:
                part.stale = False  # also what is not visible
        self.canvas.restore_region(self._background)
        for owner, artist in artists:
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
                is_below = owner is figure and artist.zorder < 0
                if not (is_below or artist in left_out or isinstance(artist, Axis)):
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


def _parts_of_background(figure):
    """Grounds and labels of axes: to change one does not make the figure stale."""
    for ax in figure.axes:
        yield from (ax.patch, ax.xaxis.label, ax.yaxis.label)


def _needs_full_redraw(figure):
    """Whether a figure is one of those that are redrawn in full."""
    if figure.subfigs:
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
