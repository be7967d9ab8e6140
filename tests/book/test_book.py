"""A reader with a link relies on this: pages alive without a kernel, anywhere."""

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from book.bind import SITE
from book.extensions.glossary_lines import definitions
from render.narrow import DPI, WIDTH
from tests.support.pages import (
    PHONE,
    barriers,
    drawn_explorers,
    move_every_drawn_slider,
    opened,
)
from tools.chapters import CHAPTERS, DECKS, NOTEBOOKS, cells, tags
from tools.repo import current, is_named, site_of

pytestmark = pytest.mark.browser
FOLDER = SITE.as_uri() + "/"
BESIDE = ["index", "ten_minutes", "run_here", "questions", "glossary", "lecturers"]
BESIDE += ["measured"]
WITHOUT_SLIDERS = ["run_here", "glossary", "lecturers", "measured"]
ORDER = ["index", "ten_minutes", *(path.stem for path in CHAPTERS), "questions"]
PAGES = [*BESIDE, *(path.stem for path in CHAPTERS)]
# The colours of code, which take long, are looked at on one page.
TEXT = {"include": [["html"]], "exclude": [["pre"]]}


def fetch_all(page):
    """Fetch all pictures."""
    page.evaluate(
        """async () => {
          const images = [...document.images];
          images.forEach(image => { image.loading = 'eager' });
          await Promise.all(images.map(image => image.decode()));
        }"""
    )


def width(page):
    return page.evaluate("document.documentElement.scrollWidth")


# ---- every page ---------------------------------------------------------------------
@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_a_folder_fits_a_telephone(browser, name):
    with opened(browser, f"{FOLDER}{name}.html", home=FOLDER, **PHONE) as page:
        fetch_all(page)
        assert width(page) == 390
        for panel in page.locator(".explorer").all():
            top = panel.locator("img").bounding_box()["y"]
            last = panel.locator("input").last.bounding_box()
            # what a browser's bars leave of 844 pixels
            assert last["y"] + last["height"] - top <= 640, "picture and sliders"


@pytest.fixture(scope="module", params=PAGES)
def at_desk(request, browser, host):
    """A page of the book on a host, at a desk."""
    with opened(browser, f"{host}{request.param}.html", home=host) as page:
        fetch_all(page)
        yield page


def test_a_page_on_a_host_fits_a_desk_and_can_be_used_by_all(at_desk):
    assert width(at_desk) == 1280
    assert barriers(at_desk, TEXT) == []


@pytest.fixture(scope="module")
def every_explorer():
    """What the explorers of all chapters should show, by the folder of their pictures.

    Pages beside the chapters show some of them, too.
    """
    return {
        f"{path.stem}/{explorer['folder'].split('/')[1]}": explorer
        for path in CHAPTERS
        for explorer in drawn_explorers(path)[1]
    }


def test_every_slider_shows_and_says_what_belongs_to_its_value(at_desk, every_explorer):
    panels = at_desk.locator(".explorer").all()
    name = Path(at_desk.url).stem
    own = [folder for folder in every_explorer if folder.startswith(f"{name}/")]
    assert len(panels) == len(own) if own else panels or name in WITHOUT_SLIDERS
    for panel in panels:
        source = panel.locator("img").get_attribute("src")
        folder = re.search(r"frames/([^/]+/[^/]+)/", source)[1]
        panel.scroll_into_view_if_needed()
        move_every_drawn_slider(panel, every_explorer[folder])


# ---- on its way to the reader -------------------------------------------------------
def test_a_page_is_light(visit):
    """Before a touch: what a slow line must carry, unpacked (packed it is a third)."""
    with visit("02_sine_cosine_waves.html", **PHONE) as page:
        page.wait_for_load_state("networkidle")
        sizes = page.evaluate(
            "performance.getEntriesByType('resource').map(e => e.encodedBodySize)"
        )
        assert sum(sizes) < 1.4e6 and len(sizes) <= 40


# ---- on a telephone -----------------------------------------------------------------
def swipe(page, x, y, dx, dy):
    """Draw a thumb across the screen."""
    line = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (x, y))
    for step in range(1, 11):
        touch("touchMove", (x + dx * step / 10, y + dy * step / 10))
    touch("touchEnd")


@pytest.mark.devtools
def test_a_thumb_moves_a_slider_and_elsewhere_the_page(visit):
    with visit("ten_minutes.html", **PHONE) as page:
        fetch_all(page)
        slider = page.locator(".explorer input").nth(2)
        slider.evaluate("e => e.scrollIntoView({ block: 'center' })")
        slider.press("Home")
        before = page.evaluate("scrollY")
        box = slider.bounding_box()
        assert box["height"] >= 44
        swipe(page, box["x"] + 10, box["y"] + 22, box["width"] - 20, 12)
        assert slider.input_value() == slider.get_attribute("max")
        assert page.evaluate("scrollY") == before
        swipe(page, 200, 700, 0, -300)
        page.wait_for_function("before => scrollY > before + 100", arg=before)


def test_pictures_are_in_the_shape_of_a_telephone_until_it_is_turned(visit):
    with visit("02_sine_cosine_waves.html", **PHONE) as page:
        fetch_all(page)
        widths = page.locator(":is(.figure, .explorer) img").evaluate_all(
            "images => images.map(e => e.naturalWidth)"
        )
        assert min(widths) == WIDTH * DPI
        panel = page.locator(".explorer").first
        image = panel.locator("img")
        before = image.evaluate("e => e.currentSrc")
        panel.locator("input").first.press("End")
        changed = "([image, before]) => image.currentSrc !== before"
        page.wait_for_function(changed, arg=[image.element_handle(), before])
        assert "/narrow/" in image.evaluate("e => e.currentSrc")
        page.set_viewport_size({"width": 844, "height": 390})
        wide = "image => !image.currentSrc.includes('/narrow/') && image.complete"
        page.wait_for_function(wide, arg=image.element_handle())


# ---- what stands on a page ----------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_with_its_code_can_be_used_by_all(visit, scheme):
    with visit("appendix_algorithm.html", color_scheme=scheme, **PHONE) as page:
        assert barriers(page) == []


@pytest.mark.own_firefox
def test_a_page_is_dark_in_the_dark_and_its_pictures_stay_on_white(visit):
    with visit("03_embedding_plus_position.html", color_scheme="dark") as page:
        expect(page.locator("body")).to_have_css("background-color", "rgb(23, 28, 34)")
        for place in (".figure picture", ".explorer picture"):
            white = "rgb(255, 255, 255)"
            expect(page.locator(place).first).to_have_css("background-color", white)


@pytest.mark.own_firefox
def test_coloured_formulas_can_be_read_in_the_dark(visit):
    with visit("04_sum_angle_derivation.html", color_scheme="dark") as page:
        colours = page.locator("main mjx-container [fill^='#']").evaluate_all(
            "parts => parts.map(e => getComputedStyle(e).fill)"
        )
    assert len(set(colours)) > 1
    for colour in set(colours):
        lightness = np.array(re.findall(r"\d+", colour), float) / 255
        assert lightness**2.2 @ (0.21, 0.72, 0.07) > 0.25, colour  # 5 to 1 on black


def test_answers_and_drawing_code_are_folded(visit):
    with visit("02_sine_cosine_waves.html") as page:
        folded = [
            cell.source.splitlines()[0]
            for cell in cells(NOTEBOOKS / "02_sine_cosine_waves.ipynb", "code")
            if "def draw_" in cell.source
        ]
        closed = "\n".join(page.locator("details.hide pre").all_text_contents())
        assert folded and [line for line in folded if line not in closed] == []
        text = page.locator("main").text_content()  # the answers are in no fold, either
        assert "\nexplore(" in closed and "\npredict(" not in text
        expect(page.locator("details[open]")).to_have_count(0)


def test_an_answer_unfolds_alone(visit):
    with visit("02_sine_cosine_waves.html") as page:
        rows = page.locator(".output:has(.right)").first.locator("details")
        for kind, verdict in (".wrong", "Not this one."), (".right", "Right."):
            answer = rows.and_(page.locator(kind)).first
            answer.locator("summary").click()
            expect(answer).to_have_attribute("open", "")
            expect(answer.locator("p").first).to_contain_text(verdict)
            expect(page.locator("details[open]")).to_have_count(1)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_an_exercise_is_one_box_up_to_its_solution(path):
    page = BeautifulSoup((SITE / f"{path.stem}.html").read_text("utf-8"), "html.parser")
    boxes = page.select("section.exercise")
    assert len(boxes) == sum("exercise" in tags(cell) for cell in cells(path, "code"))
    for box in boxes:
        rows = [row.text for row in box.select(".unfold > summary")]
        assert rows == ["Hint", "Solution"] and "Your turn." not in box.text


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_leads_to_where_it_runs(notebook):
    page = (SITE / f"{notebook.stem}.html").read_text("utf-8")
    links = set(re.findall(r'href="([^"]+)"', page))
    name, ref = current()
    file = f"notebooks/{notebook.name}"
    at = ORDER.index(notebook.stem)
    there = {
        f"https://colab.research.google.com/github/{name}/blob/{ref}/{file}",
        f"https://mybinder.org/v2/gh/{name}/{ref}?urlpath=lab/tree/{file}",
        f"https://github.com/{name}/edit/{ref}/{file}",
    }
    assert there <= links if is_named(name) else not there & links
    before, after = f"{ORDER[at - 1]}.html", f"{ORDER[at + 1]}.html"
    assert {f"downloads/{notebook.stem}.zip", before, after} <= links
    if notebook in DECKS:
        assert f"slides/{notebook.stem}.html" in links
        assert (SITE / "slides" / f"{notebook.stem}.html").is_file()
    tasks = [cell.id for cell in cells(notebook) if "exercise-text" in tags(cell)]
    assert page.count('class="try"') == len(tasks), "it says where it can be tried"
    here = re.findall(rf"run/notebooks/.*path={notebook.name}#([\w-]+)", page)
    assert here == (tasks if (SITE / "run").exists() else [])


def test_a_downloaded_chapter_has_all_that_it_imports(tmp_path):
    runs = {}  # one for all chapters that have the same files beside them
    for notebook in CHAPTERS:
        with ZipFile(SITE / "downloads" / f"{notebook.stem}.zip") as file:
            file.extractall(tmp_path)
        folder = tmp_path / notebook.stem
        assert (folder / notebook.name).read_bytes() == notebook.read_bytes()
        beside = frozenset(path.name for path in folder.rglob("*")) - {notebook.name}
        _, sources = runs.setdefault(beside, (folder, []))
        for words in "urllib.request.urlopen", "from course import":
            code = [cell.source for cell in cells(notebook, "code")]
            sources.append(next(source for source in code if words in source))
    no_network = "import urllib.request\nurllib.request.urlopen = None"
    for folder, sources in runs.values():
        source = "\n".join([no_network, *sources])
        subprocess.run([sys.executable, "-c", source], cwd=folder, check=True)


def test_whoever_is_quicker_than_the_scripts_gets_the_right_picture(browser, host):
    page = browser.new_page()
    held = []
    page.route("**/explorer.js*", lambda route: held.append(route))
    page.goto(f"{host}02_sine_cosine_waves.html", wait_until="commit")
    panel = page.locator(".explorer").first
    slider = panel.locator("input").first
    slider.press("End")
    value = slider.input_value()
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    frame = re.compile(rf"/{value}\.webp$")
    expect(panel.locator("img")).to_have_attribute("src", frame)
    page.close()


def test_words_link_to_the_glossary_and_show_its_line(visit):
    with visit("01_integer_encoding.html") as page:
        links = page.locator('main a[href^="glossary.html#"]').all()
        terms = [link.get_attribute("href").partition("#")[2] for link in links]
        said = [link.get_attribute("title") for link in links]
        assert terms and said == [definitions()[term] for term in terms]
        links[0].click()
        expect(page.locator(":target")).to_be_visible()


TOPS = "words => words.map(e => Math.floor(e.getClientRects()[0]?.top ?? -1))"
FOUND = """words => words.map(
  word => Search._performSearch(...Search._parseQuery(word)).map(([page]) => page))"""


def test_search_finds_all_chinese_words_of_one_to_three_signs(visit):
    pages = {name: (SITE / f"{name}.html").read_text("utf-8") for name in PAGES}
    for name, page in pages.items():
        pages[name] = BeautifulSoup(page, "html.parser").article.get_text()
    text = "\n".join(pages.values())
    sizes = (re.findall(f"(?=([一-鿿]{{{size}}}))", text) for size in (1, 2, 3))
    words = sorted({word for found in sizes for word in found})
    with visit("search.html") as page:
        page.wait_for_function("Search.hasIndex()")
        for word, found in zip(words, page.evaluate(FOUND, words)):
            assert set(found) == {n for n in PAGES if word in pages[n]}, word


@pytest.mark.parametrize("word", ["老师", "我爱你", "rotary"])
def test_search_finds_a_word_and_leads_to_it(visit, word):
    with visit(f"search.html?q={word}") as page:
        expect(page.get_by_text("for excerpts")).to_be_visible()
        first = page.locator("#search-results li a").first
        expect(first).to_be_visible()
        assert barriers(page) == []
        first.click()
        found = page.locator(".bd-article").get_by_text(word)
        for _ in range(20):  # a busy machine goes there later
            page.wait_for_timeout(500)
            if any(top in range(720) for top in found.evaluate_all(TOPS)):
                return
        pytest.fail(f"{word} is not in sight: {page.url}")


@pytest.mark.own_firefox
def test_without_scripts_pages_and_decks_say_why_nothing_moves(browser, host):
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{host}ten_minutes.html")
    expect(page.locator(".knobs noscript").first).to_be_visible()
    expect(page.locator(".knobs :is(input, button):visible")).to_have_count(0)
    page.goto(f"{host}slides/{DECKS[0].stem}.html")
    expect(page.locator("noscript p")).to_be_visible()
    page.close()


def test_the_contents_of_a_telephone_lead_to_a_section(visit):
    with visit("02_sine_cosine_waves.html", **PHONE) as page:
        page.locator("button.secondary-toggle").click()
        page.locator("dialog").get_by_role("link", name="Why 10,000?").click()
        expect(page.locator("dialog[open]")).to_have_count(0)
        expect(page.get_by_role("heading", name="Why 10,000?")).to_be_in_viewport()


def test_a_wrong_address_leads_back():
    name, _ = current()
    root = "/" + (site_of(name).split("/", 3)[3] if is_named(name) else "")
    page = (SITE / "404.html").read_text("utf-8").partition("<article")[2]
    assert f'href="{root}index.html"' in page and f'href="{root}questions' in page


def test_chinese_is_marked(visit):
    with visit("01_integer_encoding.html") as page:
        expect(page.locator('main [lang="zh-Hans"]').first).to_be_attached()
        choice = page.get_by_role("radiogroup", name="order").first
        expect(choice.locator("[lang=zh-Hans]").first).to_be_attached()
