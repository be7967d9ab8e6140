// A picture with sliders, drawn in advance: what decks and book both do with it.
// `show(image, index)` brings a picture to its place: there each has a way of its own.

function explorer(box, sentences, show) {
  const sliders = [...box.querySelectorAll('input[type=range]')];
  const counts = sliders.map(slider => Number(slider.max) + 1);
  const image = box.querySelector('img'), sentence = box.querySelector('.sentence');
  const form = box.querySelector('form');                  // all found now: the book moves them to an enlarged picture
  const alt = image.alt, start = number(position());

  function position() {
    return sliders.map(slider => Number(slider.value));
  }

  function number(place) {                                 // of the picture there; the last slider counts fastest
    return place.reduce((index, value, axis) => index * counts[axis] + value, 0);
  }

  function name(slider) {
    const label = JSON.parse(slider.dataset.labels)[slider.value];
    slider.setAttribute('aria-valuetext', label);
    if (/\p{Script=Han}/u.test(label)) slider.lang = 'zh-Hans';   // and a Chinese voice reads it
    else slider.removeAttribute('lang');
    const output = slider.parentElement.querySelector('output');
    output.textContent = label;
    markChinese(output);
  }

  function update() {
    const index = number(position());
    sliders.forEach(name);
    sentence.textContent = sentences[index];               // and a screen reader says it
    markChinese(sentence);
    image.alt = index === start ? alt : sentences[index] + ' At the start: ' + alt;
    show(image, index);
  }

  sliders.forEach(name);
  form.addEventListener('input', update);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => {
    sliders.forEach(slider => { slider.value = slider.defaultValue; });
    update();
  });
  return { sliders, counts, form, position, number, update };
}
