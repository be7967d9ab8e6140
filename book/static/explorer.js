// Sliders that swap pictures drawn in advance; a picture is fetched when it is near.

const AT_ONCE = 2;                                         // pictures that are fetched in advance, at most

function live(explorer) {
  const sliders = [...explorer.querySelectorAll('input[type=range]')];
  const image = explorer.querySelector('img'), sentence = explorer.querySelector('.sentence');
  const knobs = explorer.querySelector('form');            // they may be moved to where the picture is enlarged
  const { folder, sentences } = JSON.parse(explorer.querySelector('script').textContent);
  const alt = image.alt, start = position();
  const counts = sliders.map(slider => Number(slider.max) + 1);
  const pictures = new Map();                              // those asked for, by number
  let wanted = number(start), fetching = 0, awake = false;

  function position() {
    return sliders.map(slider => Number(slider.value));
  }

  function number(place) {
    return place.reduce((index, value, axis) => index * counts[axis] + value, 0);
  }

  function picture(index) {
    if (!pictures.has(index)) {
      const file = new Image();
      file.src = folder + index + '.webp';
      pictures.set(index, file.decode().then(() => file, () => pictures.delete(index) && null));
    }
    return pictures.get(index);
  }

  function name(slider) {
    const label = JSON.parse(slider.dataset.labels)[slider.value];
    slider.setAttribute('aria-valuetext', label);
    slider.lang = /\p{Script=Han}/u.test(label) ? 'zh-Hans' : '';
    slider.parentElement.querySelector('output').textContent = label;
  }

  function show() {
    const index = wanted = number(position());
    sliders.forEach(name);
    sentence.textContent = sentences[index];               // and a screen reader says it
    markChinese(sentence);
    image.alt = index === number(start) ? alt : sentences[index] + ' At the start: ' + alt;
    image.dataset.wanted = index;
    picture(index).then(file => {
      if (file && index === wanted) {                      // else another was asked for meanwhile
        image.src = file.src;
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

  function wake() {                                        // somebody is about to move a slider
    awake = !navigator.connection?.saveData;
    fetchMore();
  }

  sliders.forEach(name);
  knobs.addEventListener('input', () => { wake(); show(); });
  knobs.addEventListener('focusin', wake);
  for (const slider of sliders) {                          // a thumb that begins here may only mean to scroll
    let before = slider.value;
    slider.addEventListener('pointerdown', () => { before = slider.value; }, { capture: true });
    slider.addEventListener('pointercancel', () => {
      slider.value = before;
      show();
    });
  }
  knobs.addEventListener('pointerdown', wake);
  knobs.addEventListener('pointerenter', event => event.pointerType === 'mouse' && wake());
  knobs.addEventListener('submit', event => event.preventDefault());
  knobs.addEventListener('reset', () => {
    sliders.forEach(slider => { slider.value = slider.defaultValue; });
    show();
  });
}
document.querySelectorAll('.explorer').forEach(live);
