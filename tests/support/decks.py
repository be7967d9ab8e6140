"""A deck in a Chromium, slide by slide."""

from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from tests.support.pages import opened

LOOK = Path(__file__).with_name("look.js").read_text("utf-8")


@contextmanager
def deck_at(chromium, path, query="", **options):
    """A deck in a page, once it stands."""
    file = path.resolve().as_uri()  # and no other
    with opened(chromium, file + query, home=file, **options) as page:
        expect(page.locator(".reveal[role=main]")).to_be_attached()
        yield page


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
        slides.append(page.evaluate(LOOK))
    return slides
