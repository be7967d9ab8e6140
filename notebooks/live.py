"""A picture that follows its values: `Live` holds it, without sliders or widgets."""

import contextlib

import matplotlib.pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from checks import brief, signature_of
from painter import Painter
from pictures import is_empty
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

    def call_update(self, values):
        """Call `update`, without painting what it changes.

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

    def first_picture(self, start, others):
        """Render the start values, and refuse an `update` that cannot come back there.

        It is called several times: what it does must depend on its values alone.

        Parameters
        ----------
        start : dict of str to value
            As for `call_update`.
        others : list of such dicts
            Where it is called between two pictures of the start. An error there is
            passed over: whoever moves there meets it.

        Returns
        -------
        bytes
            Of a PNG file.

        Raises
        ------
        ValueError
            If the figure is empty; if `update` adds artists at each call, or after
            `others` the picture or the sentence of the start is another.
        Exception
            As `paint` does.

        Examples
        --------
        >>> live = Live(lambda fig: fig.text(0, 0, "") and (lambda n: None))
        >>> live.first_picture({"n": 1}, others=[{"n": 2}])[1:4]
        b'PNG'
        """
        first = self.render(start), self.sentence
        if is_empty(self.canvas.figure):
            raise ValueError(
                "draw on the figure that draw(fig) is given, not with plt; it is empty"
            )
        if any(self._adds_artists(values) for values in [start, *others]):
            raise ValueError(
                "update must only change artists, and it adds some at each call: create"
                " them in draw"
            )
        again = self.render(start), self.sentence
        if again != first:
            part = "picture" if again[0] != first[0] else "sentence"
            raise ValueError(
                "what update does must depend on its values alone: after others, the"
                f" {part} of the start is another. Let update set all that it changes,"
                " limits and colours of new artists, too; let draw make suptitles, of"
                " which update sets the text"
            )
        return first[0]

    def _adds_artists(self, values):
        """Whether `update` adds artists at some values, each time it is called."""
        parts = []
        for _ in range(2):
            try:
                self.call_update(values)
            except Exception:
                return False
            parts.append(len(self.canvas.figure.findobj()))
        return parts[1] > parts[0]

    def paint(self, values):
        """Bring `canvas` and `sentence` to these values.

        Parameters
        ----------
        values : dict of str to value
            As for `call_update`.

        Raises
        ------
        Exception
            As `call_update` does; or matplotlib's, where it cannot draw a formula.
        """
        sentence = self.call_update(values)
        self._painter.paint()
        self.sentence = sentence

    def render(self, values):
        """`paint`, and give the picture.

        Parameters
        ----------
        values : dict of str to value
            As for `call_update`.

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
