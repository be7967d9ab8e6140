// The slides of reveal.js; sliders and buttons that swap pictures drawn in advance.

// ---- sliders, and buttons for a choice among names ------------------------------
// Frames inside this file are shown here; those beside a page of the web book by its fetch.js.
function showInside(box) {
  const drawn = JSON.parse(box.querySelector('script').textContent);
  if (drawn.frames) explorer(box, drawn, (image, index) => {
    image.src = 'data:image/webp;base64,' + drawn.frames[index];
  });
}

function holdKeys(box) {
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

// An explorer and its button are called by the heading above them; a slider and a choice tell of
// their keys.
function introduce(explorer, number) {
  const heading = explorer.closest('section').querySelector('h1, h2, h3');
  const name = heading ? aloud(heading).replace(/\.$/, '') : 'A picture with sliders';
  const hint = explorer.querySelector('.hint');
  explorer.role = 'group';
  explorer.ariaLabel = name;
  explorer.querySelector('button').ariaLabel = `Reset: ${name}`;
  if (isPage()) return;
  hint.id = `hint-${number}`;
  for (const knob of explorer.querySelectorAll('[type=range], .choice'))
    knob.setAttribute('aria-describedby', hint.id);
}
document.querySelectorAll('.explorer').forEach(box => { showInside(box); holdKeys(box); });

// Enter and Space press a button or open an answer; the slide stays.
for (const e of document.querySelectorAll('.reveal summary, .reveal button'))
  e.addEventListener('keydown', event => {
    if (event.key === 'Escape') e.blur();
    if (['Enter', ' ', 'Escape'].includes(event.key)) event.stopPropagation();
  });

// A full stop or comma stays with the formula before it.
function holdTogether(formula) {
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
// One answer is open at a time: all of them would not fit. The right one turns green.
function groupAnswers(slides) {
  slides.querySelectorAll('section:not(:has(section))').forEach((slide, number) =>
    slide.querySelectorAll('details').forEach(answer => {
      answer.name = 'question' + number;
      answer.classList.toggle('right', answer.querySelector('p b')?.textContent === 'Yes.');
    }));
}

// Each answer of a slide is opened, and then none, for a look at the slide as it is then.
function* openings(slide) {
  const answers = [...slide.querySelectorAll('details')];
  const open = one => answers.forEach(answer => { answer.open = answer === one; });
  try {
    for (const one of [...answers, null]) yield open(one);
  } finally {
    open(null);
  }
}

function holdsAlways(slide, holds) {
  for (const _ of openings(slide)) if (!holds()) return false;
  return true;
}

// ---- sizes ----------------------------------------------------------------------
// Slides without a picture are set larger where everything still fits. `tight` leaves the code as
// it is, `flat` the formulas.
const SIZES = [['roomy'], ['roomy', 'tight'], ['roomy', 'flat'], ['roomy', 'tight', 'flat'], []];

function enlarge(slides) {
  slides.classList.add('measuring');
  for (const slide of slides.querySelectorAll('section:not(:has(section))')) {
    if (slide.querySelector('img')) continue;
    const wide = [...slide.querySelectorAll('pre, table, mjx-container > svg')];
    const fits = () => bottomOf(slide) < 660 && wide.every(
      e => e.scrollWidth <= e.clientWidth + 1 && e.getBoundingClientRect().width <= 1184);
    SIZES.some(names => {
      slide.classList.remove('roomy', 'tight', 'flat');
      slide.classList.add(...names);
      return holdsAlways(slide, fits);
    });
    // What is left brings the words nearer the middle.
    const left = 660 - bottomOf(slide), heading = slide.querySelector('h2, h3');
    if (heading && left > 90) heading.style.marginBottom = `${30 + left / 2}px`;
  }
  slides.querySelectorAll('img').forEach(magnify);
  slides.classList.remove('measuring');
}

function bottomOf(slide) {
  const bottoms = [...slide.children].map(e => e.offsetTop + e.offsetHeight);
  return Math.max(...bottoms) - slide.offsetTop;
}

// A picture is as large as its slide allows, with the longest sentence beside it.
function magnify(image) {
  const slide = image.closest('section'), box = image.closest('.explorer');
  const [width, height] = ['width', 'height'].map(name => +image.getAttribute(name));
  const grow = scale => {
    image.width = Math.round(scale * width);
    image.height = Math.round(scale * height);
  };
  const sentence = box?.querySelector('.sentence'), now = sentence?.textContent;
  const sentences = box ? JSON.parse(box.querySelector('script').textContent).sentences : [];
  const longest = [...new Set(sentences)].sort((a, b) => b.length - a.length).slice(0, 3);
  const corner = slide.getBoundingClientRect();
  const bottom = e => e.getBoundingClientRect().bottom - corner.top;
  // That of a title or a recap is beside the words.
  const isBeside = getComputedStyle(image).position === 'absolute';
  const widest = isBeside ? 650 : box ? 1184 - 28 - 300 : 1184;
  // It ends above the chapters of a title, or above the slide's number.
  const deepest = slide.querySelector('h1') ? 640 : 690;
  const inside = () => bottom(image) <= deepest && (isBeside || bottomOf(slide) <= deepest)
    && (!box || bottom(box.querySelector('.knobs')) <= deepest);
  const fits = scale => {
    if (scale * width > widest) return false;
    grow(scale);
    const fitsAll = [...longest, now].every(words => {
      if (sentence) sentence.textContent = words;
      return inside();
    });
    return fitsAll && holdsAlways(slide, inside);
  };
  let scale = 1.5;  // more would not be sharp
  while (scale > 1 && !fits(scale)) scale -= 0.01;
  grow(Math.max(1, scale));
  if (sentence) sentence.textContent = now;
  if (!box && !isBeside) center(image, slide, deepest);
}

// What a slide has left goes above its picture and below, so that questions begin at about one
// height.
function center(image, slide, deepest) {
  let left = Infinity;
  for (const _ of openings(slide)) left = Math.min(left, deepest - bottomOf(slide));
  if (left <= 0) return;
  const isQuestion = slide.querySelector('details');
  image.style.marginBlock = isQuestion ? `${left / 2}px ${10 + left / 2}px` : `${left / 3}px 10px`;
}

// ---- for those who hear the slides, or turn them by keys -------------------------
// reveal.js makes of a deck an application, and tells of a slide its bare letters.
function announceSlides() {
  const deck = document.querySelector('.reveal');
  deck.setAttribute('role', 'main');
  // reveal.js goes on writing where nobody reads.
  const unread = deck.querySelector('.aria-status'), status = unread.cloneNode();
  unread.replaceWith(status);
  // In the next frame the parts can be seen.
  const say = (...parts) => requestAnimationFrame(() => {
    status.textContent = parts.map(aloud).join(' ');
    markChinese(status);
  });
  Reveal.on('fragmentshown', ({ fragments }) => say(...fragments));
  Reveal.on('slidechanged', ({ currentSlide }) => {
    say(currentSlide);
    // Tab goes on from the heading, unless somebody is at the arrows or in the speaker view.
    if (!document.hasFocus() || document.activeElement.closest('.controls')) return;
    const heading = currentSlide.querySelector('h1, h2, h3');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
  say(Reveal.getCurrentSlide());
  Reveal.registerKeyboardShortcut(
    'PAGE UP, PAGE DOWN', 'Turn the slides, from a slider or a button, too');
  Reveal.registerKeyboardShortcut('ENTER', 'Open the slide chosen in the overview');
  document.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !Reveal.isOverview()) return;
    event.preventDefault();
    event.stopPropagation();
    Reveal.toggleOverview(false);
  }, true);
}

// ---- the speaker view ---------------------------------------------------------------
// Sliders and answers show the same in the hall and in the speaker view's previews, wherever they
// are moved.
function mirrorControls() {
  const controls = [...document.querySelectorAll('.explorer input, .slides details')];
  // A preview knows the hall; the hall meets its previews.
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
      // A button that is left has another after it, which says what is chosen.
      if (now) e.dispatchEvent(new Event('input', { bubbles: true }));
    });
    send(data.shown && source);
  });
  // Of a hand, not of the lines above.
  for (const event of ['input', 'click'])
    document.addEventListener(event, ({ isTrusted }) => { if (isTrusted) setTimeout(send); });
  if (hall) send(null, null);  // "what do you show?"
}

// ---- a page instead of slides -------------------------------------------------------
// On a telephone, and where a window is so small or so much enlarged that a slide would be smaller
// than its letters need: a page to scroll, with the notes. Not in the speaker view, nor on paper.
const query = new URLSearchParams(location.search);
const isDeck = ['receiver', 'view', 'print-pdf'].some(key => query.has(key));
const isPage = () => document.documentElement.classList.contains('phone');
const isCramped = () => !isDeck && (innerWidth < 900 || innerHeight < 500);

function asPage() {
  document.documentElement.classList.add('phone');
  document.querySelector('.reveal').setAttribute('role', 'main');
  for (const table of document.querySelectorAll('.reveal table')) {
    const box = document.createElement('div');
    box.className = 'wide';
    table.replaceWith(box);
    box.append(table);
  }
  const reach = () => reachScrollers(document.body);
  reach();
  addEventListener('resize', reach);
  const slides = [...document.querySelectorAll('.slides > section')];
  const [across, down] = location.hash.slice(2).split('/').map(Number);
  const [own, below] = [slides[across], slides[across]?.querySelectorAll('section')[down || 0]];
  if (across || down) (below ?? own)?.scrollIntoView();
}

// ---- a page or slides -----------------------------------------------------------
document.fonts.ready.then(async () => {
  document.querySelectorAll('mjx-container:not([display])').forEach(holdTogether);
  groupAnswers(document.querySelector('.slides'));
  markChinese(document.body);
  const page = isCramped();
  addEventListener('resize', function reload() {
    if (isCramped() === page) return;
    // Once: a second would break off the first. To the same slide, which stands in the address.
    removeEventListener('resize', reload);
    history.scrollRestoration = 'manual';
    location.reload();
  });
  if (page) asPage();
  document.querySelectorAll('.explorer').forEach(introduce);
  if (page) return;
  enlarge(document.querySelector('.slides'));
  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, hash: true, plugins: [RevealNotes],
    slideNumber: 'c/t', navigationMode: 'linear', transition: 'none', pdfSeparateFragments: false,
    controlsTutorial: false, controlsBackArrows: 'visible',
  });
  announceSlides();
  mirrorControls();
  // Before their slides come.
  document.querySelectorAll('img[loading]').forEach(image => { image.loading = 'eager'; });
});
