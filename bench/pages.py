"""How long a slider of a deck or of the web book waits for its painted picture."""

import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import decks
from chapters import CHAPTERS, ROOT
from events import TIMING, by_keys, figures

SITE = ROOT / "book" / "build" / "site"
DECKS = (ROOT / "slides" / "build", SITE / "slides")
EVENTS = 12  # of each explorer; there are about sixty
EVENTS_QUICK = 10
ONE = "04_sum_angle_derivation"  # for a quick look


def built_decks(folder):
    """The decks that were built; if there are none, one is built."""
    for place in DECKS:
        if found := sorted(place.glob("*.html")):
            return found
    sys.path.insert(0, str(ROOT / "slides"))
    import export

    return [export.deck(CHAPTERS[1], Path(folder), say=lambda line: None).path]


def moves(explorer, events):
    """What became of `events` events, spread over the sliders of an explorer."""
    sliders = explorer.locator("input[type=range]").count()
    found = []
    for number in range(sliders):
        each = events // sliders + (number < events % sliders)
        found += by_keys(explorer, number, each, kind="image", paint=True)
    return found


def measure_decks(window, quick=False, say=print):
    """A row for each deck: from an input event to the painted frame."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        paths = built_decks(folder)
        if quick:
            paths = [path for path in paths if path.stem == ONE] or paths[:1]
        for path in paths:
            with decks.opened(window, path) as page:
                page.evaluate(f"() => {{ {TIMING} }}")
                found = []
                for explorer in page.locator(".explorer").all():
                    slide = explorer.evaluate(
                        "e => Reveal.getSlides().findIndex(s => s.contains(e))"
                    )
                    decks.turn_to(page, slide)
                    found += moves(explorer, EVENTS_QUICK if quick else EVENTS)
            rows.append({"name": path.stem, "all": found, **figures(found)})
            say(line("deck", rows[-1]))
    return together(rows)


@contextlib.contextmanager
def serving(folder):
    """The address of a server of static files."""
    command = ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder]
    server = subprocess.Popen(
        [sys.executable, *map(str, command), "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield re.search(r"http://\S+/", server.stdout.readline())[0]
    finally:
        server.terminate()
        server.wait(10)


def measure_book(window, quick=False, say=print):
    """Two rows for each page of the book: the first move of a slider, later ones.

    A picture is fetched when somebody is about to move a slider. So the first move of
    an explorer, in a browser that has seen nothing, waits for the server, too. The
    server is on this machine: a network adds its own time.
    """
    if not SITE.exists():
        say("book: not built; make book")
        return None
    pages = [
        path for path in sorted(SITE.glob("*.html")) if '"explorer"' in path.read_text()
    ]
    if quick:
        pages = [path for path in pages if path.stem == ONE]
    first, later = [], []
    with serving(SITE) as address:
        for path in pages:
            context = window.new_context(viewport={"width": 1400, "height": 1000})
            page = context.new_page()
            page.add_init_script(TIMING)
            page.goto(address + path.name)
            begun, rest = [], []
            for explorer in page.locator(".explorer").all():
                explorer.scroll_into_view_if_needed()
                explorer.locator("img").evaluate("image => image.decode()")
                begun += by_keys(explorer, 0, 1, kind="image", paint=True)
                rest += moves(explorer, EVENTS_QUICK if quick else EVENTS)
            context.close()
            first.append({"name": path.stem, "all": begun, **figures(begun)})
            later.append({"name": path.stem, "all": rest, **figures(rest)})
            say(line("book, first moves", first[-1]))
            say(line("book, later moves", later[-1]))
    return {"first": together(first), "later": together(later)}


def together(rows):
    """The figures of all events, and the rows without their events."""
    events = [event for row in rows for event in row.pop("all")]
    return {**figures(events), "rows": rows}


def line(kind, row):
    return (
        f"{kind:20}{row['name']:30}{row['events']:>6} events, p50 {row['p50']} ms, "
        f"p95 {row['p95']} ms, same {row['same']}, none {row['timeout']}"
    )
