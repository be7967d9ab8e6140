// Starts reveal.js, and brings to life what stands on its slides: sliders, questions, the voice.

// ---- sliders, and buttons for a choice among names ------------------------------
// Shows the frames that this file carries. Where they are files of the web book, fetch.js does it.
function showEmbedded(box) {
  const drawn = JSON.parse(box.querySelector('script').textContent);
  if (drawn.frames) explorer(box, drawn, (image, index) => {
    image.src = 'data:image/webp;base64,' + drawn.frames[index];
  });
}

function keepKeys(box) {
  box.querySelectorAll('input').forEach(input => input.addEventListener('keydown', event => {
    if (event.key === 'Tab' || isPage()) return;
    // Arrow keys change the value and not the slide, and Escape gives them back.
    event.stopPropagation();
    if (event.key === 'Escape') input.blur();
    // A presenter's remote always turns the slides.
    if (['PageUp', 'PageDown'].includes(event.key)) {
      event.preventDefault();
      input.blur();
      if (event.key === 'PageUp') Reveal.prev();
      else Reveal.next();
    }
  }));
}

// An explorer and its button are named after the heading above them. The keys of a slider and of a
// choice are described by the hint.
function nameExplorer(box, number) {
  const heading = box.closest('section').querySelector('h1, h2, h3');
  const name = heading ? aloud(heading).replace(/\.$/, '') : 'A picture with sliders';
  const hint = box.querySelector('.hint');
  box.role = 'group';
  box.ariaLabel = name;
  box.querySelector('button').ariaLabel = `Reset: ${name}`;
  if (isPage()) return;
  hint.id = `hint-${number}`;
  for (const knob of box.querySelectorAll('[type=range], .choice'))
    knob.setAttribute('aria-describedby', hint.id);
}
document.querySelectorAll('.explorer').forEach(box => { showEmbedded(box); keepKeys(box); });

// Enter and Space press a button or open an answer, and do not turn the slide.
for (const e of document.querySelectorAll('.reveal summary, .reveal button'))
  e.addEventListener('keydown', event => {
    if (event.key === 'Escape') e.blur();
    if (['Enter', ' ', 'Escape'].includes(event.key)) event.stopPropagation();
  });

// A full stop or a comma stays on one line with the formula before it.
function holdPunctuation(formula) {
  const after = formula.nextSibling;
  const mark = after?.nodeType === Node.TEXT_NODE && /^[.,;:!?)]+/.exec(after.data);
  if (!mark) return;
  const pair = document.createElement('span');
  pair.style.whiteSpace = 'nowrap';
  formula.replaceWith(pair);
  pair.append(formula, mark[0]);
  after.data = after.data.slice(mark[0].length);
}

// ---- questions ------------------------------------------------------------------
// A picture with the answer lies over the question's; on a page it follows the right one's reply.
function placeAnswers(slides, isPage) {
  for (const answered of slides.querySelectorAll('.answered'))
    answered.closest('section').querySelector(isPage ? '.right' : '.figure').append(answered);
}

// ---- sizes ----------------------------------------------------------------------
const LAST = 684;  // pixels: below stand the slide's number and the arrows
const WIDTH = 1184;  // pixels: between the margins
const LARGEST = 135;  // percent of a picture's size; its letters of 16 points are then 30 pixels high

function fillSlides(slides) {
  slides.classList.add('measuring');
  for (const slide of slides.querySelectorAll('section:not(:has(section))')) {
    const image = slide.querySelector('.figure > img, .explorer img');
    if (slide.querySelector('.statement')) fillStatement(slide);
    else if (!image) fillWithWords(slide);
    if (image) fillWithPicture(slide, image);
  }
  slides.classList.remove('measuring');
}

// With `grand` formulas are larger, with `tight` code is smaller.
function fillWithWords(slide) {
  const wide = [...slide.querySelectorAll('pre, table, mjx-container > svg')];
  [['grand'], [], ['tight']].some(names => {
    slide.classList.remove('grand');
    slide.classList.add(...names);
    return bottomOf(slide) < endOf(slide) - 12 && !wide.some(isWide);
  });
  spread(slide);
}

// The formula of a chapter: as large as possible, and a little above the middle.
function fillStatement(slide) {
  const formulas = [...slide.querySelectorAll('mjx-container[display]')];
  const fits = () => !formulas.some(e => isWide(e.firstElementChild)) && bottomOf(slide) < LAST;
  let size = 64;
  do slide.style.setProperty('--formula', `${size}px`); while (!fits() && --size > 36);
  const [top, bottom] = [placeOf(formulas[0], slide).top, placeOf(formulas.at(-1), slide).bottom];
  const lower = Math.min(330 - (top + bottom) / 2, LAST - bottomOf(slide));
  slide.querySelector('h1, h2, h3').style.marginBottom = `${18 + Math.max(0, lower)}px`;
}

function isWide(e) {
  return e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().width > WIDTH;
}

// The space that is left goes between the blocks of words.
function spread(slide) {
  const [, ...blocks] = slide.querySelectorAll('.text > *, .highlight, .jp-OutputArea-output');
  const left = endOf(slide) - 12 - bottomOf(slide);
  if (left < 40) return;
  const each = Math.min(36, left / (blocks.length + 1));
  for (const block of blocks.slice(0, -1))
    block.style.marginBottom = `${parseFloat(getComputedStyle(block).marginBottom) + each}px`;
}

// Where an element stands on its slide.
function placeOf(e, slide) {
  const { top, bottom } = e.getBoundingClientRect(), corner = slide.getBoundingClientRect().top;
  return { top: top - corner, bottom: bottom - corner };
}

// Where a slide ends, whichever of its answers is open.
function bottomOf(slide) {
  const answers = [...slide.querySelectorAll('details')];
  const bottoms = [...answers, null].flatMap(opened => {
    answers.forEach(answer => { answer.open = answer === opened; });
    return [...slide.children].map(e => placeOf(e, slide).bottom);
  });
  return Math.max(...bottoms);
}

// Makes a picture as large as its slide allows. What is white at its left, in all its states, is
// left out.
function fillWithPicture(slide, image) {
  const box = image.closest('.explorer'), vote = slide.querySelector('details');
  const states = [...image.parentElement.querySelectorAll('img')];
  const white = Math.min(...states.map(state => +state.dataset.white));
  const width = image.getAttribute('width') - white, height = +image.getAttribute('height');
  const isFree = getComputedStyle(image.parentElement).position === 'absolute';  // of the words
  const picture = { slide, image, box, isFree, width, height };
  if ([...slide.querySelectorAll('pre')].some(isWide)) slide.classList.add('tight');
  if (!arrange(picture)) {
    slide.classList.add(vote ? 'dense' : 'tight');
    arrange(picture);
  }
  if (!isFree) spreadAround(box ?? image.parentElement, slide);
}

// Sliders stand where their picture becomes larger: at its left, or in a row above it. Returns
// false where it does not fit at all.
function arrange(picture) {
  const { box } = picture, beside = largest(picture, false), above = box ? largest(picture, true) : 0;
  box?.classList.toggle('above', above > beside);
  grow(picture, Math.max(1, beside, above));
  return beside + above > 0;
}

// Returns by how much a picture can be magnified, or 0.
function largest(picture, isAbove) {
  picture.box?.classList.toggle('above', isAbove);
  if (!fits(picture, 1)) return 0;
  let [low, high] = [100, LARGEST + 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(picture, middle / 100)) low = middle;
    else high = middle;
  }
  return low / 100;
}

// Whether a picture fits when the longest sentence, or any reply, stands with it.
function fits(picture, scale) {
  const { slide, image, box, isFree, width } = picture;
  const room = isFree ? 650 : box && !box.matches('.above') ? WIDTH - 40 - 304 : WIDTH;
  if (scale * width > room) return false;
  grow(picture, scale);
  const bottom = isFree ? placeOf(image, slide).bottom : bottomOf(slide);
  return bottom <= endOf(slide, scale > 1 ? 18 : 0);
}

function grow({ image, box, width, height }, scale) {
  image.width = Math.round(scale * width);
  image.height = Math.round(scale * height);
  box?.classList.toggle('slim', image.width <= WIDTH - 40 - 400);
  if (box) keepRoom(box);
}

// What stands at the foot of a slide begins here. A picture that is magnified leaves some air above.
function endOf(slide, air = 0) {
  const foot = slide.querySelector('.map, .next');
  if (foot) return placeOf(foot, slide).top - 24;
  return slide.querySelector('details') ? LAST + 6 : LAST - air;
}

// The space that is left goes below a picture, so that all pictures begin at one height, and all
// questions too; some goes above it where words stand there.
function spreadAround(part, slide) {
  const left = endOf(slide) - bottomOf(slide);
  if (left <= 0 || slide.matches('.dense')) return;
  const isFirst = placeOf(part, slide).top <= 85, isVote = slide.querySelector('details');
  const [above, below] = isVote ? [0, 1] : isFirst ? [0, 0.3] : [0.4, 0.2];
  part.style.marginBlock = `${above * left}px ${10 + below * left}px`;
}

// Nothing moves while a slider does: there is room for its longest value, and for the longest
// sentence.
function keepRoom(box) {
  const { sliders, sentences } = JSON.parse(box.querySelector('script').textContent);
  box.querySelectorAll('.knob').forEach((knob, number) => {
    const lengths = sliders[number].labels.map(label => label.length);
    if (!sliders[number].names)
      knob.querySelector('output').style.minWidth = `${Math.max(...lengths)}ch`;
  });
  const sentence = box.querySelector('.sentence'), said = sentence.parentElement, now = [...sentence.childNodes];
  const longest = [...new Set(sentences)].sort((a, b) => b.length - a.length).slice(0, 3);
  const heights = longest.map(words => {
    sentence.textContent = words;
    return sentence.getBoundingClientRect().height;
  });
  sentence.replaceChildren(...now);
  said.style.minHeight = `${Math.ceil(Math.max(...heights))}px`;
}

// ---- for those who hear the slides, or turn them by keys -------------------------
// reveal.js calls the deck an application, and reads a slide out without pictures and formulas.
function announceSlides() {
  const deck = document.querySelector('.reveal');
  deck.setAttribute('role', 'main');
  // reveal.js goes on writing into its own element, which is no longer on the page.
  const unread = deck.querySelector('.aria-status'), status = unread.cloneNode();
  unread.replaceWith(status);
  // Only in the next frame can the parts be seen, and so be read.
  const say = (...parts) => requestAnimationFrame(() => {
    status.textContent = parts.map(aloud).join(' ');
    markChinese(status);
  });
  Reveal.on('fragmentshown', ({ fragments }) => say(...fragments));
  Reveal.on('slidechanged', ({ currentSlide }) => {
    say(currentSlide);
    // Tab goes on from the heading, unless the arrows or the speaker view have the focus.
    if (!document.hasFocus() || document.activeElement.closest('.controls')) return;
    const heading = currentSlide.querySelector('h1, h2, h3');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
  say(Reveal.getCurrentSlide());
  Reveal.registerKeyboardShortcut(
    'PAGE UP, PAGE DOWN', 'Turn the slides, also from a slider or a button');
  Reveal.registerKeyboardShortcut('ENTER', 'Open the slide chosen in the overview');
  document.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !Reveal.isOverview()) return;
    event.preventDefault();
    event.stopPropagation();
    Reveal.toggleOverview(false);
  }, true);
}

// ---- the speaker view ---------------------------------------------------------------
// Sliders and answers show the same in the hall's window and in the previews of the speaker view,
// wherever they are moved.
function mirrorControls() {
  const controls = [...document.querySelectorAll('.explorer input, .slides details')];
  // A preview can find the window of the hall. The hall learns of a preview by its first message.
  const hall = query.has('receiver') && parent.opener;
  const others = new Set(hall ? [hall] : []);
  const state = e => e.matches('details') ? 'open' : e.type === 'radio' ? 'checked' : 'value';
  const send = (skip, shown = controls.map(e => e[state(e)])) =>
    others.forEach(other => other !== skip && other.postMessage({ shown }, '*'));

  addEventListener('message', ({ source, data }) => {
    if (!source || data?.shown === undefined) return;
    others.add(source);
    (data.shown ?? []).forEach((now, number) => {
      const e = controls[number];
      if (!e || e[state(e)] === now) return;
      e[state(e)] = now;
      // A radio button that is switched off needs no event: the one that is switched on sends it.
      if (now) e.dispatchEvent(new Event('input', { bubbles: true }));
    });
    send(data.shown && source);
  });
  // Only what a hand does is sent; the events that the lines above dispatch are not trusted.
  for (const event of ['input', 'click'])
    document.addEventListener(event, ({ isTrusted }) => { if (isTrusted) setTimeout(send); });
  if (hall) send(null, null);  // asks the hall what it shows
}

// ---- a page instead of slides -------------------------------------------------------
// On a telephone, and in a window too small or too much enlarged for the letters of a slide, the
// deck is a page to scroll, with the notes. It stays a deck in the speaker view and on paper.
const query = new URLSearchParams(location.search);
const isDeck = ['receiver', 'view', 'print-pdf'].some(key => query.has(key));
const isPage = () => document.documentElement.classList.contains('phone');
const isCramped = () => !isDeck && (innerWidth < 900 || innerHeight < 500);

function turnIntoPage() {
  document.documentElement.classList.add('phone');
  document.querySelector('.reveal').setAttribute('role', 'main');
  for (const table of document.querySelectorAll('.reveal table')) {
    const box = document.createElement('div');
    box.className = 'wide';
    table.replaceWith(box);
    box.append(table);
  }
  letKeysScroll();
  addEventListener('resize', letKeysScroll);
  const slides = [...document.querySelectorAll('.slides > section')];
  const [across, down] = location.hash.slice(2).split('/').map(Number);
  const [own, below] = [slides[across], slides[across]?.querySelectorAll('section')[down || 0]];
  if (across || down) (below ?? own)?.scrollIntoView();
}

// ---- a page or slides -----------------------------------------------------------
document.fonts.ready.then(async () => {
  document.querySelectorAll('mjx-container:not([display])').forEach(holdPunctuation);
  const page = isCramped();
  placeAnswers(document.querySelector('.slides'), page);
  markChinese(document.body);
  addEventListener('resize', function reload() {
    if (isCramped() === page) return;
    // Reload only once, as a second call would break off the first. The address keeps the slide.
    removeEventListener('resize', reload);
    history.scrollRestoration = 'manual';
    location.reload();
  });
  if (page) turnIntoPage();
  document.querySelectorAll('.explorer').forEach(nameExplorer);
  if (page) return;
  fillSlides(document.querySelector('.slides'));
  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, hash: true, plugins: [RevealNotes],
    slideNumber: 'c/t', navigationMode: 'linear', transition: 'none', pdfSeparateFragments: false,
    controlsTutorial: false, controlsBackArrows: 'visible',
  });
  announceSlides();
  mirrorControls();
  // Fetch all pictures now, before their slides are shown.
  document.querySelectorAll('img[loading]').forEach(image => { image.loading = 'eager'; });
});
