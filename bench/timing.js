// How long after a key press is the picture that it causes here, decoded?
//
// timing(root, {number, count, kind}) presses arrow keys on the slider `number` of a
// panel, up and down its values, and waits for the picture after each. It answers with
// the ms that each took, or null where no other picture came. It needs no mouse and no
// message to the page between a press and its picture.

window.timing = (() => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  // A picture is decoded in step with the frames of the display. So the pause before
  // the next key is spread, by the golden ratio, over one frame at 60 Hz.
  const pause = number => sleep(4 + 17 * (number * 0.618034 % 1));
  const hash = canvas => {
    const pen = canvas.getContext('2d');
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    const mix = (sum, pixel) => Math.imul(sum ^ pixel, 16777619);
    return new Uint32Array(data.buffer).reduce(mix, 1);
  };

  // Each kind of picture calls `came` when another one is there, whole; it returns what
  // ends the watch.
  const kinds = {
    // An <img>, or another in its place. An empty place is no picture, and an image
    // counts when it is decoded.
    image(root, came) {
      const find = () => root.querySelector('img');
      let last = find()?.src;
      const observer = new MutationObserver(async () => {
        const image = find();
        if (!image?.src || image.src === last) return;
        const source = last = image.src;
        await image.decode().catch(() => null);
        if (find() === image && image.src === source && image.naturalWidth) came();
      });
      observer.observe(root, {
        subtree: true, childList: true, attributeFilter: ['src'] });
      return () => observer.disconnect();
    },

    // A <canvas>: something was drawn on it, and its pixels are others. ipympl may draw
    // the old picture once more.
    canvas(root, came) {
      const pen = CanvasRenderingContext2D.prototype, draw = pen.drawImage;
      const canvas = root.querySelector('canvas');
      let last = hash(canvas);
      pen.drawImage = function (...args) {
        draw.apply(this, args);
        if (this.canvas !== canvas) return;
        const now = performance.now(), pixels = hash(canvas);
        if (pixels !== last) came(now);
        last = pixels;
      };
      return () => { pen.drawImage = draw; };
    },

    // An SVG of Plotly: its line has another path.
    plotly(root, came) {
      const line = () => root.querySelector('.scatterlayer path.js-line');
      let last = line()?.getAttribute('d');
      const observer = new MutationObserver(() => {
        const path = line()?.getAttribute('d');
        if (path && path !== last) came();
        last = path ?? last;
      });
      observer.observe(root, { subtree: true, childList: true, attributeFilter: ['d'] });
      return () => observer.disconnect();
    },
  };

  return async (root, { number, count, kind }) => {
    const handle = root.querySelectorAll('.noUi-handle')[number];
    const at = name => Number(handle.getAttribute(`aria-value${name}`));
    const times = [];
    let way = 'ArrowRight', came = () => {};
    const stop = kinds[kind](root, (now = performance.now()) => came(now));
    handle.focus({ preventScroll: true });
    for (let i = 0; i < count; i++) {
      await pause(i);
      if (at('now') >= at('max')) way = 'ArrowLeft';
      if (at('now') <= at('min')) way = 'ArrowRight';
      const arrival = new Promise(resolve => { came = resolve; });
      const key = new KeyboardEvent('keydown', {
        key: way, bubbles: true, cancelable: true });
      const start = performance.now();
      handle.dispatchEvent(key);
      const end = await Promise.race([arrival, sleep(5000)]);
      times.push(end ? end - start : null);
    }
    stop();
    return times;
  };
})();
