// When is the picture that an event causes on the screen? In ms of performance.now().

window.timing = (() => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  // A decoded picture is told of in step with the frames. So the pause before the next
  // event is spread, by the golden ratio, over one frame of a display at 60 Hz.
  const pause = number => sleep(4 + 17 * (number * 0.618034 % 1));
  // A message that is sent in a frame arrives when the frame has been painted.
  const painted = () => new Promise(resolve => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(null);
  }));
  // When an image that is on its way is here, but not yet decoded.
  const arrived = image => new Promise(resolve => {
    const tell = () => resolve(performance.now());
    if (image.complete) tell();
    else image.addEventListener('load', tell, { once: true });
  });
  const hash = canvas => {
    const pen = canvas.getContext('2d');
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    const mix = (sum, pixel) => Math.imul(sum ^ pixel, 16777619);
    return new Uint32Array(data.buffer).reduce(mix, 1);
  };

  // ---- pictures -------------------------------------------------------------------
  // Each kind calls `came` when another picture is there, whole. `show` is a name for
  // what is to be seen now.
  const kinds = {
    // An <img>, also one that takes the place of another. A place that has been
    // cleared holds no picture, and an image counts when it is decoded.
    image(root, came) {
      const find = () => root.querySelector('img');
      let last = find()?.src;
      const look = async () => {
        const image = find();
        if (!image?.src || image.src === last) return;
        const source = last = image.src;
        const loaded = arrived(image);
        await image.decode().catch(() => null);
        if (find() !== image || image.src !== source || !image.naturalWidth) return;
        const ready = performance.now();
        came(ready, Math.min(ready, await loaded));
      };
      const observer = new MutationObserver(look);
      observer.observe(root, {
        subtree: true, childList: true, attributeFilter: ['src'] });
      const show = () => {
        const image = find();
        if (!image?.naturalWidth) return null;
        const copy = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        copy.getContext('2d').drawImage(image, 0, 0);
        return hash(copy);
      };
      return { stop: () => observer.disconnect(), show };
    },

    // A <canvas>: something was drawn on it, and its pixels are others.
    canvas(root, came) {
      const find = () => root.querySelector('canvas');
      const pen = CanvasRenderingContext2D.prototype, draw = pen.drawImage;
      let last = hash(find());
      pen.drawImage = function (...args) {
        draw.apply(this, args);
        if (this.canvas !== find()) return;
        const now = performance.now(), pixels = hash(this.canvas);
        if (pixels === last) return;
        last = pixels;
        came(now);
      };
      return { stop: () => { pen.drawImage = draw; }, show: () => hash(find()) };
    },

    // An SVG of Plotly: its line has another path, and Plotly says that it is done.
    plotly(root, came) {
      const graph = root.querySelector('.js-plotly-plot');
      const line = () => graph.querySelector('.scatterlayer path.js-line');
      const path = () => line()?.getAttribute('d');
      let last = path();
      const look = () => {
        if (path() === last) return;
        last = path();
        came();
      };
      graph.on('plotly_afterplot', look);
      return {
        stop: () => graph.removeListener('plotly_afterplot', look),
        show: () => graph.querySelector('.main-svg').outerHTML,
      };
    },
  };

  // `paint` waits for the frame with the picture; `look` keeps a name of each picture.
  function watch(root, { kind, paint = false, look = false }) {
    const watcher = { arrivals: [], woken: () => {} };
    const came = async (ready = performance.now(), loaded = ready) => {
      const arrival = { ready, loaded };
      if (look) arrival.seen = watcher.show();
      if (paint) arrival.ready = await painted();
      watcher.arrivals.push(arrival);
      watcher.woken(arrival);
    };
    Object.assign(watcher, kinds[kind](root, came));
    // The first picture since `clear`; null if none comes.
    watcher.next = ms => {
      if (watcher.arrivals.length) return watcher.arrivals[0];
      const coming = new Promise(resolve => { watcher.woken = resolve; });
      return Promise.race([coming, sleep(ms).then(() => null)]);
    };
    // Forget what came; says how many pictures followed the one that was timed.
    watcher.clear = () => {
      const late = Math.max(0, watcher.arrivals.length - 1);
      watcher.arrivals = [];
      watcher.woken = () => {};
      return late;
    };
    return watcher;
  }

  // ---- sliders --------------------------------------------------------------------
  // A slider of ipywidgets has a handle; one of a deck or of the book is an <input>.
  const all = root => root.querySelectorAll('.noUi-handle, input[type=range]');
  const slider = (root, number) => {
    const handle = all(root)[number];
    return handle.matches('input') ? native(handle) : widget(handle);
  };
  const native = handle => ({
    handle,
    value: () => Number(handle.value),
    low: Number(handle.min),
    high: Number(handle.max),
    step(way) {
      handle.value = Number(handle.value) + way;
      handle.dispatchEvent(new Event('input', { bubbles: true }));
    },
  });
  const widget = handle => ({
    handle,
    value: () => Number(handle.getAttribute('aria-valuenow')),
    low: Number(handle.getAttribute('aria-valuemin')),
    high: Number(handle.getAttribute('aria-valuemax')),
    step(way) {
      const key = way > 0 ? 'ArrowRight' : 'ArrowLeft';
      const press = { key, bubbles: true, cancelable: true };
      handle.dispatchEvent(new KeyboardEvent('keydown', press));
    },
  });
  const names = root => [...all(root)].map(handle =>
    handle.closest('.widget-hslider')?.querySelector('.widget-label')?.textContent ??
    handle.ariaLabel ?? '');

  // Bring all of a panel into view, where formulas above may still move it.
  async function bring(root) {
    for (let top = null; top !== root.getBoundingClientRect().top;) {
      root.scrollIntoView({ block: 'start' });
      top = root.getBoundingClientRect().top;
      await sleep(60);
    }
  }

  // What became of an event: its times; or "same", where all is quiet and no other
  // picture came; or "timeout".
  async function outcome(watcher, start) {
    let arrival = await watcher.next(2000);
    const quiet = () => !window.state || state() === 'idle';
    if (!arrival && !quiet()) arrival = await watcher.next(15000);
    if (!arrival) return { what: quiet() ? 'same' : 'timeout' };
    const { ready, loaded } = arrival;
    return { what: 'new', ms: ready - start, loaded: loaded - start };
  }

  // ---- keys -----------------------------------------------------------------------
  // Up and down the values of a slider, a press at a time. `late` counts pictures that
  // came after the one that was timed.
  async function keys(root, { number, count, ...what }) {
    if (window.jupyterapp) await bring(root);
    const watcher = watch(root, what), found = [];
    const { handle, value, low, high, step } = slider(root, number);
    let way = 1;
    handle.focus({ preventScroll: true });
    for (let i = 0; i < count; i++) {
      await pause(i);
      if (value() >= high) way = -1;
      if (value() <= low) way = 1;
      const late = watcher.clear();
      if (found.length) found.at(-1).late = late;
      const start = performance.now();
      step(way);
      found.push({ ...await outcome(watcher, start), late: 0, by: 'key' });
    }
    watcher.stop();
    return found;
  }

  // A picture is whole at once: what is there when it is timed is there a while later,
  // and is not what was there before.
  async function proof(root, { number, count, ...what }) {
    const watcher = watch(root, { ...what, look: true });
    const { value, low, high, step } = slider(root, number);
    let way = 1, whole = 0;
    for (let i = 0; i < count; i++) {
      if (value() >= high) way = -1;
      if (value() <= low) way = 1;
      const before = watcher.show();
      watcher.clear();
      step(way);
      const arrival = await watcher.next(5000);
      await sleep(600);
      const after = watcher.show();
      whole += arrival?.seen === after && before !== after;
    }
    watcher.stop();
    return whole;
  }

  // ---- a mouse that moves in Python -----------------------------------------------
  // `arm`; for each event `ready`, then the move, then `answer`; at last `disarm`.
  let mouse = null;
  async function arm(root, { number, ...what }) {
    await bring(root);
    const { handle, value, low, high, step } = slider(root, number);
    const track = handle.closest('.noUi-base').getBoundingClientRect();
    const box = handle.getBoundingClientRect();
    mouse = { watcher: watch(root, what), step, value, high, moved: 0, released: 0,
      count: 0, steps: 0 };
    mouse.listen = event => {
      if (event.type === 'pointerup') mouse.released = event.timeStamp;
      else mouse.moved = event.timeStamp;
    };
    for (const name of ['pointermove', 'pointerup'])
      addEventListener(name, mouse.listen, { capture: true });
    mouse.observer = new MutationObserver(() => { mouse.steps++; });
    mouse.observer.observe(handle, { attributeFilter: ['aria-valuenow'] });
    return { value: value(), low, high, width: track.width,
      x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  async function ready() {
    await pause(mouse.count++);
    mouse.steps = 0;
    return mouse.watcher.clear();
  }
  async function answer() {
    for (let i = 0; i < 200 && !mouse.steps; i++) await sleep(1);
    if (!mouse.steps) return { what: 'timeout', by: 'mouse' };  // it does not hold it
    return { ...await outcome(mouse.watcher, mouse.moved), by: 'mouse' };
  }
  function disarm() {
    for (const name of ['pointermove', 'pointerup'])
      removeEventListener(name, mouse.listen, { capture: true });
    mouse.watcher.stop();
    mouse.observer.disconnect();
  }
  // After a drag, when no more pictures come: what came of it, and whether the last
  // picture is that of the last value.
  async function dragged() {
    const { watcher, step, value, high } = mouse;
    for (let count = -1; count !== watcher.arrivals.length || state() !== 'idle';) {
      count = watcher.arrivals.length;
      await sleep(700);
    }
    const pictures = watcher.arrivals.length, values = mouse.steps;
    if (!pictures) return { values, pictures, last: null, right: false };
    const last = watcher.arrivals.at(-1).ready - mouse.released;
    const shown = watcher.show(), way = value() >= high ? -1 : 1;
    for (const turn of [way, -way]) {
      watcher.clear();
      step(turn);
      await watcher.next(5000);
      await sleep(300);
    }
    return { values, pictures, last, right: watcher.show() === shown };
  }

  return { keys, proof, names, arm, ready, answer, disarm, dragged, watch, slider };
})();
