"""A reader with a link relies on this: pages alive without a kernel, anywhere."""

import json
import os
import re
import time
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from math import prod
from threading import Thread

import axe
import bind
import export
import firefox
import nbformat
import pytest
from chapters import CHAPTERS, DECKS, NOTEBOOKS, ROOT
from drawing import chapter, drawn, explorer_of
from repo import current, site_of

pytestmark = pytest.mark.browser
SITE = ROOT / "book" / "build" / "site"
PAGES = ["index", "ten_minutes", "questions", "glossary", "lecturers", "measured"]
PAGES += [path.stem for path in CHAPTERS]
WITH_EXPLORERS = ["ten_minutes", "questions", *(path.stem for path in CHAPTERS)]
EACH_PAGE = pytest.mark.parametrize("name", PAGES)
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True}
PHONE |= {"has_touch": True, "device_scale_factor": 2}
DESK = {"viewport": {"width": 1280, "height": 900}}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Say nothing."""


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    """The address of the book below a folder of a host, as on GitHub Pages."""
    assert (SITE / "index.html").is_file(), "make book"
    root = tmp_path_factory.mktemp("host")
    (root / "course").symlink_to(SITE)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/course/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(browser, host):
    """Opens pages; notes what they ask for and complain about."""
    contexts = []

    def opened(name, base=host, **options):
        context = browser.new_context(**{**DESK, **options})
        contexts.append(context)
        page = context.new_page()
        page.asked, page.said = [], []
        context.on("request", lambda request: page.asked.append(request.url))
        context.on("console", lambda line: heard(page, line))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.goto(base + name)
        return page

    yield opened
    for context in contexts:
        context.close()


def heard(page, line):
    if line.type in ("error", "warning"):
        page.said.append(line.text)


def until(page, condition, argument=None, seconds=20):
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition, argument):
        assert time.monotonic() < deadline, f"waited {seconds} s for {condition}"
        time.sleep(0.02)


def to_the_end(page):
    """Scroll through a page, so that all its pictures are fetched."""
    page.evaluate("document.querySelectorAll('img').forEach(i => { i.loading = '' })")
    loaded = "[...document.images].every(image => image.complete)"
    until(page, loaded)
    assert page.evaluate("[...document.images].every(image => image.naturalWidth)")


# ---- every page -----------------------------------------------------------------
def settled(page):
    """Wait for pictures and formulas."""
    until(page, "document.readyState === 'complete'")
    to_the_end(page)
    if page.locator(".math").count():
        until(page, "document.querySelector('mjx-container')")


@EACH_PAGE
def test_a_page_in_a_folder_asks_no_host_and_complains_of_nothing(visit, name):
    base = SITE.as_uri() + "/"
    page = visit(f"{name}.html", base)
    settled(page)
    assert [url for url in page.asked if not url.startswith((base, "data:"))] == []
    assert page.said == []


@pytest.mark.parametrize("options", [PHONE, DESK], ids=["phone", "desk"])
@EACH_PAGE
def test_a_page_on_a_host_fits_the_screen_and_asks_no_other(visit, host, name, options):
    base = host
    page = visit(f"{name}.html", **options)
    settled(page)
    width = options["viewport"]["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert [url for url in page.asked if not url.startswith((base, "data:"))] == []
    assert page.said == []


@cache
def explorers():
    """What each explorer should have, from the chapters' drawings."""
    held = {}
    for path in CHAPTERS:
        nb = chapter(path, drawn(path, say=print))
        for cell in nb.cells:
            for need in filter(None, map(explorer_of, cell.get("outputs", []))):
                held[f"frames/{path.stem}/{cell.id}/"] = need
    return held


ALIVE = """explorer => {
  const image = explorer.querySelector('img');
  return [image.dataset.shown, explorer.querySelector('.sentence').textContent, image.getAttribute('src').split('/').at(-1)];
}"""  # noqa: E501


def shows(panel, need, index):
    """Wait until an explorer shows and says what belongs to a number."""
    wanted = [str(index), need["sentences"][index], f"{index}.webp"]
    deadline = time.monotonic() + 20
    while (found := panel.evaluate(ALIVE)) != wanted:
        assert time.monotonic() < deadline, f"{found} in place of {wanted}"
        time.sleep(0.01)


@pytest.mark.parametrize("name", WITH_EXPLORERS)
def test_every_slider_shows_and_says_what_belongs_to_its_value(visit, name):
    page = visit(f"{name}.html")
    held = explorers()
    panels = page.locator(".explorer").all()
    assert panels
    for panel in panels:
        script = json.loads(panel.locator("script").text_content())
        need = held[script["folder"]]
        counts = [len(slider["labels"]) for slider in need["sliders"]]
        frames = list((SITE / script["folder"]).glob("*.webp"))
        assert len(frames) == prod(counts) == len(need["sentences"])
        place = [slider["start"] for slider in need["sliders"]]
        panel.scroll_into_view_if_needed()
        for axis, slider in enumerate(need["sliders"]):
            knob = panel.get_by_role("slider", name=slider["name"], exact=True)
            for key, value in (("Home", 0), ("ArrowRight", 1), ("End", counts[axis])):
                knob.press(key)
                place[axis] = min(value, counts[axis] - 1)
                index = 0
                for count, at in zip(counts, place):
                    index = index * count + at
                if index != need["start"] or panel.evaluate(ALIVE)[0]:
                    shows(panel, need, index)
                label = slider["labels"][place[axis]]
                assert knob.get_attribute("aria-valuetext") == label
                assert panel.locator("output").nth(axis).inner_text() == label
        panel.get_by_role("button", name="Reset").click()
        shows(panel, need, need["start"])
    assert page.said == []


def test_every_chapter_has_all_its_explorers_and_pictures():
    for path in CHAPTERS:
        nb = chapter(path, drawn(path, say=print))
        outputs = [o for cell in nb.cells for o in cell.get("outputs", [])]
        page = (SITE / f"{path.stem}.html").read_text("utf-8")
        live = sum(1 for output in outputs if explorer_of(output))
        still = sum("[picture]" in str(o.get("data", "")) for o in outputs)
        still -= sum(1 for o in outputs if explorer_of(o))
        assert page.count('<div class="explorer"') == live > 0
        assert page.count('<div class="figure"') == still > 0


# ---- on its way to the reader ------------------------------------------------------
def test_pictures_are_fetched_near_a_slider_two_at_a_time(visit):
    page = visit("index.html")
    held = []
    page.route("**/frames/**", lambda route: held.append(route))
    page.goto(page.url.replace("index", "02_sine_cosine_waves"))
    page.wait_for_timeout(500)
    assert len(held) <= 2, "start pictures near the screen alone"
    panel = page.locator(".explorer").first
    panel.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    for route in held:
        route.continue_()
    held.clear()
    panel.locator("input").first.focus()
    page.wait_for_timeout(500)
    assert len(held) == 2
    names = {route.request.url.rpartition("/")[2] for route in held}
    assert names == {"1.webp", "2.webp"}, "the nearest first"
    held.pop(0).continue_()
    page.wait_for_timeout(500)
    assert len(held) == 2


def test_a_page_is_light(visit):
    """Before a touch: what a slow line must carry, unpacked (packed it is a third)."""
    page = visit("02_sine_cosine_waves.html", **PHONE)
    until(page, "document.readyState === 'complete'")
    page.wait_for_timeout(500)
    sizes = page.evaluate(
        "performance.getEntriesByType('resource').map(r => [r.name, r.encodedBodySize])"
    )
    assert sum(size for _, size in sizes) < 2.6e6
    assert len(sizes) <= 45
    assert not [name for name, _ in sizes if "fontawesome.js" in name]


# ---- on a telephone, on a desk -----------------------------------------------------
CUT = """() => [...document.querySelectorAll('.cell_input pre')]
  .filter(e => !e.closest('details') && e.scrollWidth > e.clientWidth)
  .map(e => e.textContent.trim().slice(0, 60))"""


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_on_a_desk_no_code_scrolls_sideways(visit, notebook):
    page = visit(f"{notebook.stem}.html")
    page.evaluate("document.fonts.ready")
    assert page.evaluate(CUT) == []


def thumb(page, x, y, dx, dy):
    """Drag a thumb across the screen."""
    line = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (x, y))
    for step in range(1, 11):
        touch("touchMove", (x + dx * step / 10, y + dy * step / 10))
    touch("touchEnd")


def test_a_thumb_moves_a_slider_and_not_the_page(visit):
    page = visit("ten_minutes.html", **PHONE)
    to_the_end(page)
    panel = page.locator(".explorer").nth(2)
    panel.scroll_into_view_if_needed()
    for slider in panel.locator("input").all():
        slider.evaluate("e => e.scrollIntoView({block: 'center'})")
        slider.press("Home")
        before = page.evaluate("scrollY")
        box = slider.bounding_box()
        assert box["height"] >= 44
        x, y = box["x"] + 10, box["y"] + box["height"] / 2
        thumb(page, x, y, box["width"] - 20, 12)
        assert slider.input_value() == slider.get_attribute("max")
        assert page.evaluate("scrollY") == before
    thumb(page, 200, 700, 0, -300)  # elsewhere, the page scrolls
    until(page, f"scrollY > {before} + 100")


def test_picture_and_sliders_stand_on_the_screen_together(visit):
    tall = []
    for name in WITH_EXPLORERS:
        page = visit(f"{name}.html", **PHONE)
        to_the_end(page)
        for panel in page.locator(".explorer").all():
            top = panel.locator("img").bounding_box()["y"]
            last = panel.locator("input").last.bounding_box()
            height = last["y"] + last["height"] - top
            if height > 640:  # what a browser's bars leave of 844
                tall.append((name, panel.locator("input").count(), round(height)))
    assert tall == []


def test_a_tap_enlarges_a_picture_and_its_sliders_until_letters_can_be_read(visit):
    page = visit("04_sum_angle_derivation.html", **PHONE)
    to_the_end(page)
    panel = page.locator(".explorer").first
    panel.get_by_role("button", name=re.compile("^Enlarge")).tap()
    dialog = page.get_by_role("dialog")
    image = dialog.locator("img")
    natural = image.evaluate("e => e.naturalWidth") * 100 / export.DPI
    assert image.bounding_box()["width"] >= natural - 1, "13 points are 18 pixels"
    first = image.get_attribute("src")
    slider = dialog.locator("input").last
    slider.press("Home")
    until(page, "s => document.querySelector('dialog img').src.endsWith(s)", "0.webp")
    assert image.get_attribute("src") != first
    room = dialog.locator(".room")
    assert room.evaluate("e => { e.scrollLeft = 50; return e.scrollLeft }") == 50
    dialog.get_by_role("button", name="Close").tap()
    assert page.get_by_role("dialog").count() == 0
    assert panel.locator("img").count() == panel.locator(".knobs").count() == 1
    figure = page.locator(".figure").nth(1)
    figure.locator("img").tap()
    dialog.get_by_role("button", name="Close").tap()
    assert figure.locator("img").bounding_box()["width"] <= 390


def test_who_closes_an_enlarged_picture_is_where_they_were(visit):
    page = visit("ten_minutes.html", **PHONE)
    to_the_end(page)
    for button in page.get_by_role("button", name=re.compile("^Enlarge")).all():
        button.evaluate("e => e.scrollIntoView({block: 'center'})")
        at = page.evaluate("scrollY")
        button.tap()
        page.wait_for_timeout(100)
        page.get_by_role("dialog").get_by_role("button", name="Close").tap()
        page.wait_for_timeout(100)
        assert abs(page.evaluate("scrollY") - at) < 5


# ---- what stands on a page ---------------------------------------------------------
def test_pictures_keep_their_colours_in_the_dark(visit):
    for scheme in ("light", "dark"):
        page = visit("03_embedding_plus_position.html", color_scheme=scheme)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        for selector in (".figure img", ".explorer img"):
            look = page.locator(selector).first.evaluate(
                "e => [getComputedStyle(e).filter, getComputedStyle(e).backgroundColor]"
            )
            assert look == ["none", "rgb(255, 255, 255)"]


def test_predictions_and_drawing_code_are_folded(visit):
    page = visit("02_sine_cosine_waves.html")
    nb = nbformat.read(NOTEBOOKS / "02_sine_cosine_waves.ipynb", 4)
    folded = [c for c in nb.cells if c.metadata.get("jupyter", {}).get("source_hidden")]
    closed = "\n".join(page.locator("details.hide pre").all_text_contents())
    sources = [cell.source for cell in folded[1:] if "predict(" not in cell.source]
    assert sources and [s for s in sources if s.splitlines()[0] not in closed] == []
    assert page.locator("details[open]").count() == 0
    answer = page.locator("details:not(.hide)").first
    assert not answer.locator("p, div").first.is_visible()
    answer.locator("summary").click()
    assert answer.get_attribute("open") is not None
    names = page.locator("details.hide summary p.expanded").all_text_contents()
    assert all(name.startswith("Code") for name in names) and len(set(names)) > 5
    source = page.locator("main").text_content()  # the answers are in no fold, either
    assert "\npredict(" not in source and "\nexplore(" not in source


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_leads_to_where_it_runs(visit, host, notebook):
    page = visit(f"{notebook.stem}.html")
    name, ref = current()
    links = set(
        page.evaluate("[...document.querySelectorAll('a')].map(link => link.href)")
    )
    file = f"notebooks/{notebook.name}"
    assert f"https://colab.research.google.com/github/{name}/blob/{ref}/{file}" in links
    assert (
        f"https://mybinder.org/v2/gh/{name}/{ref}?urlpath=lab/tree/{file}" in links
    )
    assert f"https://github.com/{name}/edit/{ref}/{file}" in links
    assert f"{host}_sources/{notebook.name}" in links
    assert (SITE / "_sources" / notebook.name).read_bytes() == notebook.read_bytes()
    if notebook in DECKS:
        assert f"{host}slides/{notebook.stem}.html" in links
        assert (SITE / "slides" / f"{notebook.stem}.html").stat().st_size > 1e6
    exercises = [
        cell
        for cell in nbformat.read(notebook, 4).cells
        if "check" in cell.metadata.get("tags", [])
    ]
    assert page.locator(".try").count() == len(exercises) > 0
    order = ["index", "ten_minutes", *(path.stem for path in CHAPTERS), "questions"]
    at = order.index(notebook.stem)
    assert f"{host}{order[at - 1]}.html" in links
    assert f"{host}{order[at + 1]}.html" in links


def test_pages_that_are_no_chapters_can_be_edited(visit):
    name, ref = current()
    page = visit("questions.html")
    link = f"https://github.com/{name}/edit/{ref}/book/pages/questions.md"
    assert page.locator(f'a[href="{link}"]').count() > 0


def test_a_chapters_picture_stands_at_its_head(visit):
    for notebook in CHAPTERS[:-1]:
        page = visit(f"{notebook.stem}.html")
        top = page.locator(".figure img").first.bounding_box()
        assert top["y"] < 500 and top["width"] > 400, notebook.stem


def test_words_link_to_the_glossary_and_show_its_line(visit):
    page = visit("01_integer_encoding.html")
    lines = bind.definitions()
    links = page.locator('main a[href^="glossary.html#"]').all()
    assert len(links) > 20
    for link in links:
        name = link.get_attribute("href").partition("#")[2]
        assert link.get_attribute("title") == lines[name]
    page.goto(page.url.replace("01_integer_encoding", "glossary"))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert set(lines) <= set(ids)


@pytest.mark.parametrize("notebook", DECKS, ids=lambda path: path.stem)
def test_a_term_of_the_trade_leads_to_the_glossary_once_a_chapter(notebook):
    page = (SITE / f"{notebook.stem}.html").read_text("utf-8")
    links = re.findall(r'href="glossary\.html#([^"]+)" title="[^"]+"', page)
    assert len(links) > 3 and len(links) == len(set(links))
    headings = "".join(re.findall(r"<h[1-4]>.*?</h[1-4]>", page))
    assert "glossary.html" not in headings


def test_only_running_text_is_linked():
    source = (
        "# A dot product\n\n`dot product` and $dot product$, [a dot product](x.ipynb):"
        " two dot products, one dot product."
    )
    linked, left = bind.with_links(source, ["dot product", "residual connection"])
    link = "[dot products](glossary.ipynb#dot-product)"
    assert linked == source.replace("dot products", link)
    assert left == ["residual connection"]


def test_code_can_be_copied(visit):
    page = visit("02_sine_cosine_waves.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell = page.locator(".cell_input:has(pre)").filter(has_text="def rounded").first
    cell.hover()
    cell.locator("button.copybtn").click()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("def rounded(pos, j, roundness):")


@pytest.mark.parametrize("where", ["host", "folder"])
@pytest.mark.parametrize("word", ["我爱你", "shift_matrix", "Vandermonde"])
def test_search_finds(visit, host, word, where):
    base = host if where == "host" else SITE.as_uri() + "/"
    page = visit(f"search.html?q={word}", base)
    until(page, "document.querySelectorAll('#search-results li').length > 0")
    assert where == "folder" or page.said == []  # there, no browser reads other pages
    page = visit("search.html?q=zzzz", base)
    page.wait_for_timeout(1000)
    assert page.locator("#search-results li").count() == 0


def test_what_hosts_and_friends_ask_for_is_there(visit, host):
    site = site_of(current()[0])
    page = (SITE / "ten_minutes.html").read_text("utf-8")
    assert f'<link rel="canonical" href="{site}ten_minutes.html"' in page
    card = re.search(r'property="og:image" content="([^"]+)"', page)[1]
    assert card.startswith(site) and (SITE / card.removeprefix(site)).is_file()
    assert 'property="og:description"' in page and 'lang="en"' in page
    icon = re.search(r'rel="icon" href="([^"]+)"', page)[1]
    assert (SITE / icon).is_file()
    sitemap = (SITE / "sitemap.xml").read_text("utf-8")
    assert all(f"<loc>{site}{name}.html</loc>" in sitemap for name in PAGES)
    lost = (SITE / "404.html").read_text("utf-8")
    root = "/" + site.split("/", 3)[3]
    assert f'href="{root}index.html"' in lost and f'src="{root}_static/' in lost


def test_the_moving_picture_stands_still_for_those_who_ask(visit):
    for motion, name in (("no-preference", "views.gif"), ("reduce", "still.png")):
        page = visit("index.html", reduced_motion=motion)
        to_the_end(page)
        source = page.evaluate("document.querySelector('.figure img').currentSrc")
        assert source.endswith(name)


# ---- for all -----------------------------------------------------------------------
@pytest.fixture(scope="session")
def rules():
    if axe.find() is None:
        reason = "no axe-core: make test-book installs it"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


@pytest.mark.parametrize("name", [*PAGES, "search"])
def test_a_page_can_be_used_by_all(rules, visit, name):
    page = visit(f"{name}.html", bypass_csp=True)
    to_the_end(page)
    page.wait_for_timeout(500)
    assert axe.faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ten_minutes", "04_sum_angle_derivation"])
def test_so_it_can_in_the_dark_and_on_a_telephone(rules, visit, name, scheme):
    page = visit(f"{name}.html", bypass_csp=True, color_scheme=scheme, **PHONE)
    to_the_end(page)
    page.wait_for_timeout(500)
    assert axe.faults(page) == []
    page.locator(".enlarge").first.tap()
    assert axe.faults(page) == []


def test_chinese_is_marked(visit):
    page = visit("01_integer_encoding.html")
    assert page.locator('main [lang="zh-Hans"]').count() > 5
    slider = page.get_by_role("slider", name="order").first
    slider.press("Home")
    assert slider.get_attribute("lang") == "zh-Hans"
    knob = page.locator(".knob", has=slider)
    assert knob.locator("output").inner_text() == slider.get_attribute("aria-valuetext")


def test_a_page_lives_in_firefox(host):
    if firefox.find() is None:
        reason = "no Firefox: install one, or name it in FIREFOX"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with firefox.opened(f"{host}02_sine_cosine_waves.html") as page:
        panel = "document.querySelector('.explorer')"
        page.evaluate(f"{panel}.scrollIntoView({{block: 'center'}})")
        page.evaluate(f"{panel}.querySelector('input').focus()")
        page.press("End")
        page.until(f"{panel}.querySelector('img').src.endsWith('/10.webp')")
        said = page.evaluate(f"{panel}.querySelector('.sentence').textContent")
        page.drag(".explorer input", 0.98, 0.02)
        page.until(f"{panel}.querySelector('img').src.endsWith('/0.webp')")
        now = page.evaluate(f"{panel}.querySelector('.sentence').textContent")
        assert now != said
        page.until("!!document.querySelector('mjx-container')")
        assert [url for url in page.asked if not url.startswith((host, "data:"))] == []
        assert page.said == []
