"""What all decks share, on a small one: keys, voices, the speaker's view, a phone."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.support.decks import deck_at, quiet_deck, read, turn_to
from tests.support.pages import PHONE, barriers
from tests.support.small_chapter import chapter_of, code_cell, text_cell, wave_cell
from tools.repo import addresses

pytestmark = pytest.mark.browser
SIGN = """
import matplotlib.pyplot as plt
from course import show

def sign(words):
    fig = plt.figure(figsize=(6, 2))
    fig.text(0.5, 0.5, words)
    return fig
"""
ASK = """
show(sign("?"), alt="A sign with a question mark")
options = {"left": "Not so.", "right": "Look."}
predict("Which way?", options, answer="right", answered=sign("to the right"))
"""
WORD = """
def word(fig):
    "A title over a frame"
    ax = fig.subplots()
    def update(order="我爱"):
        ax.set_title(order)
        return f"Now {order} is read."
    return update
"""
TABLE = "from IPython.display import HTML\nHTML('<table><td>7</td><td>8</td></table>')"
WIDGET = "from ipywidgets import interact\ninteract(lambda x: print(x), x=(0, 3))"
LONG = "y = 'a line of code that is longer than a telephone is wide, by far'"
WAY_ON = "Next: [3 · Embedding + position](03_embedding_plus_position.ipynb)"
WAVE, QUESTION, WORDS, CODE, AGAIN, RECAP = range(1, 7)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The deck of a small chapter that stands in a public place."""
    small = chapter_of(
        tmp_path_factory.mktemp("small"),
        text_cell("[10 Length](10_beyond.ipynb) → **11 Small**", tags=["map"]),
        text_cell("## A wave", "slide"),
        wave_cell("k=[1, 2, 3], a=[0, 1]"),
        text_cell("This wave is $\\sin kx$, which you can make faster.", "notes"),
        text_cell("Then move the second slider.", "notes"),
        text_cell("## A question", "slide"),
        code_cell(SIGN, "skip"),
        code_cell(ASK),
        text_cell("## Words: 张老师", "slide"),
        text_cell("我爱你, $\\frac{x - \\mu}{d_{model}}$."),
        code_cell(WORD, "skip"),
        code_cell("explore(word, order=['我爱', '爱我', '-'])"),
        text_cell("And later.", "fragment"),
        text_cell(f"## Code\n\n```python\n{LONG}\n```", "slide"),
        code_cell("shown = 1\nmarked = 2", tags=(), lines=[2]),
        code_cell("unseen = 1\nprint('kept')", "subslide"),
        code_cell(TABLE),
        code_cell(WIDGET, "skip"),
        text_cell("Not in the deck.", "skip"),
        text_cell("## Recap\n\nNothing.", "slide", tags=["recap"]),
        text_cell(WAY_ON, tags=["next"]),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("slides.compose.is_named", lambda name: True)
        return quiet_deck(small)


@pytest.fixture
def deck(browser, file):
    with deck_at(browser, file) as page:
        yield page


K = ".explorer input >> nth=0"  # the slider k, seen or not


def present(page):
    """The number of the slide that is shown."""
    return page.evaluate("Reveal.getSlides().indexOf(Reveal.getCurrentSlide())")


# ---- what stands on slides ----------------------------------------------------------
def test_a_deck_is_made_of_its_chapters_cells(deck):
    links = deck.locator(".present .where a").all()
    found = [link.get_attribute("href") for link in links]
    assert found == [*addresses("11_small").values()]
    slides = read(deck)
    assert [slide["faults"] for slide in slides] == [[]] * 7
    assert slides[CODE]["heading"] == slides[AGAIN]["heading"] == "Code"
    notes = slides[WAVE]["notes"]
    assert notes.index("make faster") < notes.index("Then move the second")
    assert "Look." in slides[QUESTION]["notes"], "the right answer's reply"
    shown = deck.locator(".slides").text_content()
    assert "shown = 1" in shown and "kept" in shown
    assert deck.locator("td").all_text_contents() == ["7", "8"]
    assert deck.locator(".hll").all_text_contents() == ["marked = 2\n"]
    assert "unseen" not in shown and "Not in the deck" not in shown
    way_on = deck.locator(".present .next")
    link = way_on.get_by_role("link", name="3 · Embedding + position")
    expect(link).to_have_attribute("href", "03_embedding_plus_position.html")
    expect(way_on).to_contain_text("Is anything left of the two")


def test_the_right_answer_is_seen_in_the_picture_and_nothing_moves(deck):
    turn_to(deck, QUESTION)
    answered = deck.locator(".present .answered img")
    wrong, right = deck.locator(".present summary").all()
    parts = deck.locator(".present").locator("img, summary, .vote").all()
    places = [part.bounding_box() for part in parts]
    expect(answered).to_be_hidden()
    for answer, is_seen in (wrong, False), (right, True), (wrong, False):
        answer.press("Enter")
        expect(answered).to_be_visible(visible=is_seen)
        assert [part.bounding_box() for part in parts] == places
    assert present(deck) == QUESTION


def test_a_slider_looks_the_same_where_no_accent_reaches_it(deck):
    """Firefox and Safari give the accent to the track, or to nothing."""
    turn_to(deck, WAVE)
    slider = deck.locator(K)
    slider.evaluate("e => { e.style.accentColor = 'red' }")
    for key, ends in ("End", ["slate", "slate"]), ("Home", ["slate", "light"]):
        slider.press(key)
        picture = Image.open(BytesIO(slider.screenshot())).convert("RGB")
        places = [(x, picture.height // 2) for x in (10, picture.width - 10)]
        names = {(34, 48, 60): "slate", (239, 239, 239): "light"}
        assert [names.get(picture.getpixel(place)) for place in places] == ends


# ---- keys ---------------------------------------------------------------------------
def test_arrow_keys_move_a_focused_slider_until_escape(deck):
    turn_to(deck, WAVE)
    slider = deck.locator(K)
    slider.press("ArrowRight")
    assert slider.input_value() == "1" and present(deck) == WAVE
    slider.press("Escape")
    assert not deck.evaluate("Reveal.isOverview()")
    deck.keyboard.press("ArrowRight")
    assert slider.input_value() == "1" and present(deck) == QUESTION


@pytest.mark.parametrize("part", ["input", "button"])
def test_a_remote_turns_slides_from_anywhere_and_leaves_no_focus_behind(deck, part):
    turn_to(deck, WAVE)
    deck.locator(f".present .explorer {part}").first.press("PageDown")
    assert present(deck) == QUESTION
    assert deck.locator(K).input_value() == "0"
    deck.keyboard.press("Tab")
    expect(deck.locator(".present summary").first).to_be_focused()


# ---- for those who hear it ----------------------------------------------------------
def test_a_slide_is_announced_but_not_its_answers(deck):
    voice = deck.locator(".voice")
    turn_to(deck, WAVE)
    expect(voice).to_contain_text("The wave is 1 times as fast and 0 ahead.")
    expect(voice).to_contain_text("Picture: A sine wave from 0 to 20")
    turn_to(deck, QUESTION)
    expect(voice).to_contain_text("Which way?")
    expect(voice).not_to_contain_text("Look.")
    deck.evaluate(f"Reveal.slide({WORDS}, 0, -1)")
    expect(voice).to_contain_text("x minus μ over d sub model")
    expect(voice).not_to_contain_text("And later")
    deck.keyboard.press("PageDown")
    expect(voice).to_have_text("And later.")
    expect(deck.locator(".aria-status")).to_be_hidden()  # reveal.js's own voice


def test_an_explorer_has_a_name_and_says_one_thing_at_a_time(deck):
    turn_to(deck, WAVE)
    panel = deck.get_by_role("group", name="A wave", exact=True)
    expect(panel.get_by_role("button", name="Reset: A wave")).to_be_visible()
    slider = panel.get_by_role("slider", name="k", exact=True)
    expect(slider).to_have_accessible_description(re.compile("Arrow keys"))
    expect(panel.locator("[aria-live=polite]")).to_have_count(1)
    slider.press("ArrowRight")
    alt = re.compile("wave is 2 times .* At the start: A sine wave from 0 to 20$")
    expect(panel.get_by_role("img")).to_have_attribute("alt", alt)


# ---- the speaker's view -------------------------------------------------------------
def test_speaker_and_hall_see_the_same_slide_slider_and_answer(deck):
    turn_to(deck, WAVE)
    slider = deck.locator(K)
    slider.press("ArrowRight")
    slider.press("Escape")
    with deck.expect_popup() as opening:
        deck.keyboard.press("s")
    speaker = opening.value
    notes = speaker.locator(".speaker-controls-notes .value")
    expect(notes).to_contain_text("which you can make faster")
    expect(notes.locator("mjx-container svg").first).to_be_visible()
    preview = speaker.frame_locator("#current-slide iframe")
    mirrored = preview.locator(K)
    expect(mirrored).to_have_value("1")  # moved before the view was opened
    slider.press("ArrowRight")
    expect(mirrored).to_have_value("2")
    mirrored.press("Home")
    expect(slider).to_have_value("0")
    slider.press("PageDown")
    expect(notes).to_contain_text("Look.")
    expect(preview.locator("section.present h2")).to_have_text("A question")
    deck.locator(".present summary").nth(1).click()
    expect(preview.locator(".present details").nth(1)).to_have_attribute("open", "")
    expect(preview.locator(".present .answered")).to_be_visible()
    turn_to(deck, WORDS)
    preview.locator(".present [type=radio]").nth(1).check()
    expect(deck.get_by_role("radio").nth(1)).to_be_checked()
    expect(deck.locator(".present .sentence")).to_have_text("Now 爱我 is read.")
    speaker.close()


def test_a_deck_in_a_frame_says_what_may_not_open_there(browser, file):
    around = file.with_name("around.html")
    frame = f'<iframe sandbox="allow-scripts" width=1280 height=720 src="{file.name}">'
    around.write_text(frame, "utf-8")
    page = browser.new_page()
    page.goto(around.as_uri())
    deck = page.frame_locator("iframe")
    deck.locator(".reveal[role=main] h1").click()
    for key, words in ("s", "need a second window"), ("f", "No full screen"):
        page.keyboard.press(key)
        expect(deck.get_by_role("alert")).to_contain_text(words)
    page.keyboard.press("ArrowRight")
    expect(deck.get_by_role("alert", include_hidden=True)).to_be_empty()
    page.close()


# ---- a telephone, a small window ----------------------------------------------------
def test_a_telephone_shows_a_page_that_all_can_use(browser, file):
    with deck_at(browser, file, **PHONE) as page:
        expect(page.locator("aside.notes .answer")).to_be_hidden()
        page.locator("summary").last.click()
        answered = page.locator("details .answered")
        expect(answered).to_be_visible()
        assert answered.bounding_box()["width"] > 300
        assert barriers(page) == []
        code = page.locator(".highlight pre").first
        expect(code).to_have_attribute("tabindex", "0")  # it scrolls by keys, too


def test_whoever_enlarges_keeps_the_place(browser, file):
    """At 200 % a window of 1280 × 720 is one of 640 × 360: a page, large letters."""
    with deck_at(browser, file, f"#/{CODE}") as page:
        page.set_viewport_size({"width": 640, "height": 360})
        expect(page.locator("html.phone")).to_be_attached()
        expect(page.locator("h2", has_text="Code").first).to_be_in_viewport()
        assert page.evaluate("document.scrollingElement.scrollWidth") == 640
        page.set_viewport_size({"width": 1280, "height": 720})
        slide = page.locator(".reveal.ready section.present h2").first
        expect(slide).to_have_text("Code")
