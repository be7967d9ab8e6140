"""`make bench` times a slider until its new picture is there, whole, and not before."""

import sys

import pytest
from chapters import CHAPTERS, ROOT

sys.path.append(str(ROOT / "bench"))
import sliders  # noqa: E402
from events import TIMING, asked, by_keys, figures, walk  # noqa: E402

DELAY = 100  # ms, from the event to the whole picture
# What stands in the page, and how it answers a slider at the value k.
COMMON = """
const later = answer => setTimeout(answer, DELAY);
const place = document.querySelector('#place');
const picture = k => {
  const colour = `rgb(${20 * k}, 0, 0)`;
  return 'data:image/svg+xml,' + encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">
       <rect width="9" height="9" fill="${colour}"/></svg>`);
};
const image = k => {
  const made = new Image();
  made.src = picture(k);
  place.replaceChildren(made);
};
const canvas = place.querySelector('canvas');
const paint = k => {
  const copy = new OffscreenCanvas(9, 9), pen = copy.getContext('2d');
  pen.fillStyle = `rgb(${20 * k}, 0, 0)`;
  pen.fillRect(0, 0, 9, 9);
  canvas.getContext('2d').drawImage(copy, 0, 0);
};
let old = 0;
if (canvas) paint(old);
"""
WAYS = {
    "another source": (
        "image",
        "<img>",
        "k => later(() => { place.firstElementChild.src = picture(k) })",
    ),
    "another image": ("image", "", "k => later(() => image(k))"),
    "cleared first": (
        "image",
        "<img>",
        "k => { place.replaceChildren(); later(() => image(k)) }",
    ),
    "slow to come": (
        "image",
        "<img>",
        "k => { place.firstElementChild.src = 'http://127.0.0.1:1/' + k }",
    ),
    "the old canvas again": (
        "canvas",
        "<canvas width=9 height=9></canvas>",
        "k => { paint(old); old = k; later(() => paint(k)) }",
    ),
    "a line, then the rest": (
        "plotly",
        """<div class="js-plotly-plot"><svg class="main-svg"><g class="scatterlayer">
           <path class="js-line" d="M0 0"/></g></svg></div>""",
        """k => {
             const graph = place.firstElementChild;
             graph.querySelector('path').setAttribute('d', `M${k} 0`);
             later(() => graph.dispatchEvent(new Event('plotly_afterplot')));
           }""",
    ),
}


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.set_default_timeout(10_000)
    yield page
    page.close()


def slow(route):
    """An image that is on its way for a while."""
    route.request.frame.page.wait_for_timeout(DELAY)
    number = route.request.url.rpartition("/")[2]
    source = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
        f'<rect width="{number}" height="9"/></svg>'
    )
    route.fulfill(content_type="image/svg+xml", body=source)


def panel(page, inside, answer):
    """A slider from 0 to 9 that answers in this way."""
    page.unroute_all()
    page.route("http://127.0.0.1:1/*", slow)
    page.set_content(
        '<div id="panel"><input type="range" min="0" max="9" value="0">'
        f'<div id="place">{inside}</div></div>'
    )
    page.evaluate(f"() => {{ {TIMING} }}")
    page.evaluate(
        f"""() => {{
          {COMMON.replace("DELAY", str(DELAY))}
          const graph = place.querySelector('.js-plotly-plot');
          if (graph) {{
            graph.on = graph.addEventListener;
            graph.removeListener = graph.removeEventListener;
          }}
          const answer = {answer};
          const slider = document.querySelector('input');
          slider.addEventListener('input', () => answer(Number(slider.value)));
        }}"""
    )
    return page.locator("#panel")


@pytest.mark.browser
@pytest.mark.parametrize("way", WAYS)
def test_a_picture_is_timed_when_it_is_there(page, way):
    kind, inside, answer = WAYS[way]
    found = by_keys(panel(page, inside, answer), 0, 4, kind=kind)
    assert [event["what"] for event in found] == ["new"] * 4
    assert all(DELAY - 2 <= event["ms"] <= DELAY + 2000 for event in found), found
    assert all(event["late"] == 0 for event in found)


@pytest.mark.browser
@pytest.mark.parametrize("way", [way for way in WAYS if way != "slow to come"])
def test_what_was_timed_is_the_last_picture(page, way):
    kind, inside, answer = WAYS[way]
    shown = panel(page, inside, answer)
    by_keys(shown, 0, 1, kind=kind)  # the first picture
    assert asked(shown, "proof", number=0, count=3, kind=kind) == 3


HASTY = """k => {
  place.firstElementChild.src = picture(k + 0.5);
  later(() => { place.firstElementChild.src = picture(k); });
}"""


@pytest.mark.browser
def test_a_preview_before_the_picture_is_noticed(page):
    shown = panel(page, "<img>", HASTY)
    by_keys(shown, 0, 1, kind="image")
    assert asked(shown, "proof", number=0, count=3, kind="image") == 0
    found = by_keys(shown, 0, 8, kind="image", paint=True)
    assert figures(found)["late"] > 0


@pytest.mark.browser
def test_no_other_picture_is_not_timed(page):
    shown = panel(page, "<img>", "k => 0")
    (event,) = by_keys(shown, 0, 1, kind="image")
    row = figures([event])
    assert event["what"] == "same" and row["same"] == 1 and row["p50"] is None


def test_the_mouse_goes_up_and_down_the_values():
    at = {"value": 1, "low": 0, "high": 3}
    assert list(walk(at, 7)) == [2, 3, 2, 1, 0, 1, 2]


def test_a_part_is_a_chapter_or_one_of_its_cells():
    found = sliders.wanted_chapters(["wave", "04/one", "04/two", "05", "decks"])
    assert found == {CHAPTERS[3]: ["one", "two"], CHAPTERS[4]: []}


def result(p50, p95, rival):
    """What a slider of chapter 4 and a rival came to, over a floor of 50 and 60 ms."""
    floor = {"p50": 50, "p95": 60, "loaded": 40}
    slider = {"name": "k", "p50": p50, "p95": p95, "loaded": p50, "timeout": 0}
    slider["above"] = sliders.above(slider, floor)
    return {
        "rows": [
            {"name": "04", "cell": 7, "p50": p50, "sliders": [slider]},
            {"name": "plotly", "cell": 3, "p50": rival, "sliders": []},
        ],
        "drags": [],
        "decks": None,
        "book": None,
    }


def test_a_goal_that_is_missed_is_told():
    assert sliders.missed(result(67, 110, rival=68)) == []
    assert sliders.missed(result(68, 110, rival=69)) == [
        "04, cell 7, k: p50 18 ms above the floor, goal 17"
    ]
    assert sliders.missed(result(60, 111, rival=61)) == [
        "04, cell 7, k: p95 51 ms above the floor, goal 50"
    ]
    assert sliders.missed(result(60, 80, rival=55)) == [
        "04, cell 7, k: p50 60 ms, plotly 55"
    ]
    assert sliders.missed(result(60, 80, rival=None)) == ["plotly: no picture"]


def test_a_drag_ends_soon_on_its_last_value():
    drag = {"name": "wave", "cell": 1, "pictures": 30, "last": 200, "right": True}
    where = "drag, wave, cell 1"
    assert sliders.ends_late_or_wrong(drag) == []
    assert sliders.ends_late_or_wrong(drag | {"last": 240, "right": False}) == [
        f"{where}: the last picture 240 ms after release, goal 200",
        f"{where}: the last picture is not that of the last value",
    ]
    assert sliders.ends_late_or_wrong(drag | {"pictures": 0}) == [
        f"{where}: no picture"
    ]
