"""A lecturer relies on this: a deck on the site comes at once, and can be saved."""

import re

import pytest
from playwright.sync_api import expect

from book.bind import SITE
from tests.support.decks import deck_at, read, slide_of, turn_to
from tests.support.pages import PHONE, drawn_explorers, move_every_drawn_slider
from tools.chapters import DECKS

pytestmark = pytest.mark.browser
DECK = DECKS[2]  # it has sliders and choices
ADDRESS = f"slides/{DECK.stem}.html"
STANDS = ".reveal.ready[role=main]"


def test_the_site_is_below_80_megabytes():
    files = [path.stat().st_size for path in SITE.rglob("*") if path.is_file()]
    assert 1e6 < sum(files) < 80e6


@pytest.mark.parametrize("notebook", DECKS, ids=lambda path: path.stem)
def test_a_deck_of_the_site_is_light_and_stands(visit, notebook):
    address = f"slides/{notebook.stem}.html"
    assert (SITE / address).stat().st_size < 0.6e6
    with visit(address) as page:
        expect(page.locator(STANDS)).to_be_attached()
        assert [fault for slide in read(page) for fault in slide["faults"]] == []


def test_the_sliders_of_a_deck_of_the_site_fetch_their_pictures(visit):
    """Of one deck: tests/slides moves all sliders of all decks."""
    _, explorers = drawn_explorers(DECK, deck=True)
    with visit(ADDRESS) as page:
        panels = page.locator(".explorer").all()
        assert len(panels) == len(explorers)
        for panel, explorer in zip(panels, explorers):
            turn_to(page, slide_of(panel))
            folder = f"frames/{DECK.stem}/{explorer['folder'].split('/')[1]}"

            def frame(number):
                return re.compile(rf"{folder}/{number}\.webp$")  # noqa: B023

            move_every_drawn_slider(panel, explorer, frame)


def test_a_slow_line_shows_the_first_words_within_3_seconds(browser, host):
    decks = (SITE / "slides").glob("*.html")
    largest = max(decks, key=lambda deck: deck.stat().st_size)
    for address in f"{host}index.html", f"{host}slides/{largest.name}":
        times = (first_paint(browser, address) for _ in range(3))
        assert any(seconds < 3 for seconds in times), "a machine may be busy once"


def first_paint(browser, address):
    """Seconds until a page shows words, at 1.6 Mbit/s and with nothing kept."""
    page = browser.new_page()
    slow = {"latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1e5}
    network = page.context.new_cdp_session(page)
    network.send("Network.emulateNetworkConditions", {"offline": False, **slow})
    page.goto(address, wait_until="commit")
    first = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    page.bring_to_front()  # what stands behind is not painted
    page.wait_for_function(first, polling=100)
    seconds = page.evaluate(first) / 1000
    page.close()
    return seconds


def test_a_deck_of_the_site_shows_its_title_before_its_scripts(browser, host):
    page = browser.new_page()
    page.route("**/*.js", lambda route: None)  # they never come
    page.goto(f"{host}{ADDRESS}", wait_until="commit")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("h2").first).to_be_hidden()
    page.close()


def test_a_deck_on_a_telephone_has_pictures_in_its_shape(visit):
    with visit(ADDRESS, **PHONE) as page:
        expect(page.locator("html.phone")).to_be_attached()
        panel = page.locator(".explorer").first
        panel.locator("input").last.press("End")
        narrow = "e => e.currentSrc.includes('/narrow/')"
        page.wait_for_function(narrow, arg=panel.locator("img").element_handle())


def test_a_deck_saved_as_one_file_needs_nothing_else(visit, browser, tmp_path):
    with visit(ADDRESS) as page:
        expect(page.locator(STANDS)).to_be_attached()
        with page.expect_download() as download:
            page.get_by_role("button", name="this deck as one file").click()
        path = tmp_path / "deck.html"
        download.value.save_as(path)
    folder, explorers = drawn_explorers(DECK, deck=True)
    with deck_at(browser, path) as page:
        assert [fault for slide in read(page) for fault in slide["faults"]] == []
        panel = page.locator(".explorer").first
        turn_to(page, slide_of(panel))
        before = panel.locator("img").get_attribute("src")
        panel.locator("input").last.press("End")
        expect(panel.locator("img")).not_to_have_attribute("src", before)
        assert page.locator(".site").count() == 0
