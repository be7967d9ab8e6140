// Says a slide to those who hear it: its text, descriptions of its pictures, formulas in words. A
// screen reader ignores MathML in a live region. MathJax's own speech has to fetch rules, which one
// file cannot do; at build time, in Node.js, it lacks the package xmldom-sre.

const SILENT = 'script, style, aside, button, .hint, .answered, .fragment:not(.visible), [aria-hidden=true], '
  + 'details:not([open]) > :not(summary)';
const SYMBOLS = {
  '−': 'minus', '+': 'plus', '=': 'equals', '⋅': 'times', '∑': 'the sum',
  '≈': 'is about',
};
const POWERS = { 2: 'squared', 3: 'cubed', '⊤': 'transposed', '∗': 'conjugate' };

// MathML sets the letters of a name such as "pos" or "model" one by one; this finds them.
const SPACED_NAME = /\b(p o s|([a-z] ){3,}[a-z])\b/g;

// Says a formula from its MathML: "a over b" and not "a b".
function formulaAloud(e) {
  if (!e.children.length) {
    const word = e.textContent.replace(/[\u2061-\u2064]/g, '').trim();
    return SYMBOLS[word] ?? word;
  }
  const parts = [...e.children].map(formulaAloud).filter(Boolean), [first, second, third] = parts;
  const row = words => words.join(' ').replace(SPACED_NAME, letters => letters.replaceAll(' ', ''));
  const over = `${first} over ${second}`;
  switch (e.localName) {
    case 'mfrac': return / /.test(first + second) ? `the fraction ${over}, end of fraction,` : over;
    case 'msqrt': return `square root of ${row(parts)}${parts.length > 1 ? ', end of root,' : ''}`;
    case 'msub': return `${first} sub ${second}`;
    case 'msup': return `${first} ${POWERS[second] ?? 'to the power ' + second}`;
    case 'msubsup': return `${first} sub ${second} ${POWERS[third] ?? 'to the power ' + third}`;
    case 'munder': return `${over} of`;
    case 'mtr': return parts.join(e.parentElement.getAttribute('columnalign') ? ' ' : ', ');
    case 'mtable': return parts.join('; ');
    default: return row(parts);
  }
}

// Says a node and what is inside. Where a voice should pause, a new line begins.
function spoken(node) {
  if (node.nodeType === Node.TEXT_NODE)
    return node.parentElement.closest('pre') ? node.data : node.data.replace(/\s+/g, ' ');
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SILENT)) return '';
  const text = node.textContent.trim();
  if (node.matches('img')) return `\nPicture: ${node.alt}\n`;
  if (node.matches('mjx-container')) return ` ${formulaAloud(node.querySelector('math'))} `;
  if (node.matches('.highlight')) return `\nCode, ${text.split('\n').length} lines.\n`;
  if (node.matches('.choice')) {
    const chosen = node.querySelector(':checked').parentElement;
    return `\n${node.ariaLabel} ${chosen.textContent}\n`;
  }
  if (node.matches('label')) return `\n${text.replace(/\s+/g, ' ')}\n`;
  const inside = [...node.childNodes].map(spoken).join(''), { display } = getComputedStyle(node);
  if (display === 'table-cell') return `${inside}, `;
  return display === 'none' ? '' : display.startsWith('inline') ? inside : `\n${inside}\n`;
}

function aloud(e) {
  const tidy = line => line
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?)])/g, '$1')
    .replace(/,(?=[,.;])/g, '')
    .replace(/([(]) /g, '$1')
    .replace(/[, ]+$/, '')
    .trim();
  const ended = line => /[.,:;!?]$/.test(line) ? line : line + '.';
  return spoken(e).split('\n').map(tidy).filter(Boolean).map(ended).join(' ');
}
