// Explorers whose pictures are files beside the page: each is fetched when it is near.

const AT_ONCE = 2;  // pictures that are fetched in advance, at most
const narrow = matchMedia('(max-width: 500px)');  // pictures are in the shape of a telephone

function live(box) {
  const drawn = JSON.parse(box.querySelector('script').textContent);
  const pictures = new Map();  // those asked for, by number
  let fetching = 0, awake = false;
  const { counts, form, position, number, update } = explorer(box, drawn, show);

  function picture(index) {
    if (!pictures.has(index)) {
      const file = new Image();
      file.src = drawn.folder + (narrow.matches ? 'narrow/' : '') + index + '.webp';
      pictures.set(index, file.decode().then(() => file, () => pictures.delete(index) && null));
    }
    return pictures.get(index);
  }

  function show(image, index) {
    image.dataset.wanted = index;
    picture(index).then(file => {
      // Else another was asked for meanwhile.
      if (file && index === Number(image.dataset.wanted)) {
        if (narrow.matches) image.parentElement.querySelector('source').srcset = file.src;
        else image.src = file.src;
        image.dataset.shown = index;
      }
      fetchMore();
    });
  }

  // The next picture worth fetching: the nearest along one slider, then those around it.
  function next() {
    const here = position(), near = [];
    for (const [axis, count] of counts.entries())
      for (let value = 0; value < count; value++) {
        const index = number(here.map((other, which) => which === axis ? value : other));
        if (!pictures.has(index)) near.push([Math.abs(value - here[axis]), index]);
      }
    return near.sort(([a], [b]) => a - b)[0]?.[1];
  }

  function fetchMore() {
    while (awake && fetching < AT_ONCE) {
      const index = next();
      if (index === undefined) return;
      fetching += 1;
      picture(index).then(() => { fetching -= 1; fetchMore(); });
    }
  }

  // Somebody is about to move a slider.
  function wake() {
    awake = !navigator.connection?.saveData;
    fetchMore();
  }

  // A telephone was turned.
  narrow.addEventListener('change', () => {
    pictures.clear();
    update();
  });
  for (const event of ['input', 'focusin', 'pointerdown']) form.addEventListener(event, wake);
  form.addEventListener('pointerenter', event => event.pointerType === 'mouse' && wake());
  // A thumb that begins at a slider may only mean to scroll.
  for (const slider of form.querySelectorAll('[type=range]')) {
    let before = slider.value;
    slider.addEventListener('pointerdown', () => { before = slider.value; }, { capture: true });
    slider.addEventListener('pointercancel', () => {
      slider.value = before;
      update();
    });
  }
}
document.querySelectorAll('.explorer').forEach(live);
