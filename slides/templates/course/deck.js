// Formulas, then reveal.js; sliders that swap pictures drawn in advance.

// ---- sliders --------------------------------------------------------------------
function live(explorer) {
  const sliders = [...explorer.querySelectorAll('input[type=range]')];
  const [image, sentence] = [explorer.querySelector('img'), explorer.querySelector('.sentence')];
  const { frames, sentences } = JSON.parse(explorer.querySelector('script').textContent);
  const alt = image.alt;
  const start = sliders.map(slider => slider.value).join();

  function show() {
    let index = 0;
    for (const slider of sliders) {
      const labels = JSON.parse(slider.dataset.labels), label = labels[slider.value];
      index = index * labels.length + Number(slider.value);
      slider.setAttribute('aria-valuetext', label);
      slider.parentElement.querySelector('output').textContent = label;
    }
    const moved = sliders.map(slider => slider.value).join() !== start;
    image.src = 'data:image/webp;base64,' + frames[index];
    image.alt = moved ? sentences[index] + ' At the start: ' + alt : alt;
    sentence.textContent = sentences[index];               // and a screen reader says it
  }

  explorer.addEventListener('input', show);
  explorer.querySelector('form').addEventListener('submit', event => event.preventDefault());
  explorer.querySelector('form').addEventListener('reset', () => {
    sliders.forEach(slider => { slider.value = slider.defaultValue; });
    show();
  });
  sliders.forEach(slider => slider.addEventListener('keydown', event => {
    if (event.key === 'Tab') return;
    event.stopPropagation();                               // arrow keys move the slider and not the slide
    if (event.key === 'Escape') slider.blur();             // and Escape gives them back
    if (['PageUp', 'PageDown'].includes(event.key)) {      // a presenter's remote always turns the slides
      event.preventDefault();
      slider.blur();
      event.key === 'PageUp' ? Reveal.prev() : Reveal.next();
    }
  }));
}
document.querySelectorAll('.explorer').forEach(live);

// Enter and Space press a button or open an answer; the slide stays.
document.querySelectorAll('.reveal summary, .reveal button').forEach(e => e.addEventListener('keydown', event => {
  if (event.key === 'Escape') e.blur();
  if (['Enter', ' ', 'Escape'].includes(event.key)) event.stopPropagation();
}));

// A full stop or comma stays with the formula before it.
function holdTogether(formula) {
  const after = formula.nextSibling, mark = after?.nodeType === Node.TEXT_NODE && /^[.,;:!?)]+/.exec(after.data);
  if (!mark) return;
  const pair = document.createElement('span');
  pair.style.whiteSpace = 'nowrap';
  formula.replaceWith(pair);
  pair.append(formula, mark[0]);
  after.data = after.data.slice(mark[0].length);
}

// ---- questions ------------------------------------------------------------------
// One answer is open at a time: all of them would not fit.
function group(slides) {
  slides.querySelectorAll('section:not(:has(section))').forEach((slide, number) =>
    slide.querySelectorAll('details').forEach(answer => { answer.name = 'question' + number; }));
}

// ---- sizes ----------------------------------------------------------------------
// Slides without a picture are set larger where everything still fits, whichever answer of a question is open.
function enlarge(slides) {
  slides.classList.add('measuring');
  for (const slide of slides.querySelectorAll('section:not(:has(section))')) {
    if (slide.querySelector('img')) continue;
    const answers = [...slide.querySelectorAll('details')];
    const open = one => answers.forEach(answer => { answer.open = answer === one; });
    const inside = () => slide.lastElementChild.offsetTop + slide.lastElementChild.offsetHeight - slide.offsetTop < 660
      && [...slide.querySelectorAll('pre, table, mjx-container > svg')].every(
        e => e.scrollWidth <= e.clientWidth + 1 && e.getBoundingClientRect().width <= 1184);
    const fits = () => [...answers, null].every(answer => { open(answer); return inside(); });
    const sizes = [['roomy'], ['roomy', 'tight'], ['roomy', 'flat'], ['roomy', 'tight', 'flat'], []];
    sizes.some(names => {                                  // tight: not the code; flat: not the formulas
      slide.classList.remove('roomy', 'tight', 'flat');
      slide.classList.add(...names);
      return fits();
    });
    open(null);
  }
  slides.classList.remove('measuring');
}

// ---- formulas, then slides ------------------------------------------------------
window.MathJax = {
  tex: { inlineMath: [['$', '$']], displayMath: [['$$', '$$']], processEscapes: true },
  svg: { fontCache: 'local' },                             // so that a formula survives on its way to the speaker view
  options: { enableMenu: false },
  startup: {
    pageReady: async () => {
      await Promise.all([MathJax.startup.defaultPageReady(), document.fonts.ready]);
      document.querySelectorAll('mjx-container:not([display])').forEach(holdTogether);
      group(document.querySelector('.slides'));
      const preview = new URLSearchParams(location.search).has('receiver');  // in the speaker view
      if (innerWidth < 600 && !preview) {                  // a telephone: a page to scroll, with the notes
        document.documentElement.classList.add('phone');
        return;
      }
      enlarge(document.querySelector('.slides'));
      Reveal.initialize({
        width: 1280, height: 720, margin: 0, center: false, hash: true, plugins: [RevealNotes],
        slideNumber: 'c/t', navigationMode: 'linear', transition: 'none', pdfSeparateFragments: false,
      });
    },
  },
};
