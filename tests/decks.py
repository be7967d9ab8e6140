"""What the tests of decks look at: a deck in a Chromium, slide by slide."""

import time
from contextlib import contextmanager
from pathlib import Path

WIDTH, HEIGHT, SMALLEST, WORDS, CODE_LINES = 1280, 720, 18, 50, 12

READY = "window.Reveal?.isReady()"
LOOK = Path(__file__).with_name("look.js").read_text("utf-8")


def until(page, condition, seconds=60):
    """Wait for a condition. (Playwright's own needs `eval`, which decks forbid.)"""
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"waited {seconds} s for {condition}"
        time.sleep(0.05)


@contextmanager
def opened(browser, path, query="", ready=READY, size=(WIDTH, HEIGHT)):
    """A page with the deck, and what it asked for and complained about."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.asked, page.said = [], []
    page.add_init_script(
        "addEventListener('pdf-ready', () => { window.laidOut = true }, true)"
    )
    context.on("request", lambda request: page.asked.append(request.url))
    context.on(
        "console",
        lambda message: (
            page.said.append(message.text)
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.resolve().as_uri() + query)
    if ready:
        until(page, ready)
    try:
        yield page
    finally:
        context.close()


def turn_to(page, number):
    """Show a slide with all its fragments."""
    page.evaluate(
        "n => { const {h, v} = Reveal.getIndices(Reveal.getSlides()[n]);"
        " Reveal.slide(h, v, 99) }",
        number,
    )
    page.evaluate(
        "Promise.all([...Reveal.getCurrentSlide().querySelectorAll('img')].map(i =>"
        " i.decode()))"
    )


def read(page):
    """What stands on every slide, and its faults."""
    slides = []
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        turn_to(page, number)
        slides.append(judged(page.evaluate(LOOK)))
    return slides


def judged(slide):
    faults = slide["faults"]
    if slide["words"] > WORDS:
        faults.append(f"{slide['words']} words")
    if not slide["heading"]:
        faults.append("no heading")
    if len(slide["pictures"]) > 1:
        faults.append(f"{len(slide['pictures'])} pictures")
    faults += [
        f"{lines} lines of code" for lines in slide["code"] if lines > CODE_LINES
    ]
    for picture in slide["pictures"]:
        if len(picture["alt"].split()) < 5:
            faults.append(f"alt text {picture['alt']!r}")
        if picture["drawn"] < picture["width"] - 1:
            share = picture["drawn"] / picture["width"]
            faults.append(f"a picture at {share:.2f} of its size: letters below 18 px")
    return slide


if (
    __name__ == "__main__"
):  # python tests/decks.py DECK [FOLDER]: faults, and a picture of every slide
    import sys

    import browser
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=browser.find(), args=browser.FLAGS
        ) as chromium,
        opened(chromium, Path(sys.argv[1])) as page,
    ):
        for number, slide in enumerate(read(page), 1):
            print(
                f"{number:3} {slide['words']:3} words, code {slide['code']}, "
                f"notes {len(slide['notes'].split()):3} words  {slide['heading'][:60]}"
            )
            print("".join(f"      ! {fault}\n" for fault in slide["faults"]), end="")
            if len(sys.argv) > 2:
                turn_to(page, number - 1)
                page.screenshot(path=Path(sys.argv[2]) / f"{number:02}.png")
        print(
            "asked:",
            [url[:80] for url in page.asked if not url.startswith("data:")],
            "said:",
            page.said,
        )
