"""What those hear who do not see a picture, and how its controls look."""

import html
import json
from pathlib import Path

import ipywidgets as widgets

from draw import MARK

# speech.js names what ipywidgets leaves without a name: the picture, sliders, buttons.
# Colab's ipywidgets 7 runs no such script; there, hidden words have to do.
SPEECH = (Path(__file__).resolve().parent / "speech.js").read_text(encoding="utf-8")
RUNS_SPEECH = int(widgets.__version__.split(".")[0]) >= 8
HIDDEN = '<span style="position:absolute;clip-path:inset(50%)">{}</span>'
# Rows of buttons that do not touch, a frame round the one that is pressed: its grey
# alone is faint. And a ring that shows which has the focus.
STYLE = f"""<style>
.explorer .widget-toggle-buttons > div {{ display: flex; flex-wrap: wrap }}
.explorer .widget-toggle-buttons > div {{ row-gap: 4px }}
.explorer .widget-toggle-button.mod-active {{ box-shadow: inset 0 0 0 2px }}
.explorer button:focus-visible {{ outline: 2px solid {MARK} !important }}
</style>"""


def spoken(sentence):
    """A sentence for the page, read out when it changes: by speech.js, or by itself."""
    words = html.escape(sentence)
    return words if RUNS_SPEECH else f'<span role="status">{words}</span>'


def voice(alt):
    """A widget that cannot be seen: the style, and what a screen reader needs."""
    if not RUNS_SPEECH:
        return widgets.HTML(STYLE + HIDDEN.format(html.escape(alt)))
    script = f"const alt = {json.dumps(alt)};\n{SPEECH}"
    script += f"element.innerHTML = {json.dumps(STYLE)};"
    # An HTML widget runs no script; the output of a cell does, so one is made up.
    output = {
        "output_type": "display_data",
        "data": {"application/javascript": script},
        "metadata": {},
    }
    layout = {"height": "0", "overflow": "hidden"}
    return widgets.Output(outputs=(output,), layout=layout)
