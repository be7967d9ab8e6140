"""A lecturer relies on this: every deck fits the screen, its sliders alive."""

import base64
import io
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.support.decks import INSPECT, deck_at, read, slide_of, turn_to
from tests.support.pages import (
    PHONE,
    barriers,
    drawn_explorers,
    move_every_drawn_slider,
)
from tools.chapters import DECKS, NOTEBOOKS, ROOT, cells, slide_type

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=DECKS, ids=lambda path: path.stem)
def deck(request, browser):
    """A chapter's deck in a page, what stands on its slides, and its drawings."""
    path = ROOT / "build" / "slides" / f"{request.param.stem}.html"
    assert path.is_file(), "make slides"
    folder, explorers = drawn_explorers(request.param, deck=True)
    with deck_at(browser, path) as page:
        yield SimpleNamespace(
            path=path,
            page=page,
            slides=read(page),
            folder=folder,
            explorers=explorers,
        )


def test_every_slide_fits_and_can_be_read(deck):
    faults = [
        f"slide {number}, {slide['heading']}: {fault}"
        for number, slide in enumerate(deck.slides, 1)
        for fault in slide["faults"]
    ]
    assert faults == []


def test_a_deck_keeps_the_limits_of_a_lecture(deck):
    """notebooks/README.md, "What a chapter may take"."""
    written = cells(NOTEBOOKS / f"{deck.path.stem}.ipynb", "markdown")
    notes = [cell.source for cell in written if slide_type(cell) == "notes"]
    assert 14 <= len(deck.slides) <= 20 and 2 <= len(deck.explorers) <= 3
    assert len(" ".join(notes).split()) <= 1200
    assert max(len(explorer["sliders"]) for explorer in deck.explorers) <= 3
    pictures = "".join("x" if slide["pictures"] else "-" for slide in deck.slides)
    assert pictures[0] == pictures[-1] == "x", "no picture at the title or the end"
    assert "----" not in pictures, "four slides in a row without a picture"
    middle = deck.slides[1:-1]
    silent = [s["heading"] for s in middle if len(s["notes"].split()) < 15]
    assert silent == [], "slides on which the lecturer has nothing to say"


def test_every_slider_shows_and_says_what_belongs_to_its_value(deck):
    def embedded(drawing, number):
        frame = deck.folder / drawing["folder"] / f"{number}.webp"
        data = base64.b64encode(frame.read_bytes()).decode()
        return f"data:image/webp;base64,{data}"

    panels = deck.page.locator(".explorer").all()
    for panel, explorer in zip(panels, deck.explorers, strict=True):
        turn_to(deck.page, slide_of(panel))
        move_every_drawn_slider(panel, explorer, embedded)


def test_nothing_moves_while_a_slider_does(deck):
    """There is room for every sentence, not only for the first."""
    for panel in deck.page.locator(".explorer").all():
        turn_to(deck.page, slide_of(panel))
        places = panel.evaluate(
            """box => {
              const { sentences } = JSON.parse(box.querySelector('script').textContent);
              const sentence = box.querySelector('.sentence');
              const now = [...sentence.childNodes];
              const all = 'img, .said, p:not(.sentence)';
              const parts = [...box.closest('section').querySelectorAll(all)];
              const places = new Set(sentences.map(words => {
                sentence.textContent = words;
                const boxes = parts.map(part => part.getBoundingClientRect());
                return boxes.map(({ top, bottom }) => [top, bottom]).join();
              }));
              sentence.replaceChildren(...now);
              return [...places];
            }"""
        )
        assert len(places) == 1


def test_every_answer_fits_and_is_open_alone(deck):
    answers = deck.page.locator(".slides details")
    expect(deck.page.locator("section section:has(details)")).to_have_count(3)
    for answer in answers.all():
        turn_to(deck.page, slide_of(answer))
        answer.locator("summary").press("Enter")
        expect(deck.page.locator(".slides details[open]")).to_have_count(1)
        assert deck.page.evaluate(INSPECT)["faults"] == [], answer.inner_text()
        answer.locator("summary").press("Enter")


def test_a_deck_is_printed_a_page_a_slide_for_all(deck, browser):
    with deck_at(browser, deck.path, "?print-pdf") as page:
        pages = page.locator(".pdf-page")
        expect(pages).to_have_count(len(deck.slides))
        printed = page.pdf(prefer_css_page_size=True)
        assert len(PdfReader(io.BytesIO(printed)).pages) == len(deck.slides)
        assert barriers(page) == []  # on all slides at once


def test_a_telephone_shows_the_deck_as_a_page_with_notes(deck, browser):
    with deck_at(browser, deck.path, **PHONE) as page:
        assert page.evaluate("document.scrollingElement.scrollWidth") == 390
        expect(page.locator("aside.notes").last).to_be_visible()
