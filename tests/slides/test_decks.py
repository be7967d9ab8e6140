"""A lecturer relies on this: a deck is one file, it fits the screen, its sliders answer without a kernel."""
import base64
import hashlib
import io
import json
import re
import statistics
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import nbformat
import pytest
from chapters import CHAPTERS, ROOT, calls
from decks import LOOK, READY, judged, opened, read, turn_to, until
from execute import WIDGET_VIEW, execute
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image

sys.path.insert(0, str(ROOT / "slides"))
import export  # noqa: E402

NAMES = [path.stem for path in CHAPTERS]
MOVE = """(slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
}"""
# What an input event costs: until its picture is decoded and a frame of the browser has passed.
LATENCY = """async explorer => {
  const image = explorer.querySelector('img'), times = [];
  for (const slider of explorer.querySelectorAll('input'))
    for (let value = 0; value <= Number(slider.max); value++) {
      await new Promise(resolve => setTimeout(resolve, 40 + 13 * value % 30));
      slider.value = value;
      const start = performance.now();
      slider.dispatchEvent(new Event('input', {bubbles: true}));
      await image.decode();
      await new Promise(resolve => requestAnimationFrame(resolve));
      times.push(performance.now() - start);
    }
  return times;
}"""


# ---- the decks ------------------------------------------------------------------
@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """All decks, made by the command that `make slides` calls, and what it printed."""
    folder = tmp_path_factory.mktemp("decks")
    done = subprocess.run([sys.executable, "slides/export.py", "--folder", str(folder)], cwd=ROOT,
                          capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def slides(built, chromium):
    """What stands on the slides of a chapter's deck."""

    @cache
    def of(name):
        with opened(chromium, built[0] / f"{name}.html") as page:
            return read(page), page.asked, page.said

    return of


@pytest.fixture(params=NAMES)
def deck(request, built, chromium):
    """A page with a chapter's deck; what it asks for or complains about fails the test that uses it."""
    with opened(chromium, built[0] / f"{request.param}.html") as page:
        page.name = request.param
        yield page
        assert elsewhere(page) == [] and page.said == []


def elsewhere(page):
    own = page.url.split("#")[0].split("?")[0]
    return [url for url in page.asked if not url.startswith((own, "data:", "about:"))]


def show_explorer(page, number):
    """Turn to the slide of an explorer."""
    slide = page.evaluate("n => Reveal.getSlides().indexOf(document.querySelectorAll('.explorer')[n]"
                          ".closest('section'))", number)
    turn_to(page, slide)
    return page.locator(".explorer").nth(number)


def pixels(frame):
    picture = Image.open(io.BytesIO(base64.b64decode(frame))).convert("RGB")
    return hashlib.sha1(picture.tobytes()).hexdigest()


def shown(explorer):
    """A hash of the pixels that the explorer shows."""
    source = explorer.locator("img").evaluate("async image => { await image.decode(); return image.src }")
    return pixels(source.split(",", 1)[1])


def words(explorer):
    return [text.split() for text in explorer.locator("label").all_inner_texts()]


def wrong_pictures(page, number, truth):
    """Where an explorer shows another picture, or other values, than those drawn afresh."""
    explorer, faults = show_explorer(page, number), []
    sliders = explorer.locator("input").all()
    point = list(truth["start"])

    def look():
        values = [labels[index] for labels, index in zip(truth["labels"], point)]
        if words(explorer) != [f"{name} {value}".split() for name, value in zip(truth["names"], values)]:
            faults.append(f"{words(explorer)} is said at {values}")
        if shown(explorer) != truth["hashes"][",".join(map(str, point))]:
            faults.append(f"another picture at {values}")

    look()
    for axis, slider in enumerate(sliders):  # each slider by its keys, while the others stand at the start
        slider.press("Home")
        for index in range(len(truth["labels"][axis])):
            point[axis] = index
            look()
            slider.press("ArrowRight")
        point[axis] = truth["start"][axis]
        slider.evaluate(MOVE, point[axis])
    every = list(product(*(range(len(labels)) for labels in truth["labels"])))
    for corner in every[::max(1, len(every) // 40)]:  # and combinations all over the grid
        for slider, index in zip(sliders, corner):
            slider.evaluate(MOVE, index)
        point[:] = corner
        look()
    sliders[0].press("Escape")
    explorer.get_by_role("button", name="Reset").click()
    point[:] = truth["start"]
    look()
    return faults


# ---- every deck -----------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_every_slide_fits_and_can_be_read(slides, name):
    found, asked, said = slides(name)
    faults = [f"slide {number}, {slide['heading']}: {fault}"
              for number, slide in enumerate(found, 1) for fault in slide["faults"]]
    assert faults == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == [] and said == []


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_is_a_lecture(slides, name):
    found, _, _ = slides(name)
    print(f"{name}: {len(found)} slides, words a slide {[slide['words'] for slide in found]}")
    assert 15 <= len(found) <= 30
    assert statistics.mean(slide["words"] for slide in found) <= 45
    headings = [slide["heading"] for slide in found]
    assert headings[0].startswith(f"{int(name[:2])} · ") and headings[-1] == "Recap"
    assert not {"Going further", "Exercises", "Sources"} & set(headings)
    spoken = (slide for slide in found[1:-1] if not slide["quiz"])
    silent = [slide["heading"] for slide in spoken if len(slide["notes"].split()) < 15]
    assert silent == [], "slides on which the lecturer has nothing to say"


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_keeps_its_limits(built, name):
    folder, said = built
    size = (folder / f"{name}.html").stat().st_size / 1e6
    seconds = float(re.search(rf"{name}\.html: .* in (\d+) s", said)[1])
    counts = [int(n) for n in re.findall(rf"chapter {name[:2]}: explorer .*: (\d+) frames", said)]
    print(f"{name}: {size:.1f} MB in {seconds:.0f} s, frames {counts}")
    assert size <= 12 and seconds <= 60 and sum(counts) <= 250 and max(counts) <= 150


def test_a_deck_holds_every_explorer_of_its_core(deck):
    cells = nbformat.read(ROOT / "notebooks" / f"{deck.name}.ipynb", 4).cells
    core = sum(calls("explore", cell) for cell in cells if export.kind(cell) != "skip")
    assert deck.locator(".explorer").count() == core > 0


def test_a_deck_leads_on_to_the_next(deck, built):
    links = deck.evaluate("[...Reveal.getSlides().at(-1).querySelectorAll('a')].map(a => a.href)")
    following = f"{int(deck.name[:2]) + 1:02}"
    if any(name.startswith(following) for name in NAMES):
        assert links and all((built[0] / Path(link).name).exists() for link in links)
        assert Path(links[-1]).name.startswith(following)


@pytest.mark.parametrize("name", NAMES)
def test_sliders_show_the_picture_of_exactly_their_values(built, chromium, name):
    report = {}

    def after(nb, run):
        models = [output.data[WIDGET_VIEW]["model_id"] for output in export.outputs(nb)
                  if WIDGET_VIEW in output.get("data", {})]
        report.update(json.loads(run(f"__import__('fresh').explorers({models!r})")))

    here = f"__import__('sys').path.append({str(Path(__file__).parent)!r})\n__import__('fresh').watch()"
    execute(ROOT / "notebooks" / f"{name}.ipynb", before=export.BEFORE + here, after=after)
    assert min(report["letters"]) >= 12.96, "letters of a figure below 18 px, at 100 px an inch"
    with opened(chromium, built[0] / f"{name}.html") as page:
        assert page.locator(".explorer").count() == len(report["explorers"])
        for number, truth in enumerate(report["explorers"]):
            assert len(set(truth["hashes"].values())) > 1
            assert wrong_pictures(page, number, truth) == []


def test_a_picture_follows_its_slider_within_50_ms(deck):
    for number in range(deck.locator(".explorer").count()):
        times = sorted(show_explorer(deck, number).evaluate(LATENCY))
        print(f"{deck.name}, explorer {number + 1}: median {statistics.median(times):.0f} ms, "
              f"9 in 10 below {times[int(0.9 * len(times))]:.0f} ms, of {len(times)}")
        assert times[int(0.9 * len(times))] <= 50


def test_arrow_keys_move_a_focused_slider_until_escape(deck):
    explorer, at = show_explorer(deck, 0), deck.evaluate("Reveal.getIndices()")
    slider = explorer.locator("input").first
    slider.press("Home")
    slider.press("ArrowRight")
    assert slider.input_value() == "1" and deck.evaluate("Reveal.getIndices()") == at
    value = explorer.locator("output").first.inner_text()
    assert slider.get_attribute("aria-valuetext") == value
    assert f"= {value}" in explorer.locator("[aria-live=polite]").text_content()
    slider.press("Escape")
    assert not deck.evaluate("Reveal.isOverview()")
    deck.keyboard.press("ArrowRight")
    assert slider.input_value() == "1" and deck.evaluate("Reveal.getIndices()") != at


def test_a_remote_turns_slides_even_from_a_slider(deck):
    slider, at = show_explorer(deck, 0).locator("input").first, deck.evaluate("Reveal.getIndices()")
    before = slider.input_value()
    slider.press("PageDown")
    assert slider.input_value() == before and deck.evaluate("Reveal.getIndices()") != at


def test_dragging_moves_the_slider_and_not_the_slide(deck):
    explorer, at = show_explorer(deck, 0), deck.evaluate("Reveal.getIndices()")
    slider = explorer.locator("input").first
    box = slider.bounding_box()
    deck.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
    deck.mouse.down()
    deck.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=8)
    deck.mouse.up()
    assert slider.input_value() == slider.get_attribute("max")
    assert deck.evaluate("Reveal.getIndices()") == at
    assert all(s.get_attribute("data-prevent-swipe") == "" for s in deck.locator(".explorer input").all())


def test_escape_shows_the_outline_and_the_slide_number_counts(deck):
    total = deck.evaluate("Reveal.getTotalSlides()")
    deck.keyboard.press("ArrowRight")
    deck.keyboard.press("PageDown")
    assert re.fullmatch(rf"\d+ ?/ ?{total}", deck.locator(".slide-number").inner_text().replace("\n", ""))
    assert deck.locator(".progress").is_visible()
    deck.keyboard.press("Escape")
    assert deck.evaluate("Reveal.isOverview()")


def test_an_answer_opens_on_a_key_and_the_slide_stays(deck):
    answers = deck.locator("details")
    assert answers.count() >= 6, "two questions of three answers each"
    faults = []
    for number in range(answers.count()):
        turn_to(deck, deck.evaluate("n => Reveal.getSlides().indexOf("
                                    "document.querySelectorAll('details')[n].closest('section'))", number))
        at = deck.evaluate("Reveal.getIndices()")
        answers.nth(number).locator("summary").press("Enter")
        assert deck.evaluate("Reveal.getIndices()") == at
        assert deck.evaluate("Reveal.getCurrentSlide().querySelectorAll('details[open]').length") == 1
        assert answers.nth(number).get_attribute("open") == ""
        found = judged(deck.evaluate(LOOK) | {"words": 0})["faults"]
        faults += [f"{answers.nth(number).locator('summary').inner_text()}: {fault}" for fault in found]
    assert faults == []


@pytest.mark.parametrize("name", NAMES)
def test_printing_gives_one_page_a_slide(built, slides, chromium, name):
    total = len(slides(name)[0])
    with opened(chromium, built[0] / f"{name}.html", "?print-pdf") as page:
        until(page, "window.laidOut")
        for _ in range(10):  # and painted
            pdf = page.pdf(prefer_css_page_size=True, print_background=True)
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
            if pages == total:
                break
        assert pages == total and elsewhere(page) == [] and page.said == []
        images = "[...document.querySelectorAll('img')]"
        assert page.evaluate(f"{images}.every(i => i.complete && i.naturalWidth)")
        assert page.locator(".pdf-page aside.notes").first.is_hidden()


def test_the_speaker_view_shows_notes_with_formulas(deck):
    notes = deck.evaluate("""Reveal.getSlides().map(s => [...s.querySelectorAll('aside.notes')]
        .map(e => !e.closest('.fragment') && e.querySelector('mjx-container svg') ? 2 : 1).concat(0)[0])""")
    number = notes.index(2) if 2 in notes else notes.index(1)
    turn_to(deck, number)
    with deck.context.expect_page() as opening:
        deck.keyboard.press("s")
    speaker = opening.value
    faults = []
    speaker.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    notes_shown = ".speaker-controls-notes .value"
    value = speaker.locator(notes_shown)
    value.locator("p").first.wait_for(timeout=30_000)
    said = value.inner_text()
    assert len(said.split()) > 10
    if notes[number] == 2:
        assert value.locator("mjx-container svg").first.bounding_box()["width"] > 3
    until(speaker, "document.querySelectorAll('iframe').length == 2")
    deck.keyboard.press("PageDown")
    until(speaker, f"document.querySelector('{notes_shown}').innerText != {json.dumps(said)}")
    frames = [frame for frame in speaker.frames if "receiver" in frame.url]
    for frame in frames:
        until(frame, READY)
    assert len(frames) == 2 and faults == []
    speaker.close()


# ---- the checks see what they are for -------------------------------------------------
ON = {"slideshow": {"slide_type": "slide"}}
WAVE = """
import numpy as np
from utils import explore

def wave(fig):
    x = np.linspace(0, 20, 200)
    curve, = fig.subplots().plot(x, np.sin(x))
    def update(k=1, a=0):
        curve.set_ydata(np.sin(k * x + a))
    return update
"""
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
EXPLORE = "explore(wave, alt='A sine wave that k makes faster and a moves', k=[1, 2, 3], a=[0, 1])"


def small_deck(folder, *cells, name="11_small"):
    """A deck with these cells between a title and a recap."""
    title = new_markdown_cell("# 11 · A small deck\n\nIt holds what a test needs.", metadata=ON)
    recap = new_markdown_cell("## Recap\n\nNothing.", metadata=ON)
    path = folder / f"{name}.ipynb"
    for helper in ("utils.py", "fonts"):
        if not (folder / helper).exists():
            (folder / helper).symlink_to(ROOT / "notebooks" / helper)
    nbformat.write(new_notebook(cells=[title, *cells, recap]), path)
    return export.deck(path, folder, say=lambda line: None)


@pytest.fixture(scope="module")
def wave(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wave")
    skip, here = ({"slideshow": {"slide_type": kind}, "tags": ["hide-input"]} for kind in ("skip", "-"))
    return small_deck(folder, new_code_cell(WAVE, metadata=skip), new_markdown_cell("## A wave", metadata=ON),
                      new_code_cell(EXPLORE, metadata=here))


def truth_of(page):
    """What the deck's own frames say, when its sliders are believed."""
    frames = page.evaluate("JSON.parse(document.querySelector('.explorer script').textContent)")
    points = (f"{k},{a}" for k, a in product(range(3), range(2)))
    return {"names": ["k", "a"], "start": [0, 0], "labels": [["1", "2", "3"], ["0", "1"]],
            "hashes": dict(zip(points, map(pixels, frames)))}


def test_a_sound_explorer_passes(chromium, wave):
    with opened(chromium, wave) as page:
        truth = truth_of(page)
        assert len(set(truth["hashes"].values())) == 6 and wrong_pictures(page, 0, truth) == []
        assert [slide["faults"] for slide in read(page)] == [[], [], []]


@pytest.mark.parametrize("sound, broken", [
    ("explorer.addEventListener('input'", "explorer.addEventListener('nothing'"),
    ("index * labels.length + Number(slider.value)", "index * labels.length"),
    ("index = index * labels.length + ", "index = index + "),
    ("slider.parentElement.querySelector('output').textContent = label", "label"),
    ("addEventListener('reset'", "addEventListener('never'"),
], ids=["dead", "still", "tangled", "silent", "no-reset"])
def test_a_dead_slider_is_caught(chromium, wave, tmp_path, sound, broken):
    text = wave.read_text("utf-8")
    assert text.count(sound) == 1
    path = tmp_path / "broken.html"
    path.write_text(text.replace(sound, broken), "utf-8")
    with opened(chromium, path) as page:
        assert wrong_pictures(page, 0, truth_of(page))


@pytest.mark.parametrize("source, fault", [
    ("## A long slide\n\n" + "- one more line\n" * 16, "beyond the frame or its margin"),
    ("## A wide slide\n\n<pre>" + "wide " * 60 + "</pre>", "beyond the frame or its margin"),
    ("## Small\n\n<span style='font-size: 17px'>letters that nobody can read</span>", "text of 17 px"),
    ("## Raw\n\nThe price is 5\\$ or x\\_1.", "raw formula"),
    ("## Wrong\n\n$\\frac{1}$", "formula with an error"),
    ("## Talk\n\n" + "word " * 51, "51 words"),
    ("## Code\n\n```python\n" + "x = 1\n" * 13 + "```", "13 lines of code"),
    (f"## A picture\n\n<img src='{DOT}' alt='picture'>", "alt text"),
])
def test_a_bad_slide_is_caught(chromium, tmp_path, source, fault):
    path = small_deck(tmp_path, new_markdown_cell(source, metadata=ON))
    with opened(chromium, path) as page:
        title, slide, recap = read(page)
        assert title["faults"] == recap["faults"] == []
        assert [found for found in slide["faults"] if fault in found]


def test_a_request_is_refused_and_seen(chromium, wave, tmp_path):
    path = tmp_path / "leak.html"
    leak = "<img src='https://example.org/a.png'><script>fetch('https://example.org/b')</script>"
    text = wave.read_text("utf-8").replace('<div class="reveal">', leak + '<div class="reveal">', 1)
    path.write_text(text, "utf-8")
    with opened(chromium, path) as page:
        assert any("Content Security Policy" in line for line in page.said)
