"""What a screen reader says of an explorer."""

import html
import json
from pathlib import Path

import ipywidgets as widgets

# speech.js names what ipywidgets leaves without a name: the picture, sliders, buttons.
# Colab's ipywidgets 7 runs no such script; there, hidden words have to do.
SPEECH = (Path(__file__).resolve().parent / "speech.js").read_text(encoding="utf-8")
RUNS_SPEECH = int(widgets.__version__.split(".")[0]) >= 8
HIDDEN = '<span style="position:absolute;clip-path:inset(50%)">{}</span>'


def spoken(sentence):
    """A sentence as HTML that is read out when it changes: by speech.js, or by itself.

    Parameters
    ----------
    sentence : str
        Plain text.

    Returns
    -------
    str
        For the widget `words` of an Explorer, where speech.js looks for it.

    Examples
    --------
    >>> "1 &lt; 2" in spoken("1 < 2")
    True
    """
    words = html.escape(sentence)
    return words if RUNS_SPEECH else f'<span role="status">{words}</span>'


def voice(alt):
    """A widget that cannot be seen: what a screen reader needs.

    Parameters
    ----------
    alt : str
        The alt text of a picture.

    Returns
    -------
    ipywidgets widget
        For the Explorer with the picture.

    Examples
    --------
    >>> unseen = voice("A line from left to right.")
    """
    if not RUNS_SPEECH:
        return widgets.HTML(HIDDEN.format(html.escape(alt)))
    script = f"const alt = {json.dumps(alt)};\n{SPEECH}"
    # An HTML widget runs no script; the output of a cell does, so one is made up.
    output = {
        "output_type": "display_data",
        "data": {"application/javascript": script},
        "metadata": {},
    }
    layout = {"height": "0", "overflow": "hidden"}
    return widgets.Output(outputs=(output,), layout=layout)
