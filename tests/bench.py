"""How fast sliders answer: make bench. It prints times; slowness fails nothing."""

import statistics

import export
import nbformat
import pytest
from chapters import CHAPTERS, calls
from decks import opened
from execute import METADATA
from lab import BENCH, empty, jupyter_lab, run_all, show_cell
from nbformat.v4 import new_code_cell, new_notebook
from served import drag

# From a key press to the picture that it causes, to and fro, in ms.
LATENCY = """async ([cell, slider, presses]) => {
  const img = cell.querySelector('.widget-image'), times = [];
  const handle = cell.querySelectorAll('.noUi-handle')[slider];
  const at = name => Number(handle.getAttribute(name));
  const last = at('aria-valuenow') >= at('aria-valuemax');
  handle.focus();
  for (let i = 0; i < presses; i++) {
    // a pause that is in step with no other clock
    await new Promise(resolve => setTimeout(resolve, 80 + 17 * i % 60));
    const loaded = new Promise((resolve, reject) => {
      img.addEventListener('load', () => resolve(performance.now()), {once: true});
      setTimeout(reject, 5000, new Error('no new picture'));
    });
    const start = performance.now(), key = (i % 2 == last) ? 'ArrowRight' : 'ArrowLeft';
    const press = {key, bubbles: true, cancelable: true};
    handle.dispatchEvent(new KeyboardEvent('keydown', press));
    times.push(await loaded - start);
  }
  return times;
}"""


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    with jupyter_lab(tmp_path_factory.mktemp("lab")) as server:
        cells = [new_code_cell(source.strip()) for source in BENCH]
        nbformat.write(
            new_notebook(cells=cells, metadata=METADATA), server.root / "bench.ipynb"
        )
        yield server


@pytest.fixture
def bare(window):
    """An empty JupyterLab."""
    return empty(window)


def medians(page, index):
    """Milliseconds from a key to its picture, the median of 25, for each slider."""
    cell = show_cell(page, index)
    found = []
    for slider in range(cell.locator(".noUi-handle").count()):
        times = cell.evaluate(f"cell => ({LATENCY})([cell, {slider}, 25])")
        found.append(round(statistics.median(times)))
    return found


def test_the_floor_and_a_wave(bare):
    run_all(bare, "bench.ipynb")
    blank, wave = medians(bare, 1), medians(bare, 2)
    print(f"\nkey to picture in ms, blank {blank}, a wave {wave}")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_explorer(bare, path):
    cells = nbformat.read(path, as_version=4).cells
    run_all(bare, path.name)
    for index in [i for i, cell in enumerate(cells) if calls("explore", cell)]:
        times = medians(bare, index)
        print(f"\n{path.stem}, cell {index}: key to picture in ms {times}", end="")


def test_a_long_drag(bare):
    run_all(bare, "bench.ipynb")
    cell = show_cell(bare, 2)
    handle, track = (
        cell.locator(".noUi-handle"),
        cell.locator(".noUi-base").bounding_box()["width"],
    )
    cell.evaluate("""cell => {
        window.loads = []; window.steps = new Set();
        const handle = cell.querySelector('.noUi-handle');
        const image = cell.querySelector('.widget-image');
        image.addEventListener('load', () => loads.push(performance.now()));
        new MutationObserver(() => steps.add(handle.getAttribute('aria-valuenow')))
            .observe(handle, {attributeFilter: ['aria-valuenow']});
        const release = () => window.released = performance.now();
        for (const event of ['mouseup', 'pointerup'])
          document.addEventListener(event, release, {capture: true});
    }""")
    drag(bare, handle, 60 / 99 * track, steps=60, seconds=2)
    bare.wait_for_timeout(1500)
    drawn, values, late = bare.evaluate(
        "[loads.length, steps.size, loads.at(-1) - released]"
    )
    print(
        f"\na drag over {values} values in 2 s: {drawn} pictures, the last {late:.0f}"
        " ms after release"
    )


# From an input event until its picture is decoded and on the screen.
FRAME = """async explorer => {
  const image = explorer.querySelector('img'), times = [];
  for (const slider of explorer.querySelectorAll('input'))
    for (let value = 0; value <= Number(slider.max); value++) {
      await new Promise(resolve => setTimeout(resolve, 40 + 13 * value % 30));
      slider.value = value;
      const start = performance.now();
      slider.dispatchEvent(new Event('input', {bubbles: true}));
      await image.decode();
      await new Promise(resolve => requestAnimationFrame(resolve));
      times.push(performance.now() - start);
    }
  return times;
}"""


def test_a_deck(chromium, tmp_path):
    made = export.deck(CHAPTERS[1], tmp_path, say=lambda line: None, cache=tmp_path)
    with opened(chromium, made.path) as page:
        for explorer in page.locator(".explorer").all():
            times = explorer.evaluate(FRAME)
            print(
                f"\ndeck: slider to picture {statistics.median(times):.0f} ms", end=""
            )
