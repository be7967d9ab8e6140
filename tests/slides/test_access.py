"""A reader who hears, enlarges or uses keys alone relies on this."""

import json
import os
import re

import axe
import export
import firefox
import nbformat
import pytest
from chapters import CHAPTERS, DECKS
from decks import opened, turn_to, until
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell
from test_decks import ASK, EXPLORE, ON, hidden, show_slide_of, small_deck

pytestmark = [pytest.mark.kernel, pytest.mark.browser]
PAGE = "document.documentElement.classList.contains('phone')"
FOCUS = "document.activeElement"
COURSE = "Positional encoding"


def wanted(tool, hint):
    """Skip where a tool is missing, but fail in CI."""
    if tool.find() is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(hint)


@pytest.fixture(scope="session")
def rules():
    wanted(
        axe, "no axe-core: make test-book brings it, or name its script in AXE"
    )


@pytest.fixture(scope="session")
def fox():
    wanted(firefox, "no Firefox: install one, or name it in FIREFOX")


# ---- every deck, every notebook ---------------------------------------------------
@pytest.fixture(scope="session")
def built_deck(tmp_path_factory):
    """The path of a chapter's deck, built at most once."""
    folder, built = tmp_path_factory.mktemp("access"), {}

    def path(notebook):
        if notebook not in built:
            built[notebook] = export.deck(notebook, folder, say=lambda line: None).path
        return built[notebook]

    return path


def unseen(page):
    """Descriptions of pictures that say nothing; nbconvert fills in some of its own."""
    alts = page.evaluate("[...document.images].map(image => image.alt)")
    filled = "No description has been provided"
    return [alt for alt in alts if len(alt.split()) < 5 or alt.startswith(filled)]


@pytest.mark.parametrize("notebook", DECKS, ids=lambda path: path.stem)
def test_every_slide_can_be_used_by_all(rules, built_deck, browser, notebook):
    faults, deck = [], built_deck(notebook)
    with opened(browser, deck) as page:
        for number in range(page.evaluate("Reveal.getTotalSlides()")):
            turn_to(page, number)
            faults += [
                f"slide {number + 1}: {fault}"
                for fault in axe.faults(page, run=axe.ALONE)
            ]
    with opened(browser, deck, ready=PAGE, size=(390, 844)) as page:
        faults += [f"as a page: {fault}" for fault in axe.faults(page)]
        faults += unseen(page)
    assert faults == []


# What nbconvert's own themes do: the colours of code, prompts and links.
THEMES = {
    "lab": [
        ("color-contrast", ".highlight, .jp-InputPrompt, .jp-OutputPrompt"),
        ("link-in-text-block", ".jp-RenderedMarkdown a"),
    ],
    "classic": [("color-contrast", ".highlight, .prompt, .rendered_html a")],
}
EXPORTS = [("lab", path) for path in CHAPTERS] + [("classic", DECKS[0])]


@pytest.mark.parametrize(
    "theme, notebook", EXPORTS, ids=[f"{path.stem}-{theme}" for theme, path in EXPORTS]
)
def test_an_exported_notebook_can_be_used_by_all(
    rules, browser, tmp_path, theme, notebook
):
    path = tmp_path / "page.html"
    text, _ = HTMLExporter(template_name=theme).from_filename(notebook)
    path.write_text(text, "utf-8")
    with opened(browser, path, ready=None) as page:
        assert axe.faults(page, THEMES[theme]) == []
        first = nbformat.read(notebook, 4).cells[0].source
        heading = re.search(r"(?m)^# (.*)", first)[1]
        assert page.title() == f"{heading} – {COURSE}"
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.locator("img").count() and unseen(page) == []


# Chinese with its pinyin behind it: there a voice should say both.
GLOSSED = re.compile(
    r"[\u4e00-\u9fff](</span>)?\*?,? \(?\*?(?:LLM )?\w*[āáǎàēéěèīíǐìōóǒòūúǔù]"
)


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_a_notebook_marks_its_chinese_where_it_is_explained(notebook):
    cells = nbformat.read(notebook, 4).cells
    prose = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    bare = [found[0] for found in GLOSSED.finditer(prose) if not found[1]]
    assert bare == []


# ---- what the decks' script does, on a small one ----------------------------------
HEARD = {
    "$\\frac{x - \\mu}{\\sqrt{d_{model}}}$": (
        "the fraction x minus μ over square root of d sub model, end of fraction."
    ),
    "$p(pos)^\\top R_k^2$": "p (pos) transposed R sub k squared",
    "$\\sum_{i=0}^{n} x_i$": "the sum from i equals 0 to n of x sub i",
    "$\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}$": "[ a, b; c, d ]",
}
LONG = "y = 'a line of code that is longer than a telephone is wide, by far'"
SITES = "https://colab.example/a", "https://binder.example/a?b", "https://me.example/12"
FOLD = "<details><summary>For the lecturer</summary>\n\n{}\n\n</details>"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    formulas = "\n\n".join(HEARD)
    later = {"slideshow": {"slide_type": "fragment"}}
    note = {"slideshow": {"slide_type": "notes"}}
    colab, binder, book = SITES
    places = f"[Colab]({colab}), [Binder]({binder}), and the [web book]({book}.html)."
    return small_deck(
        tmp_path_factory.mktemp("small"),
        new_markdown_cell(places, metadata={**hidden("skip"), "tags": ["open"]}),
        new_markdown_cell("## A wave", metadata=ON),
        new_code_cell(EXPLORE, metadata=hidden("-")),
        new_markdown_cell("## A question", metadata=ON),
        new_code_cell(ASK, metadata=hidden("-")),
        new_markdown_cell(FOLD.format("**Right: the second.** $x$"), metadata=note),
        new_markdown_cell(f"## Formulas\n\n{formulas}", metadata=ON),
        new_markdown_cell(
            "## Words: 张老师\n\n我爱你, that is $\\text{我}$, 张老师，张三, "
            "a [link](https://example.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            metadata=ON,
        ),
        new_markdown_cell("And later.", metadata=later),
        new_markdown_cell(f"## Code\n\n```python\nx = '我'\n{LONG}\n```", metadata=ON),
        name="12_access",
    )


@pytest.fixture
def page(browser, small):
    with opened(browser, small) as page:
        until(page, "document.querySelector('.reveal').role === 'main'")
        yield page
        assert page.said == []


def told(page, number):
    """What is announced when the deck is turned to a slide."""
    turn_to(page, number)
    return paused(page)


def paused(page):
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    return page.locator(".aria-status").text_content()


def test_a_deck_is_one_main_part_and_has_the_courses_name(page):
    assert page.locator("[role=application]").count() == 0
    assert page.get_by_role("main").count() == 1
    assert page.title() == f"11 · A small deck – {COURSE}"
    assert page.evaluate("document.documentElement.lang") == "en"


def test_a_slide_is_announced_with_its_pictures(page):
    assert told(page, 1) == (
        "A wave. k 1. a 0. The wave is 1 times as fast and 0 ahead. "
        "Picture: A sine wave from 0 to 20."
    )
    assert page.locator(".aria-status").get_attribute("aria-live") == "polite"


def test_answers_and_code_are_not_announced(page):
    assert "Not so" not in told(page, 2) and "right" in told(page, 2)
    assert told(page, 5) == "Code. Code, 2 lines."


def test_formulas_are_announced_in_words(page):
    said = told(page, 3)
    assert [words for words in HEARD.values() if words not in said] == [], said


def test_what_comes_later_is_announced_later(page):
    page.evaluate("Reveal.slide(4, 0, -1)")
    assert "And later" not in paused(page)
    page.keyboard.press("PageDown")
    assert paused(page) == "And later."


def chinese(page, selector):
    """What is marked as Chinese in a place, and what is not and should be."""
    return page.evaluate(
        """selector => {
          const root = document.querySelector(selector), bare = [];
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const { data, parentElement } = walker.currentNode;
            if (/\\p{Script=Han}/u.test(data) && !parentElement.closest('[lang="zh-Hans"], script')) bare.push(data);
          }
          return [[...root.querySelectorAll('span[lang="zh-Hans"]')].map(e => e.textContent), bare];
        }""",  # noqa: E501
        selector,
    )


def test_chinese_is_marked_wherever_it_stands(page):
    turn_to(page, 4)
    marked, bare = chinese(page, ".present")
    assert marked == ["张老师", "我爱你", "张老师，张三"] and bare == []
    paused(page)
    marked, bare = chinese(page, ".aria-status")
    assert "我爱你" in marked and bare == []
    assert chinese(page, "body")[1] == []


def test_chinese_that_a_slider_brings_is_marked(browser, tmp_path):
    draw = """
def word(fig):
    ax = fig.subplots()
    def update(order="我爱"):
        ax.set_title(order)
        return f"Now {order} is read."
    return update
"""
    cells = [
        new_code_cell(draw, metadata=hidden("skip")),
        new_markdown_cell("## Order", metadata=ON),
        new_code_cell(
            "explore(word, alt='A title over a frame', order=['我爱', '爱我', '-'])",
            metadata=hidden("-"),
        ),
    ]
    path = small_deck(tmp_path, *cells, name="13_words")
    with opened(browser, path) as page:
        show_slide_of(page, ".explorer", 0).locator("input").press("ArrowRight")
        assert chinese(page, ".explorer") == [["爱我", "爱我"], []]
        slider = page.get_by_role("slider", name="order", exact=True)
        assert slider.get_attribute("lang") == "zh-Hans"
        slider.press("ArrowRight")
        assert slider.get_attribute("lang") is None
    with opened(browser, path) as page:
        assert page.locator(".explorer input").get_attribute("lang") == "zh-Hans"


def test_an_explorer_is_called_by_the_heading_of_its_slide(page):
    turn_to(page, 1)
    explorer = page.get_by_role("group", name="A wave", exact=True)
    assert explorer.get_by_role("button", name="Reset: A wave", exact=True).count() == 1
    for slider in explorer.get_by_role("slider").all():
        hint = page.locator(f"#{slider.get_attribute('aria-describedby')}")
        assert hint.text_content().startswith("Arrow keys move the slider.")
    assert explorer.locator("output[aria-hidden=true]").count() == 2, "said once"
    assert page.locator(".present [lang]").count() == 0


def test_the_title_leads_to_where_the_chapter_can_be_read_and_run(page):
    links = page.locator(".present .where a")
    colab, binder, book = SITES
    file = "https://me.example/_downloads/12.ipynb"
    assert [link.get_attribute("href") for link in links.all()] == [
        f"{book}.html",
        binder,
        colab,
        file,
    ]
    assert page.locator(".where").count() == 1


def test_the_answer_stands_in_the_speaker_view_alone(page, browser, small):
    turn_to(page, 2)
    note = page.locator(".present aside.notes")
    assert note.text_content().split()[:3] == ["Right:", "the", "second."]
    assert note.locator("details, summary").count() == 0 and note.is_hidden()
    with opened(browser, small, ready=PAGE, size=(390, 844)) as page:
        assert page.locator("aside.notes .answer").is_hidden()


def test_enter_opens_the_slide_that_was_chosen_in_the_outline(page):
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    frame = page.evaluate(
        """(() => {
          const e = document.querySelector('.slides > .present > .present');
          const { outlineStyle, outlineWidth } = getComputedStyle(e);
          const scale = e.getBoundingClientRect().width / e.offsetWidth;
          return [outlineStyle, parseFloat(outlineWidth) * scale];
        })()"""
    )
    assert frame[0] == "solid" and frame[1] >= 3
    assert page.evaluate("Reveal.isOverview()")
    page.keyboard.press("Enter")
    assert not page.evaluate("Reveal.isOverview()")
    assert page.evaluate("Reveal.getIndices().h") == 1


VALUE = "document.querySelector('.explorer input').value"
OPEN = "[...document.querySelectorAll('details')].findIndex(answer => answer.open)"


def test_hall_and_speaker_view_show_the_same(page):
    turn_to(page, 1)
    slider = page.locator(".explorer input").first
    slider.press("ArrowRight")  # before anybody looks
    with page.context.expect_page() as opening:
        page.evaluate("Reveal.getPlugin('notes').open()")
    speaker = opening.value
    until(speaker, "document.querySelectorAll('iframe').length == 2", 30)
    handle = speaker.locator("#current-slide iframe").element_handle()
    preview = handle.content_frame()
    until(preview, f"window.Reveal?.isReady() && {VALUE} === '1'")
    slider.press("ArrowRight")
    until(preview, f"{VALUE} === '2'")
    assert preview.locator(".sentence").first.text_content().startswith("The wave is 3")
    preview.locator(".explorer input").first.press("Home")
    until(page, f"{VALUE} === '0'")
    assert page.locator(".sentence").first.text_content().startswith("The wave is 1")
    page.keyboard.press("PageDown")
    until(preview, "Reveal.getIndices().h === 2")
    page.locator(".present summary").nth(1).click()
    until(preview, f"{OPEN} === 1")
    preview.locator(".present summary").nth(0).click()
    until(page, f"{OPEN} === 0")
    speaker.close()


def test_arrows_are_large_enough_level_and_plain(page):
    assert page.locator(".controls .highlight").count() == 0, "an arrow that bounces"
    turn_to(page, 1)
    names = ["previous slide", "next slide"]
    boxes = [page.get_by_role("button", name=name).bounding_box() for name in names]
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes)
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    number = page.locator(".slide-number a").bounding_box()
    assert min(number["width"], number["height"]) >= 24
    assert boxes[1]["x"] + boxes[1]["width"] <= number["x"]
    until(
        page,
        "getComputedStyle(document.querySelector('.navigate-left')).opacity >= 0.9",
        5,
    )


RING = f"""(() => {{
  const {{ outlineStyle, outlineWidth, outlineColor }} = getComputedStyle({FOCUS});
  return [{FOCUS}.localName, outlineStyle, outlineWidth, outlineColor];
}})()"""


def test_whatever_has_the_focus_wears_the_ring(page):
    seen = set()
    for number in (1, 2, 4):
        turn_to(page, number)
        for _ in range(6):
            page.keyboard.press("Tab")
            name, *ring = page.evaluate(RING)
            if name != "body":
                seen.add(name)
                assert ring == ["solid", "3px", "rgb(170, 51, 119)"], name
    assert seen == {"input", "button", "summary", "a"}


def slide_of_focus(page):
    return page.evaluate(
        f"Reveal.getSlides().indexOf({FOCUS}.closest('.slides section'))"
    )


def test_tab_starts_on_the_slide_that_is_turned_to(page):
    turn_to(page, 2)
    for summary in page.locator(".present summary").all():
        summary.focus()
    page.keyboard.press("PageUp")  # from the last answer, back to the sliders
    assert page.evaluate("Reveal.getIndices().h") == 1
    page.keyboard.press("Tab")
    assert slide_of_focus(page) == 1
    assert page.evaluate(f"{FOCUS}.ariaLabel") == "k"


def test_a_remote_on_reset_leaves_no_focus_behind(page):
    show_slide_of(page, ".explorer", 0).get_by_role("button", name="Reset").focus()
    page.keyboard.press("PageDown")
    assert page.evaluate("Reveal.getIndices().h") == 2
    assert page.evaluate(f"{FOCUS}.textContent") == "A question"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{FOCUS}.localName") == "summary"
    assert slide_of_focus(page) == 2


def test_who_is_at_the_arrows_stays_there(page):
    turn_to(page, 1)
    page.get_by_role("button", name="next slide").focus()
    for h in (2, 3):
        page.keyboard.press("Enter")
        assert page.evaluate("Reveal.getIndices().h") == h
    assert page.evaluate(f"{FOCUS}.ariaLabel") == "next slide"


LETTERS = """selector => {
  const e = [...document.querySelectorAll(selector)].find(e => e.checkVisibility());
  const range = document.createRange();
  range.selectNodeContents(e);
  const lines = [...range.getClientRects()].map(box => box.height);
  return Math.max(...lines) * devicePixelRatio;
}"""


@pytest.mark.parametrize("selector", [".present h2", ".present p"])
def test_letters_grow_when_a_reader_enlarges(browser, small, selector):
    """At 200 % a window of 1280 × 720 is one of 640 × 360 with pixels twice as fine."""
    anywhere = selector.removeprefix(".present ")
    with opened(browser, small) as page:
        turn_to(page, 4)
        before = page.evaluate(LETTERS, selector)
    context = browser.new_context(
        viewport={"width": 640, "height": 360}, device_scale_factor=2
    )
    page = context.new_page()
    page.goto(small.as_uri())
    until(page, PAGE)
    after = page.evaluate(LETTERS, f"section:nth-child(5) {anywhere}")
    context.close()
    assert after > before


@pytest.mark.parametrize("width, height", [(390, 844), (844, 390), (640, 360)])
def test_a_small_window_shows_a_page(browser, small, width, height):
    with opened(browser, small, ready=PAGE, size=(width, height)) as page:
        assert page.evaluate("document.scrollingElement.scrollWidth") == width
        assert page.get_by_role("main").count() == 1
        knobs, picture = (
            page.locator(f".explorer {part}").bounding_box() for part in ("form", "img")
        )
        beside = knobs["x"] + knobs["width"] <= picture["x"]
        assert beside == (width >= 600)


@pytest.mark.parametrize("query", ["?print-pdf", "?view=print", "?receiver"])
def test_printing_and_the_speaker_view_keep_slides(browser, small, query):
    with opened(browser, small, query, size=(640, 360)) as page:
        assert not page.evaluate(PAGE)


def test_enlarging_on_the_way_keeps_the_place(browser, small):
    with opened(browser, small, "#/4") as page:
        with page.expect_navigation():
            page.set_viewport_size({"width": 640, "height": 360})
        until(page, PAGE)
        heading = page.locator("section:nth-child(5) h2")
        until(page, "scrollY > 0", 10)
        assert 0 <= heading.bounding_box()["y"] < 60
        with page.expect_navigation():
            page.set_viewport_size({"width": 1280, "height": 720})
        until(page, "window.Reveal?.isReady()")
        assert page.evaluate("Reveal.getIndices().h") == 4


def test_page_keys_move_a_slider_where_there_are_no_slides(browser, small):
    with opened(browser, small, ready=PAGE, size=(640, 360)) as page:
        slider = page.locator(".explorer input").first
        slider.press("PageUp")
        assert slider.input_value() != "0" and page.said == []
        assert page.evaluate(f"{FOCUS}.ariaLabel") == "k"
        assert slider.get_attribute("aria-describedby") is None


def test_what_scrolls_sideways_scrolls_by_keys(browser, small):
    with opened(browser, small, ready=PAGE, size=(390, 844)) as page:
        code = page.locator(".highlight pre")
        assert code.get_attribute("tabindex") == "0"
        assert page.locator("[tabindex='0']").count() == 1


def test_axe_sees_what_it_is_for(rules, browser, small):
    with opened(browser, small) as page:
        turn_to(page, 1)
        assert axe.faults(page, run=axe.ALONE) == []
        slides = "Reveal.getSlides().length"
        before = page.evaluate(slides)
        image = "document.querySelector('.present img')"
        page.evaluate(f"{image}.removeAttribute('alt')")
        [fault] = axe.faults(page, run=axe.ALONE)
        assert fault.startswith("image-alt: ")
        assert axe.faults(page, [("image-alt", ".explorer")]) == []
        assert page.evaluate(slides) == before


# ---- another browser --------------------------------------------------------------
STATE = """(() => {
  const slide = Reveal.getCurrentSlide();
  return [slide.querySelector('.explorer img').src.slice(-4000), slide.querySelector('.sentence').textContent];
})()"""  # noqa: E501
FIRST = """Reveal.getSlides().indexOf(document.querySelector('.explorer').closest('section'))"""  # noqa: E501


@pytest.mark.parametrize("notebook", [DECKS[0], DECKS[3]], ids=lambda path: path.stem)
def test_a_deck_lives_in_firefox(fox, built_deck, notebook):
    with firefox.opened(built_deck(notebook).as_uri()) as page:
        page.until("window.Reveal?.isReady()")
        number = page.evaluate(FIRST)
        page.evaluate(
            f"(({{h, v}}) => Reveal.slide(h, v, 99))"
            f"(Reveal.getIndices(Reveal.getSlides()[{number}]))"
        )
        start = page.evaluate(STATE)
        slider = ".present .explorer input"
        value = f"document.querySelector({json.dumps(slider)}).value"
        page.press("Tab", "Home")
        if page.evaluate(STATE) == start:
            page.press("End")
        by_key = page.evaluate(STATE)
        assert all(now != then for now, then in zip(by_key, start))
        page.press("Home")
        least = page.evaluate(STATE)
        page.drag(slider, 0.02, 0.98)
        most = page.evaluate(STATE)
        assert all(now != then for now, then in zip(most, least))
        assert int(page.evaluate(value)) > 0
        page.press("Escape", "PageDown")
        page.until("!Reveal.getCurrentSlide().matches(':has(.explorer input:focus)')")
        at = page.evaluate("Reveal.getSlides().indexOf(Reveal.getCurrentSlide())")
        assert at == number + 1
        assert page.said == []
        own = page.evaluate("location.href.split('#')[0]")
        assert [url for url in page.asked if not url.startswith((own, "data:"))] == []
