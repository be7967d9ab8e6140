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

// Whoever reaches a slider by the keyboard sees its picture, too.
addEventListener('focusin', ({ target }) => {
  const box = target.closest?.('.explorer');
  if (box && target.matches('input:focus-visible')) box.scrollIntoView({ block: 'nearest' });
});

// A result of a search opens where its words stand: browsers know such addresses.
addEventListener('click', ({ target }) => {
  const link = target.closest('#search-results a');
  const words = new URLSearchParams(location.search).get('q')?.match(/[\p{L}\p{N}]+/gu);
  if (!link || !words || link.hash) return;
  link.search = '?find=' + encodeURIComponent(new window.Stemmer().stemWord(words[0].toLowerCase()));
  link.hash = ':~:' + words.map(word => 'text=' + encodeURIComponent(word)).join('&');
}, true);
// They do not know parts of words, as 老师 in 张老师: there the page looks itself.
addEventListener('load', () => {
  const part = new URLSearchParams(location.search).get('find');
  if (!part || scrollY > 0) return;
  getSelection().setPosition(document.querySelector('.bd-article'));
  find(part);
});
document.querySelector('#search-results')?.insertAdjacentHTML('beforebegin', '<p>Only titles are shown: '
  + 'for excerpts, all pages found would have to be loaded. A title leads to your words.</p>');

// The theme names a button otherwise than its words, "Search Ctrl+K", which then say it.
document.querySelector('.search-button-field')?.removeAttribute('aria-label');

// On a telephone the contents are a dialog: a link in it closes it.
addEventListener('click', ({ target }) => {
  target.closest('dialog a[href^="#"]')?.closest('dialog').close();
});
