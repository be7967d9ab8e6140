"""Events on sliders in a browser, and what became of them: what timing.js hands back.

Times are in milliseconds, from the event to the picture. An event has `what` ("new",
"same": no other picture came, "timeout"), `ms`, `loaded` (an image is here, but not
yet decoded), `late` (how many pictures came after the one that was timed) and `by`
("key" or "mouse").
"""

import contextlib
import time
from pathlib import Path

import browser
import numpy as np
from playwright.sync_api import sync_playwright

TIMING = Path(__file__).with_name("timing.js").read_text("utf-8")
DRAG_VALUES = 60
DRAG_SECONDS = 2


@contextlib.contextmanager
def chromium():
    """A headless Chromium; without one, the program ends."""
    path = browser.find()
    if path is None:
        raise SystemExit("No Chromium: install one, or name it in CHROMIUM.")
    with sync_playwright() as playwright:
        window = browser.launch(playwright, path)
        yield window
        window.close()


def asked(panel, function, **task):
    """What a function of timing.js answers about a panel with sliders."""
    return panel.evaluate(f"(panel, task) => timing.{function}(panel, task)", task)


# ---- a hand -------------------------------------------------------------------------
def by_keys(panel, number, count, **what):
    """What became of `count` key presses on a slider."""
    return asked(panel, "keys", number=number, count=count, **what)


def by_mouse(panel, number, count, **what):
    """What became of `count` moves of a mouse that drags a slider."""
    mouse = panel.page.mouse
    found = []
    with held(panel, number, **what) as at:
        for value in walk(at, count):
            late = panel.page.evaluate("timing.ready()")
            mouse.move(place(at, value), at["y"])
            found.append({**panel.page.evaluate("timing.answer()"), "late": late})
        mouse.up()
    return found


def by_drag(panel, number, **what):
    """What became of a drag over 60 values in two seconds."""
    mouse = panel.page.mouse
    with held(panel, number, **what) as at:
        begun = time.monotonic()
        for step, value in enumerate(walk(at, DRAG_VALUES), 1):
            mouse.move(place(at, value), at["y"])
            due = begun + step * DRAG_SECONDS / DRAG_VALUES
            time.sleep(max(0, due - time.monotonic()))
        seconds = time.monotonic() - begun
        mouse.up()
        found = panel.page.evaluate("timing.dragged()")
    return {**found, "seconds": round(seconds, 2)}


@contextlib.contextmanager
def held(panel, number, **what):
    """A mouse holds the handle of a slider; it tells where that is."""
    at = asked(panel, "arm", number=number, **what)
    panel.page.mouse.move(at["x"], at["y"])
    panel.page.mouse.down()
    yield at
    panel.page.evaluate("timing.disarm()")


def walk(at, count):
    """The next `count` values of a slider, up and down."""
    value = at["value"]
    way = 1
    for _ in range(count):
        if value >= at["high"]:
            way = -1
        if value <= at["low"]:
            way = 1
        value += way
        yield value


def place(at, value):
    """Where the mouse that holds a handle has to be for a value."""
    share = (value - at["value"]) / (at["high"] - at["low"])
    return at["x"] + share * at["width"]


# ---- figures ------------------------------------------------------------------------
def quantiles(times):
    """The quartiles and the 95th percentile, or None where nothing was timed."""
    names = ("p25", "p50", "p75", "p95")
    if not times:
        return dict.fromkeys(names)
    return dict(zip(names, np.percentile(times, [25, 50, 75, 95]).round(1).tolist()))


def figures(events):
    """What many events come to."""
    new = [event for event in events if event["what"] == "new"]
    row = {"events": len(events), **quantiles([event["ms"] for event in new])}
    row["loaded"] = quantiles([event["loaded"] for event in new])["p50"]
    for by in ("key", "mouse"):
        some = [event["ms"] for event in new if event["by"] == by]
        row[by] = quantiles(some)["p50"]
    for what in ("same", "timeout"):
        row[what] = sum(event["what"] == what for event in events)
    row["late"] = sum(event["late"] for event in events)
    return row
