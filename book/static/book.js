// What every page of the book does once it is loaded.

// ---- Chinese words, and parts that are wider than the page ---------------------------
markChinese(document.querySelector('main'));

// A formula that is too wide gets smaller letters, in percent of the text's; then it scrolls.
const FORMULAS = 'mjx-container[display="true"]', LARGEST = 110, SMALLEST = 71;
const SCROLLERS = `.bd-article :is(pre, ${FORMULAS}, .broad, .pst-scrollable-table-container)`;

function fitWidths() {
  for (const formula of document.querySelectorAll(FORMULAS)) {
    formula.style.fontSize = '';
    const share = formula.clientWidth / formula.scrollWidth;
    if (share < 1) formula.style.fontSize = Math.max(SMALLEST, LARGEST * share * 0.99) + '%';
  }
  for (const e of document.querySelectorAll(SCROLLERS)) {
    const wide = e.scrollWidth > e.clientWidth + 1;
    e.classList.toggle('wide', wide);
    if (wide) e.addEventListener('scroll', () => e.classList.add('seen'), { once: true });
  }
  letKeysScroll();
}
addEventListener('load', () => {
  fitWidths();
  new ResizeObserver(fitWidths).observe(document.querySelector('main'));
});

// On a telephone, long code is cut (lesson.css) until its button is pressed.
for (const code of document.querySelectorAll('.tag_long > .cell_input')) {
  const button = document.createElement('button');
  button.className = 'more';
  button.textContent = `All ${code.textContent.trim().split('\n').length} lines`;
  button.addEventListener('click', () => code.classList.add('whole'));
  code.append(button);
}

// On a telephone, the first picture that is too wide says so (lesson.css).
document.querySelector('.broad')?.classList.add('first');

// ---- a search shows where its words stand: no code, no formulas in pieces ----------------------
addEventListener('DOMContentLoaded', () => {  // then Sphinx's script is there
  Object.assign(Documentation.TRANSLATIONS, {
    'Your search did not match any documents. Please make sure that all words are spelled correctly and that you\'ve selected enough categories.':
      'No page has these words. Try fewer, or others: the glossary has all that are explained.',
    'Search finished, found one page matching the search query.': ['One page has these words.', '${resultCount} pages have these words.'],
    'Hide Search Matches': 'Hide the words of the search',
  });
  const excerpt = Search.makeSearchSummary;
  Search.makeSearchSummary = (page, stems, anchor) => {
    const summary = excerpt(page, [...stems].map(stem => stem.replace(/i$/, '')), anchor);  // rotari: in no text
    if (summary)  // whole words
      summary.textContent = summary.textContent.replace(/^\.{3}\S*/, '…').replace(/\S*\.{3}$/, '…');
    return summary;
  };
  Search.htmlToText = (source, anchor) => {
    const page = new DOMParser().parseFromString(source, 'text/html');
    const others = 'h1, .place, .headerlink, script, style, form, pre, .try, details.hide, mjx-container[display]';
    page.querySelectorAll(others).forEach(e => e.remove());
    for (const formula of page.querySelectorAll('mjx-container'))
      if (formula.textContent.length > 1) formula.textContent = '…';
    const part = anchor ? page.getElementById(anchor.slice(1)) : page.querySelector('.bd-article');
    return part.textContent;
  };
});

// From its result a reader comes to the first of its words, which Sphinx marks a moment later.
if (!document.referrer.includes('/search.html')) localStorage.removeItem('sphinx_highlight_terms');
else if (!location.hash)
  addEventListener('load', () => setTimeout(() => {
    const word = document.querySelector('.bd-article .highlighted');
    if (word?.getBoundingClientRect().bottom > innerHeight) word.scrollIntoView({ block: 'center' });
  }, 100));

// ---- keys: what has the focus can be seen, and keeps the focus -----------------------
// The list of contents beside the text follows the reader. Bootstrap's own mark stays behind
// after a jump, as by the key Home.
const contents = document.querySelector('#pst-page-toc-nav');
function markPlace() {
  const isEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
  const line = isEnd ? innerHeight : 140;
  const above = [...contents.querySelectorAll('a')].filter(link =>
    document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top < line);
  const here = above.at(-1)?.parentElement;
  for (const entry of contents.querySelectorAll('li, a')) {
    const isHere = entry.contains(here) || entry.parentElement === here;
    entry.classList.toggle('active', isHere);
    if (entry.matches('a')) entry.ariaCurrent = isHere ? 'true' : null;
  }
  above.at(-1)?.scrollIntoView({ block: 'nearest' });
}
// Of the page alone: when the contents themselves are scrolled, they stay there.
if (contents) for (const name of ['scroll', 'activate.bs.scrollspy'])
  document.addEventListener(name, () => requestAnimationFrame(markPlace), name !== 'scroll');
addEventListener('focusin', ({ target }) => {
  const box = target.closest?.('.explorer');
  if (box && target.matches('input:focus-visible')) box.scrollIntoView({ block: 'nearest' });
});
addEventListener('click', ({ target }) => {
  const button = target.closest('.copybtn, .theme-switch-button, .primary-toggle');
  if (button) setTimeout(() => button.focus({ preventScroll: true }), 50);
  // On a telephone the contents are a dialog: a link in it closes it.
  target.closest('dialog a[href^="#"]')?.closest('dialog').close();
}, true);

// ---- a word of the glossary: its line comes up, and from there a link leads on ----------------
const line = document.createElement('div');
line.className = 'line';
line.popover = 'auto';
line.innerHTML = '<span></span><a>Open the entry</a>';
document.body.append(line);

function explain(word) {
  if (line.lastChild.href === word.href && line.matches(':popover-open')) return;
  line.firstChild.textContent = word.ariaDescription;
  line.lastChild.href = word.href;
  line.hidePopover();
  line.showPopover({ source: word });  // so Tab leads from the word to the link
  const box = word.getBoundingClientRect(), { width, height } = line.getBoundingClientRect();
  const isRoomBelow = box.bottom + height + 8 < innerHeight;
  line.style.left = Math.max(16, Math.min(box.left, innerWidth - width - 16)) + 'px';
  line.style.top = (isRoomBelow ? box.bottom + 6 : box.top - height - 6) + 'px';
}

let timer;
function onHover(element, enter, leave) {
  const later = (act, ms) => event => {
    clearTimeout(timer);
    if (event.pointerType === 'mouse') timer = setTimeout(act, ms);
  };
  element.addEventListener('pointerenter', later(enter, 250));
  element.addEventListener('pointerleave', later(leave, 250));
}
const hide = () => line.hidePopover();
onHover(line, () => {}, hide);
for (const word of document.querySelectorAll('.bd-article a[href*="glossary.html#"][title]')) {
  word.ariaDescription = word.title;
  word.removeAttribute('title');  // it would come up, too
  onHover(word, () => explain(word), hide);
  word.addEventListener('focus', () => word.matches(':focus-visible') && explain(word));
  word.addEventListener('click', event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;  // opens a window
    event.preventDefault();
    explain(word);
  });
}
addEventListener('focusin', ({ target }) => target.closest('.line, [aria-description]') || hide());

// The page scrolls until an answer that is opened can be seen.
addEventListener('toggle', ({ target }) => {
  if (!target.open || !target.matches('.output .unfold')) return;
  target.classList.add('tried');
  target.scrollIntoView({ block: 'nearest' });
}, true);
