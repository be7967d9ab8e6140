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

// ---- questions ------------------------------------------------------------------
// A picture with the answer lies over the question's, both cropped alike; on a page it follows the
// right one's reply.
function placeAnswers() {
  for (const answered of document.querySelectorAll('.answered')) {
    const slide = answered.closest('section'), figure = slide.querySelector('.figure');
    const margins = [figure, answered].map(picture => picture.style.getPropertyValue('--left-margin'));
    figure.style.setProperty('--left-margin', Math.min(...margins));
    answered.removeAttribute('style');
    (isPage() ? slide.querySelector('.right') : figure).append(answered);
  }
}

// ---- sizes ----------------------------------------------------------------------
// Nothing moves while a slider does: there is room for its longest value, and for the longest
// sentence.
function keepRoom(box) {
  const { sliders, sentences } = JSON.parse(box.querySelector('script').textContent);
  const longest = words => words.reduce((one, other) => one.length < other.length ? other : one);
  box.querySelectorAll('.knob output').forEach((output, number) => {
    const { labels } = sliders.filter(slider => !slider.names)[number];
    output.style.minWidth = `${longest(labels).length}ch`;
  });
  box.querySelector('.said').dataset.longest = longest(sentences);
}

// ---- for those who hear the slides, or turn them by keys -------------------------
// reveal.js calls the deck an application, and reads a slide out without pictures and formulas.
function announceSlides() {
  document.querySelector('.reveal').setAttribute('role', 'main');
  const voice = document.querySelector('.voice');
  // Only in the next frame can the parts be seen, and so be read.
  const say = (...parts) => requestAnimationFrame(() => {
    voice.textContent = parts.map(aloud).join(' ');
    markChinese(voice);
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
// What a frame around the deck, or a blocker, does not let open is said on the slide, until it turns.
function explainRefusals() {
  const tell = words => { document.querySelector('.told').textContent = words; };
  const elsewhere = 'open the slides in a tab of their own.';
  Reveal.addKeyBinding({ keyCode: 83, key: 'S', description: 'Speaker notes view' }, () => {
    try {
      Reveal.getPlugin('notes').open();
    } catch {  // the plugin was given no window
      tell(`The notes need a second window, and this browser or frame refuses it. Allow pop-ups, or ${elsewhere}`);
    }
  });
  document.addEventListener('fullscreenerror', () => tell(`No full screen is allowed here: ${elsewhere}`));
  Reveal.on('slidechanged', () => tell(''));
}

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
  letKeysScroll();
  addEventListener('resize', letKeysScroll);
  const slides = [...document.querySelectorAll('.slides > section')];
  const [across, down] = location.hash.slice(2).split('/').map(Number);
  const [own, below] = [slides[across], slides[across]?.querySelectorAll('section')[down || 0]];
  if (across || down) (below ?? own)?.scrollIntoView();
}

// ---- a page or slides -----------------------------------------------------------
document.fonts.ready.then(async () => {
  const page = isCramped();
  if (page) turnIntoPage();
  placeAnswers();
  markChinese(document.body);
  addEventListener('resize', function reload() {
    if (isCramped() === page) return;
    // Reload only once, as a second call would break off the first. The address keeps the slide.
    removeEventListener('resize', reload);
    history.scrollRestoration = 'manual';
    location.reload();
  });
  document.querySelectorAll('.explorer').forEach(nameExplorer);
  if (page) return;
  document.querySelectorAll('.explorer').forEach(keepRoom);
  // On paper all slides can be seen.
  document.querySelector('.reveal').addEventListener('pdf-ready', () => {
    const slides = document.querySelectorAll('.pdf-page > section');
    slides.forEach(slide => slide.removeAttribute('aria-hidden'));
  });
  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, display: 'flex', hash: true, plugins: [RevealNotes],
    slideNumber: 'c/t', navigationMode: 'linear', transition: 'none', pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, controlsTutorial: false,
    controlsBackArrows: 'visible',
  });
  announceSlides();
  if (!query.has('receiver')) explainRefusals();
  mirrorControls();
  // Fetch all pictures now, before their slides are shown.
  document.querySelectorAll('img[loading]').forEach(image => { image.loading = 'eager'; });
});
