// How long after a key press is the picture that it causes here, decoded?
//
// timing(root, {number, count, kind}) presses arrow keys on the slider `number` of a
// panel, or the buttons of a choice, up and down its values, and waits for the picture
// after each. It answers with the ms that each took. It needs no mouse and no message
// to the page between a press and its picture. One press without a picture is left out:
// of some thousands, one was lost.
{
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

  // Calls `came` when an attribute of an element has changed, which may be made anew.
  const watch = (root, selector, attribute, came) => {
    const find = () => root.querySelector(selector);
    let last = find()?.getAttribute(attribute);
    const observer = new MutationObserver(() => {
      const value = find()?.getAttribute(attribute);
      if (!value || value === last) return;
      last = value;
      came(find());
    });
    observer.observe(root, {
      subtree: true, childList: true, attributeFilter: [attribute] });
    return () => observer.disconnect();
  };

  // Each calls `came` when another picture is there; it returns what ends the watch.
  const pictures = {
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

  // What makes the next step of a slider or of a choice; at an end it turns round.
  const stepper = knob => {
    const buttons = [...knob.querySelectorAll('button')];  // a slider has none
    const at = name => Number(knob.getAttribute(`aria-value${name}`));
    let way = 1;
    knob.focus({ preventScroll: true });
    return () => {
      const now = buttons.findIndex(button => button.matches('.mod-active'));
      if (buttons.length ? !buttons[now + 1] : at('now') >= at('max')) way = -1;
      if (buttons.length ? !buttons[now - 1] : at('now') <= at('min')) way = 1;
      if (buttons.length) return buttons[now + way].click();
      const key = way > 0 ? 'ArrowRight' : 'ArrowLeft';
      knob.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    };
  };

  window.timing = async (root, { number, count, kind }) => {
    const knobs = root.querySelectorAll('.noUi-handle, .widget-toggle-buttons');
    const step = stepper(knobs[number]);
    const times = [];
    let came;
    const stop = pictures[kind](root, (now = performance.now()) => came?.(now));
    let lost = 0;
    for (let i = 0; times.length < count; i++) {
      // A picture is decoded in step with the frames of the display. So the pause
      // before the next key is spread, by the golden ratio, over one frame at 60 Hz.
      await sleep(4 + 17 * (i * 0.618034 % 1));
      const arrival = new Promise(resolve => { came = resolve; });
      const start = performance.now();
      step();
      const end = await Promise.race([arrival, sleep(5000)]);
      if (end) times.push(end - start);
      else if (++lost > 1) throw new Error(`press ${i}: no other picture within 5 s`);
    }
    stop();
    return times;
  };
}
