"""A lecturer relies on this: a deck is one file that fits the screen, sliders alive."""

import base64
import hashlib
import io
import json
import re
import statistics
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import export
import nbformat
import pytest
from chapters import DECKS, ROOT, calls
from decks import LOOK, READY, judged, opened, read, turn_to, until
from execute import WIDGET_VIEW
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image

pytestmark = [pytest.mark.kernel, pytest.mark.browser]
MOVE = """(slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
}"""
SLIDE_OF = """([selector, n]) => Reveal.getSlides().indexOf(
  document.querySelectorAll(selector)[n].closest('section'))"""


# ---- looking at a deck ----------------------------------------------------------
def elsewhere(page):
    """What the page asked for that is not in the file."""
    own = page.url.split("#")[0].split("?")[0]
    return [url for url in page.asked if not url.startswith((own, "data:", "about:"))]


def show_slide_of(page, selector, number):
    """Turn to the slide that holds the nth element of its kind."""
    turn_to(page, page.evaluate(SLIDE_OF, [selector, number]))
    return page.locator(selector).nth(number)


def pixels(frame):
    picture = Image.open(io.BytesIO(base64.b64decode(frame))).convert("RGB")
    return hashlib.sha1(picture.tobytes()).hexdigest()


def shown(explorer):
    """A hash of the pixels that the explorer shows."""
    decoded = "async image => { await image.decode(); return image.src }"
    source = explorer.locator("img").evaluate(decoded)
    return pixels(source.split(",", 1)[1])


def words(explorer):
    return [text.split() for text in explorer.locator("label").all_inner_texts()]


def wrong_pictures(page, number, truth):
    """Where an explorer shows or says something else than when drawn afresh."""
    explorer = show_slide_of(page, ".explorer", number)
    sliders = explorer.locator("input").all()
    point = list(truth["start"])
    faults = []

    def look():
        key = ",".join(map(str, point))
        values = [labels[i] for labels, i in zip(truth["labels"], point)]
        told = [
            f"{name} {value}".split() for name, value in zip(truth["names"], values)
        ]
        if words(explorer) != told:
            faults.append(f"{words(explorer)} is said at {values}")
        if explorer.locator(".sentence").text_content() != truth["sentences"][key]:
            faults.append(f"another sentence at {values}")
        if shown(explorer) != truth["hashes"][key]:
            faults.append(f"another picture at {values}")

    look()
    for axis, slider in enumerate(sliders):  # by its keys, the others at the start
        slider.press("Home")
        for index in range(len(truth["labels"][axis])):
            point[axis] = index
            look()
            slider.press("ArrowRight")
        point[axis] = truth["start"][axis]
        slider.evaluate(MOVE, point[axis])
    every = list(product(*(range(len(labels)) for labels in truth["labels"])))
    for corner in every[:: max(1, len(every) // 25)]:  # and all over the grid
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
@pytest.fixture(scope="module", params=DECKS, ids=lambda path: path.stem)
def deck(request, tmp_path_factory, browser):
    """A chapter's deck, open in a page, and what its explorers should show."""
    truth = []

    def also(nb, kernel):
        kernel.run(f"__import__('sys').path.append({str(Path(__file__).parent)!r})")
        found = [output.get("data", {}) for output in export.outputs(nb)]
        models = [
            data[WIDGET_VIEW]["model_id"] for data in found if WIDGET_VIEW in data
        ]
        truth.extend(kernel.call("fresh", "explorers", models))

    folder = tmp_path_factory.mktemp("decks")
    made = export.deck(request.param, folder, say=lambda line: None, also=also)
    with opened(browser, made.path) as page:
        yield SimpleNamespace(
            name=request.param.stem,
            made=made,
            page=page,
            truth=truth,
            slides=read(page),
        )
        assert elsewhere(page) == [] and page.said == []


def test_every_slide_fits_and_can_be_read(deck):
    faults = [
        f"slide {number}, {slide['heading']}: {fault}"
        for number, slide in enumerate(deck.slides, 1)
        for fault in slide["faults"]
    ]
    assert faults == []


def test_a_deck_is_a_lecture(deck):
    print(deck.name, "words a slide", [slide["words"] for slide in deck.slides])
    assert 15 <= len(deck.slides) <= 30
    assert statistics.mean(slide["words"] for slide in deck.slides) <= 45
    headings = [slide["heading"] for slide in deck.slides]
    assert (
        headings[0].startswith(f"{int(deck.name[:2])} · ") and headings[-1] == "Recap"
    )
    assert not {"Going further", "Exercises", "Sources"} & set(headings)
    told = deck.slides[1:-1]
    silent = [s["heading"] for s in told if len(s["notes"].split()) < 15]
    assert silent == [], "slides on which the lecturer has nothing to say"


def unseen(slides):
    """Headings of slides that stand in a run of more than three without a picture."""
    runs = [[]]
    for slide in slides:
        if slide["pictures"]:
            runs.append([])
        else:
            runs[-1].append(slide["heading"])
    return [heading for run in runs if len(run) > 3 for heading in run]


def test_runs_without_a_picture_are_seen():
    slides = [{"pictures": [{}] * (n in (0, 4)), "heading": n} for n in range(9)]
    assert unseen(slides[:8]) == [] and unseen(slides) == [5, 6, 7, 8]


def test_pictures_carry_the_lecture(deck):
    assert len(deck.slides[0]["pictures"]) == 1
    assert unseen(deck.slides) == []


def test_a_deck_keeps_its_limits(deck):
    made = deck.made
    print(f"{deck.name}: {made.megabytes:.1f} MB, frames {made.frames}")
    assert made.path.stat().st_size / 1e6 == pytest.approx(made.megabytes)
    assert made.megabytes <= 12
    assert sum(made.frames) <= 250 and max(made.frames) <= 150


def test_a_deck_holds_every_explorer_of_its_core(deck):
    cells = nbformat.read(ROOT / "notebooks" / f"{deck.name}.ipynb", 4).cells
    core = sum(calls("explore", cell) for cell in cells if export.kind(cell) != "skip")
    assert deck.page.locator(".explorer").count() == core > 0


def test_a_deck_leads_on_to_the_next(deck):
    links = deck.page.evaluate(
        "[...Reveal.getSlides().at(-1).querySelectorAll('a')].map(a => a.href)"
    )
    names = [path.stem for path in DECKS]
    following = names[names.index(deck.name) + 1 :]
    assert {Path(link).stem for link in links} <= set(names)
    assert not following or Path(links[-1]).stem == following[0]


def test_sliders_show_and_say_what_belongs_to_their_values(deck):
    assert deck.page.locator(".explorer").count() == len(deck.truth)
    for number, truth in enumerate(deck.truth):
        assert len(set(truth["hashes"].values())) > 1
        assert len(set(truth["sentences"].values())) > 1
        assert wrong_pictures(deck.page, number, truth) == []


def test_sliders_have_a_name_for_those_who_hear_them(deck):
    names = [name for truth in deck.truth for name in truth["names"]]
    assert len(names) == deck.page.locator(".explorer input").count()
    for number in range(len(deck.truth)):
        explorer = show_slide_of(deck.page, ".explorer", number)
        for name in deck.truth[number]["names"]:
            assert explorer.get_by_role("slider", name=name, exact=True).count() == 1


def test_every_answer_fits_and_is_open_alone(deck):
    page, faults = deck.page, []
    answers = page.locator("details")
    assert answers.count() >= 6, "two questions of three answers each"
    for number in range(answers.count()):
        answer = show_slide_of(page, "details", number)
        at = page.evaluate("Reveal.getIndices()")
        answer.locator("summary").press("Enter")
        assert page.evaluate("Reveal.getIndices()") == at
        slide = "Reveal.getCurrentSlide()"
        assert page.evaluate(f"{slide}.querySelectorAll('details[open]').length") == 1
        assert answer.get_attribute("open") == ""
        found = judged(page.evaluate(LOOK) | {"words": 0})["faults"]
        faults += [f"{answer.locator('summary').inner_text()}: {f}" for f in found]
        answer.locator("summary").press("Enter")
    assert faults == []


def test_printing_gives_one_page_a_slide(deck, browser):
    with opened(browser, deck.made.path, "?print-pdf") as page:
        until(page, "window.laidOut")
        for _ in range(10):  # and painted
            pdf = page.pdf(prefer_css_page_size=True, print_background=True)
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
            if pages == len(deck.slides):
                break
        assert pages == len(deck.slides)
        assert elsewhere(page) == [] and page.said == []
        images = "[...document.querySelectorAll('img')]"
        assert page.evaluate(f"{images}.every(i => i.complete && i.naturalWidth)")
        assert page.locator(".pdf-page aside.notes").first.is_hidden()


def test_a_telephone_shows_the_deck_as_a_page_with_notes(deck, browser):
    phone = "document.documentElement.classList.contains('phone')"
    with opened(browser, deck.made.path, ready=phone, size=(390, 844)) as page:
        assert page.evaluate("document.scrollingElement.scrollWidth") == 390
        boxes = page.evaluate(
            "[...document.querySelectorAll('img, input, summary')].map(e => {"
            " const {left, right} = e.getBoundingClientRect(); return [left, right] })"
        )
        assert all(0 <= left < right <= 390 for left, right in boxes)
        assert page.locator("aside.notes").last.is_visible()
        explorer = page.locator(".explorer").first
        before = shown(explorer)
        slider = explorer.locator("input").first
        end = "0" if slider.input_value() != "0" else slider.get_attribute("max")
        slider.evaluate(MOVE, end)
        assert shown(explorer) != before
        assert elsewhere(page) == [] and page.said == []


# ---- the script that all decks share, on a small one --------------------------------
ON = {"slideshow": {"slide_type": "slide"}}
SETUP = """
import numpy as np
from explorer import explore
from utils import predict

def wave(fig):
    x = np.linspace(0, 20, 200)
    curve, = fig.subplots().plot(x, np.sin(x))
    def update(k=1, a=0):
        curve.set_ydata(np.sin(k * x + a))
        return f"The wave is {k} times as fast and {a} ahead."
    return update
"""
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
EXPLORE = "explore(wave, alt='A sine wave from 0 to 20', k=[1, 2, 3], a=[0, 1])"
ASK = "predict('Which way?', {'left': 'Not so.', 'right': 'Look.'}, answer='right')"


def hidden(kind):
    return {"slideshow": {"slide_type": kind}, "tags": ["hide-input"]}


def small_deck(folder, *cells, name="11_small"):
    """A deck with these cells between a title and a recap."""
    text = "# 11 · A small deck\n\nIt holds what a test needs."
    title = new_markdown_cell(text, metadata=ON)
    setup = new_code_cell(SETUP, metadata=hidden("skip"))
    recap = new_markdown_cell("## Recap\n\nNothing.", metadata=ON)
    path = folder / f"{name}.ipynb"
    for helper in ("utils.py", "explorer.py", "fonts"):
        if not (folder / helper).exists():
            (folder / helper).symlink_to(ROOT / "notebooks" / helper)
    nbformat.write(new_notebook(cells=[title, setup, *cells, recap]), path)
    return export.deck(path, folder, say=lambda line: None, cache=folder).path


@pytest.fixture(scope="module")
def wave(tmp_path_factory):
    """A deck with an explorer, a question, and notes that hold a formula."""
    note = {"slideshow": {"slide_type": "notes"}}
    return small_deck(
        tmp_path_factory.mktemp("wave"),
        new_markdown_cell("## A wave", metadata=ON),
        new_code_cell(EXPLORE, metadata=hidden("-")),
        new_markdown_cell(
            "This wave is $\\sin kx$, which you can make faster.", metadata=note
        ),
        new_markdown_cell("## A question", metadata=ON),
        new_code_cell(ASK, metadata=hidden("-")),
        new_markdown_cell("Another note for those who ask.", metadata=note),
    )


@pytest.fixture
def page(browser, wave):
    with opened(browser, wave) as page:
        yield page
        assert elsewhere(page) == [] and page.said == []


def test_arrow_keys_move_a_focused_slider_until_escape(page):
    explorer = show_slide_of(page, ".explorer", 0)
    at = page.evaluate("Reveal.getIndices()")
    slider = explorer.locator("input").first
    slider.press("Home")
    slider.press("ArrowRight")
    assert slider.input_value() == "1" and page.evaluate("Reveal.getIndices()") == at
    value = explorer.locator("output").first.inner_text()
    assert slider.get_attribute("aria-valuetext") == value == "2"
    said = "The wave is 2 times as fast and 0 ahead."
    assert explorer.locator("[aria-live=polite]").text_content() == said
    alt = explorer.locator("img").get_attribute("alt")
    assert alt == f"{said} At the start: A sine wave from 0 to 20"
    slider.press("Escape")
    assert not page.evaluate("Reveal.isOverview()")
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1" and page.evaluate("Reveal.getIndices()") != at


def test_a_slider_announces_one_thing_at_a_time(page):
    explorer = show_slide_of(page, ".explorer", 0)
    assert explorer.locator("output").first.get_attribute("aria-live") == "off"
    assert explorer.locator("[aria-live=polite]").count() == 1
    assert explorer.get_by_role("slider", name="k", exact=True).count() == 1


FOCUSED = "Reveal.getSlides().indexOf(document.activeElement.closest('section'))"


def test_tab_leads_only_to_controls_of_the_slide_on_show(page):
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        turn_to(page, number)
        page.evaluate("document.activeElement.blur()")
        for _ in range(8):
            page.keyboard.press("Tab")
            assert page.evaluate(FOCUSED) in (number, -1), (
                "-1: the arrows and the number"
            )


def test_a_remote_turns_slides_even_from_a_slider(page):
    slider = show_slide_of(page, ".explorer", 0).locator("input").first
    at = page.evaluate("Reveal.getIndices()")
    before = slider.input_value()
    slider.press("PageDown")
    assert slider.input_value() == before and page.evaluate("Reveal.getIndices()") != at


def test_dragging_moves_the_slider_and_not_the_slide(page):
    explorer = show_slide_of(page, ".explorer", 0)
    at = page.evaluate("Reveal.getIndices()")
    slider = explorer.locator("input").first
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    assert slider.input_value() == slider.get_attribute("max")
    assert page.evaluate("Reveal.getIndices()") == at
    for one in explorer.locator("input").all():
        assert one.get_attribute("data-prevent-swipe") == ""


def test_escape_shows_the_outline_and_the_slide_number_counts(page):
    total = page.evaluate("Reveal.getTotalSlides()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    number = page.locator(".slide-number").inner_text().replace("\n", "")
    assert re.fullmatch(rf"\d+ ?/ ?{total}", number)
    assert page.locator(".progress").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("Reveal.isOverview()")


def test_the_speaker_view_shows_notes_with_formulas(page):
    turn_to(page, 1)
    with page.context.expect_page() as opening:
        page.keyboard.press("s")
    speaker = opening.value
    faults = []
    speaker.on(
        "console",
        lambda line: faults.append(line.text) if line.type == "error" else None,
    )
    notes_shown = ".speaker-controls-notes .value"
    value = speaker.locator(notes_shown)
    value.locator("p").first.wait_for(timeout=30_000)
    said = value.inner_text()
    assert "which you can make faster" in said
    assert value.locator("mjx-container svg").first.bounding_box()["width"] > 3
    until(speaker, "document.querySelectorAll('iframe').length == 2")
    page.keyboard.press("PageDown")
    until(
        speaker,
        f"document.querySelector('{notes_shown}').innerText != {json.dumps(said)}",
    )
    frames = [frame for frame in speaker.frames if "receiver" in frame.url]
    for frame in frames:
        until(frame, READY)
    assert len(frames) == 2 and faults == []
    speaker.close()


# ---- the checks see what they are for -------------------------------------------
def truth_of(page):
    """What the deck's own frames say, when its sliders are believed."""
    script = "JSON.parse(document.querySelector('.explorer script').textContent)"
    held = page.evaluate(script)
    points = [f"{k},{a}" for k, a in product(range(3), range(2))]
    return {
        "names": ["k", "a"],
        "start": [0, 0],
        "labels": [["1", "2", "3"], ["0", "1"]],
        "hashes": dict(zip(points, map(pixels, held["frames"]))),
        "sentences": dict(zip(points, held["sentences"])),
    }


def test_a_sound_explorer_passes(page):
    truth = truth_of(page)
    assert len(set(truth["hashes"].values())) == 6
    assert wrong_pictures(page, 0, truth) == []
    assert [slide["faults"] for slide in read(page)] == [[], [], [], []]


@pytest.mark.parametrize(
    "sound, broken",
    [
        ("explorer.addEventListener('input'", "explorer.addEventListener('nothing'"),
        ("index * labels.length + Number(slider.value)", "index * labels.length"),
        ("index = index * labels.length + ", "index = index + "),
        (
            "slider.parentElement.querySelector('output').textContent = label",
            "label",
        ),
        ("sentence.textContent = sentences[index]", "sentences[index]"),
        ("addEventListener('reset'", "addEventListener('never'"),
    ],
    ids=["dead", "still", "tangled", "silent", "speechless", "no-reset"],
)
def test_a_dead_slider_is_caught(browser, wave, tmp_path, sound, broken):
    text = wave.read_text("utf-8")
    assert text.count(sound) == 1
    path = tmp_path / "broken.html"
    path.write_text(text.replace(sound, broken), "utf-8")
    with opened(browser, path) as page:
        assert wrong_pictures(page, 0, truth_of(page))


BAD_SLIDES = {
    "## A long slide\n\n" + "- one more line\n" * 16: "beyond the frame or its margin",
    "## A wide slide\n\n<pre>" + "wide " * 60 + "</pre>": "beyond the frame",
    "## Small\n\n<span style='font-size: 17px'>tiny letters</span>": "text of 17 px",
    "## Raw\n\nThe price is 5\\$ or x\\_1.": "raw formula",
    "## Wrong\n\n$\\frac{1}$": "formula with an error",
    "## Talk\n\n" + "word " * 51: "51 words",
    "## Code\n\n```python\n" + "x = 1\n" * 13 + "```": "13 lines of code",
    f"## A picture\n\n<img src='{DOT}' alt='picture'>": "alt text",
}


def test_bad_slides_are_caught(browser, tmp_path):
    cells = [new_markdown_cell(source, metadata=ON) for source in BAD_SLIDES]
    with opened(browser, small_deck(tmp_path, *cells)) as page:
        title, *slides, recap = read(page)
    assert title["faults"] == recap["faults"] == []
    for slide, fault in zip(slides, BAD_SLIDES.values(), strict=True):
        assert [found for found in slide["faults"] if fault in found], fault


def test_a_request_is_refused_and_seen(browser, wave, tmp_path):
    path = tmp_path / "leak.html"
    leak = (
        "<img src='https://example.org/a.png'>"
        "<script>fetch('https://example.org/b')</script>"
    )
    whole = wave.read_text("utf-8")
    start = '<div class="reveal">'
    path.write_text(whole.replace(start, leak + start, 1), "utf-8")
    with opened(browser, path) as page:
        assert any("Content Security Policy" in line for line in page.said)
