// A picture with sliders and buttons, drawn in advance: what decks and book both do with it.
// `show(image, index)` puts a picture into its place; decks and book each do so in their own way.

function explorer(box, { sliders, sentences }, show) {
  const image = box.querySelector('img'), sentence = box.querySelector('.sentence');
  const form = box.querySelector('form');
  // A knob is a slider, or the buttons of a choice.
  const knobs = sliders.map(({ name }) => form.elements.namedItem(name));
  const counts = sliders.map(({ labels }) => labels.length);
  const alt = image.alt, start = number(sliders.map(slider => slider.start));

  function position() {
    return knobs.map(knob => Number(knob.value));
  }

  // Returns the number of the picture at a position; the last slider counts fastest.
  function number(values) {
    return values.reduce((index, value, axis) => index * counts[axis] + value, 0);
  }

  function describe(knob, axis) {
    if (sliders[axis].names) return;  // a button shows its name already
    const label = sliders[axis].labels[knob.value];
    knob.setAttribute('aria-valuetext', label);
    knob.parentElement.querySelector('output').textContent = label;
    knob.style.setProperty('--at', knob.value / knob.max);  // its track is filled so far
  }

  function update() {
    const index = number(position());
    knobs.forEach(describe);
    sentence.textContent = sentences[index];  // and a screen reader says it
    markChinese(sentence);
    image.alt = index === start ? alt : sentences[index] + ' At the start: ' + alt;
    show(image, index);
  }

  knobs.forEach(describe);
  form.addEventListener('input', update);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => {
    knobs.forEach((knob, axis) => { knob.value = sliders[axis].start; });
    update();
  });
  if (number(position()) !== start) update();  // a reader moved a slider before this script ran
  return { counts, form, position, number, update };
}
