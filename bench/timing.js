// How long after a key press is the picture that it causes here, decoded?
//
// timing(root, {number, count, kind}) presses arrow keys on the slider `number` of a
// panel, or the buttons of a choice, up and down its values, and waits for the picture
// after each. It answers with the ms that each took. It needs no mouse and no message
// to the page between a press and its picture.

window.timing = (() => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  // A picture is decoded in step with the frames of the display. So the pause before
  // the next key is spread, by the golden ratio, over one frame at 60 Hz.
  const pause = number => sleep(4 + 17 * (number * 0.618034 % 1));

  // Calls `came` when an attribute of an element has changed, which may be made anew.
  const watch = (root, selector, attribute, came) => {
    const find = () => root.querySelector(selector);
    let last = find()?.getAttribute(attribute);
    const observer = new MutationObserver(() => {
      const element = find(), value = element?.getAttribute(attribute);
      if (!value || value === last) return;
      last = value;
      came(element);
    });
    observer.observe(root, {
      subtree: true, childList: true, attributeFilter: [attribute] });
    return () => observer.disconnect();
  };

  // Each kind of picture calls `came` when another one is there; it returns what ends
  // the watch.
  const kinds = {
    image: (root, came) => watch(root, 'img', 'src', async image => {
      const { src } = image;
      await image.decode().catch(() => null);
      if (root.contains(image) && image.src === src && image.naturalWidth) came();
    }),

    plotly: (root, came) =>
      watch(root, '.scatterlayer path.js-line', 'd', () => came()),

    // ipympl may draw the old picture once more; so a strip of pixels is compared.
    canvas(root, came) {
      const pen = CanvasRenderingContext2D.prototype, draw = pen.drawImage;
      const canvas = root.querySelector('canvas');
      const strip = () => canvas.getContext('2d')
        .getImageData(canvas.width / 2, 0, 20, canvas.height).data.join();
      let last = strip();
      pen.drawImage = function (...args) {
        draw.apply(this, args);
        if (this.canvas !== canvas) return;
        const now = performance.now(), pixels = strip();
        if (pixels !== last) came(now);
        last = pixels;
      };
      return () => { pen.drawImage = draw; };
    },
  };

  // Each returns what the next press calls.
  function slider(handle) {
    const at = name => Number(handle.getAttribute(`aria-value${name}`));
    let key = 'ArrowRight';
    handle.focus({ preventScroll: true });
    return () => {
      if (at('now') >= at('max')) key = 'ArrowLeft';
      if (at('now') <= at('min')) key = 'ArrowRight';
      const event = new KeyboardEvent('keydown', {
        key, bubbles: true, cancelable: true });
      return () => handle.dispatchEvent(event);
    };
  }

  function choice(group) {
    const buttons = [...group.querySelectorAll('button')];
    let way = 1;
    return () => {
      const now = buttons.findIndex(button => button.matches('.mod-active'));
      if (!buttons[now + way]) way = -way;
      return () => buttons[now + way].click();
    };
  }

  return async (root, { number, count, kind }) => {
    const knob = root.querySelectorAll('.noUi-handle, .widget-toggle-buttons')[number];
    const next = knob.matches('.noUi-handle') ? slider(knob) : choice(knob);
    const times = [];
    let came = () => {};
    const stop = kinds[kind](root, (now = performance.now()) => came(now));
    for (let i = 0; i < count; i++) {
      await pause(i);
      const press = next();
      const arrival = new Promise(resolve => { came = resolve; });
      const start = performance.now();
      press();
      const end = await Promise.race([arrival, sleep(5000)]);
      if (!end) throw new Error(`press ${i}: no other picture within 5 seconds`);
      times.push(end - start);
    }
    stop();
    return times;
  };
})();
