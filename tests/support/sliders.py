"""Moves sliders in a browser, and reads what can be seen and heard of them."""

import time

from tools.chapters import explorers_in
from tools.web.lab import COMPLAINTS, show_cell

SHOWN = "panel => hash(panel.querySelector('.widget-image'))"
# In the page: `hash(img)` names the file on show; it keeps the name of the last.
HASH = """
window.hash = async img => {
  const source = img?.src;
  if (!img?.complete || !img.naturalWidth) return null;
  if (img.hashed === source) return img.hash;
  try {
    const file = await (await fetch(source)).arrayBuffer();
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', file));
    [img.hashed, img.hash] = [source, bytes.join()];
    return img.hash;
  } catch { return null; }  // another picture came
};
"""
HEARD = """cell => {
  const all = selector => [...cell.querySelectorAll(selector)];
  return {
    written: all('.widget-hslider, .widget-toggle-buttons').map(control =>
      ['.widget-label', '.widget-readout, .mod-active'].map(
        part => control.querySelector(part).innerText)),
    announced: all('.noUi-handle, .widget-toggle-buttons [role=group]').map(e =>
      [e.ariaLabel,
       e.ariaValueText ?? e.querySelector('[aria-pressed=true]').innerText]),
    sentence: cell.querySelector('.explorer-words [aria-live=polite]').textContent,
    alt: cell.querySelector('.widget-image').alt,
  };
}"""


def until(read, fits, why, seconds=60):
    """What is read, once it fits."""
    deadline = time.monotonic() + seconds
    while not fits(seen := read()):
        assert time.monotonic() < deadline, f"{why}: {seen}"
        time.sleep(0.05)
    return seen


# ---- one picture -------------------------------------------------------------------


def picture(panel, fits=bool, why="no picture"):
    """A name for the picture on show in an explorer, once it fits."""
    return until(lambda: panel.evaluate(SHOWN), lambda name: name and fits(name), why)


def wait_for_change(panel, old, why):
    return picture(panel, lambda name: name != old, why)


def settled(panel, quiet=0.4):
    """The picture on show once no other comes: the last of a drag's pictures."""
    now, since = picture(panel), time.monotonic()
    while time.monotonic() < since + quiet:
        time.sleep(0.05)
        if (new := picture(panel)) != now:
            now, since = new, time.monotonic()
    return now


def drag(page, handle, way, steps=4, seconds=0.0):
    """Drag a handle from where it stands, by `way` pixels."""
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    start = time.monotonic()
    for step in range(1, steps + 1):
        page.mouse.move(x + way * step / steps, y)
        time.sleep(max(0, start + seconds * step / steps - time.monotonic()))
    page.mouse.up()


# ---- a chapter in JupyterLab --------------------------------------------------------
def heard(cell, at_start=""):
    """What a screen reader says of the explorer in a cell: sentence and alt text.

    The picture, the sentence and the readouts come one after another: what is heard
    must soon be of one state.
    """

    def right(words):
        both = f"{words['sentence']} At the start: {at_start}"
        return (
            words["announced"] == words["written"]
            and words["sentence"]
            and words["alt"].strip()
            and (not at_start or words["alt"] == both)
        )

    cell.wait_for_selector(
        ".explorer-words [aria-live=polite]", state="attached", timeout=60_000
    )
    words = until(lambda: cell.evaluate(HEARD), right, "what is said is not shown")
    return words["sentence"], words["alt"]


def move_every_slider(page, cell, index):
    """By a key, and one by mouse; the picture follows, and what is said of it.

    Of buttons another is pressed.

    With handles: Playwright looks through the whole page for each use of a locator.
    """
    cell = cell.element_handle()
    first = now = picture(cell)
    start, alt = heard(cell)
    sentences = set()

    def follows(why, quiet):
        nonlocal now
        wait_for_change(cell, now, f"{why} of cell {index} changes nothing")
        now = settled(cell, quiet)
        sentences.add(heard(cell, alt)[0])

    handles = cell.query_selector_all(".noUi-handle")
    for handle in handles:
        handle.press("ArrowRight" if position(handle) < 1 else "ArrowLeft")
        follows(f"a key on {handle.get_attribute('aria-label')}", quiet=0.1)
    for group in cell.query_selector_all(".widget-toggle-buttons [role=group]"):
        *_, other = group.query_selector_all("[aria-pressed=false]")
        other.press("Enter")
        follows(f"a key on {group.get_attribute('aria-label')}", quiet=0.1)
        group.query_selector("[aria-pressed=false]").click()
        follows(f"a click on {group.get_attribute('aria-label')}", quiet=0.1)
    if handles:
        track = cell.query_selector(".noUi-base").bounding_box()["width"]
        way = 0.6 if position(handles[0]) < 0.5 else -0.6
        drag(page, handles[0], way * track)
        follows("a drag", quiet=0.4)
    assert sentences - {start}, "the sentence stays what it was"
    cell.query_selector("button:has-text('Reset')").click()
    picture(cell, first.__eq__, f"cell {index}: Reset leads elsewhere")


def position(handle):
    """Where a handle stands on its track, from 0 to 1."""
    names = "aria-valuemin", "aria-valuenow", "aria-valuemax"
    low, now, high = (float(handle.get_attribute(name)) for name in names)
    return (now - low) / (high - low)


def use_every_slider(page, nb):
    """Move all sliders of a chapter that has run; look at complaints."""
    for index in explorers_in(nb.cells):
        cell = show_cell(page, index)
        move_every_slider(page, cell, index)
        assert cell.locator("[role=alert]").count() == 0
    assert page.get_by_text("Loading widget").count() == 0
    assert page.evaluate(COMPLAINTS) == []
