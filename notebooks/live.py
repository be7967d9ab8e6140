"""A picture that follows its values: `Live` holds it, without sliders or widgets."""

import contextlib

import matplotlib.pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from checks import brief, signature_of
from painter import Painter
from png import as_quick_png


class Live:
    """A picture that its function `update` brings to any values.

    Parameters
    ----------
    draw : callable
        `draw(fig)` returns `update(**values)`, as for `explore`.

    Attributes
    ----------
    draw, update : callable
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.
    sentence : str
        What `update` said at the last `paint`; "" if it said nothing.

    Raises
    ------
    ValueError
        If `draw` takes no figure, returns no function, or opens a figure of pyplot.
    Exception
        Whatever `draw` raises.

    Examples
    --------
    >>> def draw_number(fig):
    ...     text = fig.text(0.5, 0.5, "")
    ...
    ...     def update(n):
    ...         text.set_text(n)
    ...         return f"The number is {n}."
    ...
    ...     return update
    >>> live = Live(draw_number)
    >>> live.paint({"n": 5})
    >>> live.sentence
    'The number is 5.'
    """

    def __init__(self, draw):
        signature_of("draw", draw, "fig")
        self.draw = draw
        self.canvas = FigureCanvasAgg(Figure(layout="constrained"))
        with _no_pyplot("draw(fig)"):
            self.update = draw(self.canvas.figure)
        if not callable(self.update):
            raise ValueError(
                f"draw must return the function update; got {brief(self.update)}"
            )
        self.sentence = ""
        self._painter = Painter(self.canvas)

    def move(self, values):
        """Call `update`, and leave the pixels as they are.

        Parameters
        ----------
        values : dict of str to value
            One for each argument of `update`.

        Returns
        -------
        str
            What `update` says, on one line; "" if it says nothing.

        Raises
        ------
        ValueError
            If that is no sentence, or `update` opens a figure of pyplot.
        Exception
            Whatever `update` raises, as for values that it does not take.
        """
        with _no_pyplot("update"):
            words = self.update(**values)
        if words is not None and not isinstance(words, str):
            raise ValueError(
                f"update must return a sentence or None; got {brief(words)}"
            )
        lines = map(str.strip, (words or "").splitlines())
        return " ".join(filter(None, lines))  # no-break spaces stay

    def paint(self, values):
        """Bring `canvas` and `sentence` to these values.

        Parameters
        ----------
        values : dict of str to value
            As for `move`.

        Raises
        ------
        Exception
            As `move` does; or matplotlib's, where it cannot draw a formula.
        """
        sentence = self.move(values)
        self._painter.paint()
        self.sentence = sentence

    def render(self, values):
        """`paint`, and give the picture.

        Parameters
        ----------
        values : dict of str to value
            As for `move`.

        Returns
        -------
        bytes
            Of a PNG file.

        Raises
        ------
        Exception
            As `paint` does.
        """
        self.paint(values)
        return as_quick_png(self.canvas)


@contextlib.contextmanager
def _no_pyplot(name):
    """Raise a ValueError if what is called `name` opens a figure of pyplot here.

    Of figures that were open before, pyplot does not tell which it has changed. When a
    slider moves there are mostly none: Jupyter closes its own where a cell ends.
    """
    before = {*plt.get_fignums()}
    try:
        yield
    finally:
        opened = {*plt.get_fignums()} - before
        for number in opened:
            plt.close(number)
    if opened:
        raise ValueError(f"{name} must draw on fig; it has used plt, on another figure")
