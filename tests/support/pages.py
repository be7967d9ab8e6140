"""Opens pages of decks and book in a Chromium, and moves their sliders."""

import re
from contextlib import contextmanager

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from render.prerender import draw_chapter, explorers_of, read_drawn
from tools.chapters import in_deck

expect.set_options(timeout=60_000)  # a machine may be busy
DESK = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True}
PHONE |= {"has_touch": True, "device_scale_factor": 2}


@contextmanager
def opened(browser, address, home, **options):
    """A page that asks for nothing outside its home, and complains of nothing."""
    addresses = []
    page = browser.new_page(**{**DESK, **options})
    page.context.on("request", lambda request: addresses.append(request.url))
    page.goto(address)
    yield page  # where a test fails, the page stays open for its picture
    lines = page.console_messages(filter="all")
    complaints = [line.text for line in lines if line.type in ("error", "warning")]
    complaints += map(str, page.page_errors(filter="all"))
    # Firefox says so of a formula of which the first half has come.
    complaints = [line for line in complaints if "number of children" not in line]
    page.close()
    own = (home, "data:", "about:", "blob:")
    elsewhere = [url for url in addresses if not url.startswith(own)]
    assert not complaints, complaints
    assert not elsewhere, elsewhere


def barriers(page, place=None):
    """What axe-core finds serious or critical in a page, or in one place of it."""
    # A page of a folder may not read its own style sheets: `preload` would complain.
    options = {"resultTypes": ["violations"], "preload": False}
    # Newer versions ask it unasked: are the words one sees in the name one hears?
    options["rules"] = {"label-content-name-mismatch": {"enabled": True}}
    violations = Axe().run(page, place, options).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:150]}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def drawn_explorers(notebook, deck=False):
    """The folder of a chapter's pictures, and its explorers, or those of its deck."""
    folder = draw_chapter(notebook)
    cells = read_drawn(notebook, folder).cells
    return folder, explorers_of(filter(in_deck, cells) if deck else cells)


def knob_of(panel, slider):
    role = "radiogroup" if slider["names"] else "slider"
    return panel.get_by_role(role, name=slider["name"], exact=True)


def expect_setting(panel, drawing, place, address):
    """Picture, sentence and labels are those of sliders at these numbers of values."""
    counts = [len(slider["labels"]) for slider in drawing["sliders"]]
    number = np.ravel_multi_index(place, counts)  # the last slider counts fastest
    expect(panel.locator("img")).to_have_attribute("src", address(drawing, number))
    expect(panel.locator(".sentence")).to_have_text(drawing["sentences"][number])
    for slider, at in zip(drawing["sliders"], place, strict=True):
        knob, label = knob_of(panel, slider), slider["labels"][at]
        if slider["names"]:
            expect(knob.get_by_role("radio", checked=True)).to_have_count(1)
            expect(knob.get_by_label(label, exact=True)).to_be_checked()
        else:
            expect(knob).to_have_attribute("aria-valuetext", label)
            expect(knob.locator("+ output")).to_have_text(label)


def address_in_book(drawing, number):
    """The `src` of a picture in the book or in a deck of the site, as a pattern."""
    folder = drawing["folder"].split("/")[1]
    return re.compile(rf"frames/[^/]+/{folder}/{number}\.webp$")


def move_every_drawn_slider(panel, drawing, address=address_in_book):
    """By keys or buttons: picture, sentence and label are those of its value.

    `drawing` is what render/prerender.py has kept of the explorer in the `panel`;
    `address(drawing, number)` is the `src` of a picture, as a text or a pattern.
    """
    start = [slider["start"] for slider in drawing["sliders"]]
    place = [*start]
    expect_setting(panel, drawing, start, address)
    for axis, slider in enumerate(drawing["sliders"]):
        knob, last = knob_of(panel, slider), len(slider["labels"]) - 1
        for key, at in ("Home", 0), ("ArrowRight", min(1, last)), ("End", last):
            place[axis] = at
            if slider["names"]:
                knob.get_by_label(slider["labels"][at], exact=True).click()
            else:
                knob.press(key)
            expect_setting(panel, drawing, place, address)
    panel.get_by_role("button", name="Reset").click()
    expect_setting(panel, drawing, start, address)
