"""A deck in a Chromium, slide by slide."""

from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from slides import export
from tests.support.pages import opened

INSPECT = Path(__file__).with_name("inspect_slide.js").read_text("utf-8")
WORDS, CODE_LINES = 50, 12  # on a slide, at most


@contextmanager
def deck_at(chromium, path, query="", **options):
    """A deck in a page, once it stands."""
    file = path.resolve().as_uri()  # and no other
    with opened(chromium, file + query, home=file, **options) as page:
        expect(page.locator(".reveal[role=main]")).to_be_attached()
        yield page


def slide_of(element):
    """The number of the slide on which an element stands."""
    return element.evaluate("e => Reveal.getSlides().indexOf(e.closest('section'))")


def turn_to(page, number):
    """Show a slide with all its fragments."""
    page.evaluate(
        """async number => {
          const { h, v } = Reveal.getIndices(Reveal.getSlides()[number]);
          Reveal.slide(h, v, 99);
          const images = Reveal.getCurrentSlide().querySelectorAll('img');
          await Promise.all([...images].map(image => image.decode()));
        }""",
        number,
    )


def read(page):
    """What stands on every slide, and its faults."""
    slides = []
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        turn_to(page, number)
        slide = page.evaluate(INSPECT)
        slide["faults"] += wrong_amounts(slide)
        slides.append(slide)
    return slides


def wrong_amounts(slide):
    if slide["words"] > WORDS:
        yield f"{slide['words']} words"
    if not slide["heading"]:
        yield "no heading"
    if len(slide["pictures"]) > 1:
        yield f"{len(slide['pictures'])} pictures"
    if max(slide["code"], default=0) > CODE_LINES:
        yield f"{max(slide['code'])} lines of code"
    for picture in slide["pictures"]:
        if len(picture["alt"].split()) < 5:
            yield f"alt text {picture['alt']!r}"
        if picture["drawn"] < picture["height"] - 1:
            share = picture["drawn"] / picture["height"]
            yield f"a picture at {share:.2f} of its size: letters below 22 px"


def quiet_deck(chapter):
    """The path of its deck, written and drawn beside it."""
    folder = chapter.parent
    return export.deck(chapter, folder, cache=folder)
