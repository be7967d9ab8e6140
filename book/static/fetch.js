// Explorers whose pictures are files beside the page. One is fetched when a slider is near.

const AT_ONCE = 2;  // at most so many pictures are fetched in advance at the same time
const narrow = matchMedia('(max-width: 500px)');  // then pictures are tall

function bringToLife(box) {
  const drawn = JSON.parse(box.querySelector('script').textContent);
  const pictures = new Map();  // from the number of a picture to the promise of its file
  let fetching = 0, awake = false;
  const { counts, form, position, number, update } = explorer(box, drawn, show);
  const ranges = form.querySelectorAll('[type=range]');

  function fetchPicture(index) {
    if (!pictures.has(index)) {
      const file = new Image();
      file.src = drawn.folder + (narrow.matches ? 'narrow/' : '') + index + '.webp';
      pictures.set(index, file.decode().then(() => file, () => pictures.delete(index) && null));
    }
    return pictures.get(index);
  }

  function show(image, index) {
    image.dataset.wanted = index;
    fetchPicture(index).then(file => {
      // The reader may have asked for another picture in the meantime.
      if (file && index === Number(image.dataset.wanted)) {
        if (narrow.matches) image.parentElement.querySelector('source').srcset = file.src;
        else image.src = file.src;
        image.dataset.shown = index;
      }
      fetchMore();
    });
  }

  // Returns the number of the picture to fetch next: the nearest that one slider can reach.
  function nextNumber() {
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
      const index = nextNumber();
      if (index === undefined) return;
      fetching += 1;
      fetchPicture(index).then(() => { fetching -= 1; fetchMore(); });
    }
  }

  // Called when somebody is about to move a slider.
  function wake() {
    awake = !navigator.connection?.saveData;
    fetchMore();
  }

  // A telephone was turned, so that its pictures now have the other shape.
  narrow.addEventListener('change', () => {
    pictures.clear();
    update();
  });
  // The stops of a slider, where they are few, are drawn on its track.
  const stopAt = share => 'radial-gradient(circle at calc(var(--thumb) / 2 + '
    + `(100% - var(--thumb)) * ${share}) 50%, var(--stop) 2px, transparent 2.5px),`;
  for (const { max, style } of ranges) {
    const stops = max > 2 && max < 12 ? Array.from({ length: Number(max) + 1 }, (_, at) => at / max) : [];
    style.setProperty('--stops', stops.map(stopAt).join(' '));
  }

  for (const event of ['input', 'focusin', 'pointerdown']) form.addEventListener(event, wake);
  form.addEventListener('pointerenter', event => event.pointerType === 'mouse' && wake());
  // A thumb that touches a slider may only mean to scroll: then the old value comes back.
  for (const slider of ranges) {
    let before = slider.value;
    slider.addEventListener('pointerdown', () => { before = slider.value; }, { capture: true });
    slider.addEventListener('pointercancel', () => {
      slider.value = before;
      update();
    });
  }
}
document.querySelectorAll('.explorer').forEach(bringToLife);
