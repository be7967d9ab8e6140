// What stands on the present slide, and what is wrong with it.
() => {
  const slide = Reveal.getCurrentSlide(), faults = [], beyond = [];
  const hidden = 'aside.notes, mjx-assistive-mml, script, style, '
    + 'details:not([open]) > :not(summary)';
  const boxOf = e => e.getBoundingClientRect();
  const furniture = [...document.querySelectorAll('.slide-number, .controls .enabled')]
    .map(boxOf).filter(box => box.width);
  const corner = {
    left: Math.min(...furniture.map(box => box.left)),
    top: Math.min(...furniture.map(box => box.top)),
  };
  const name = words => words.trim().replace(/\s+/g, ' ').slice(0, 50);
  const picture = slide.querySelector('img:not(.answered img)'), over = picture && boxOf(picture);
  let words = 0;

  function place(box, what) {
    if (!box.width || !box.height) return;
    if (box.left < 44 || box.top < -1 || box.right > 1236 || box.bottom > 721)
      beyond.push(`${what}, which ends at ${Math.round(box.right)}, ${Math.round(box.bottom)}`);
    else if (box.right > corner.left && box.bottom > corner.top)
      faults.push(`under the slide number: ${what}`);
  }

  for (const e of slide.querySelectorAll('*')) {
    if (e.closest(hidden) || e.parentElement.closest('svg')) continue;
    if (!e.children.length || e.tagName == 'svg')
      place(boxOf(e), `<${e.tagName}> ${name(e.alt || '')}`);
    const isCut = getComputedStyle(e).overflowX != 'visible';
    if (isCut && e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
      faults.push(`cut off: ${name(e.textContent)}`);
  }

  const range = document.createRange();
  const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), e = walker.currentNode.parentElement;
    if (!text || e.closest(hidden)) continue;
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects()) {
      place(box, name(text));
      if (over && box.left < over.right && box.right > over.left && box.top < over.bottom && box.bottom > over.top)
        faults.push(`on the picture: ${name(text)}`);
    }
    const size = parseFloat(getComputedStyle(e).fontSize);
    if (size < 22) faults.push(`text of ${size} px: ${name(text)}`);
    if (e.closest('pre, code')) continue;
    if (/[$\\]/.test(text)) faults.push(`raw formula: ${name(text)}`);
    if (!e.closest('h1, .map, h2, h3, .knobs, .next'))
      words += text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length;
  }
  if (beyond.length) faults.push(`beyond the frame or its margin: ${beyond[0]}`);

  for (const e of slide.querySelectorAll('mjx-container')) {
    if (parseFloat(getComputedStyle(e).fontSize) < 22) faults.push('a formula below 22 px');
    if (e.querySelector('mjx-merror, [data-mml-node=merror]'))
      faults.push('a formula with an error');
  }
  return {
    faults: [...new Set(faults)], words,
    heading: slide.querySelector('h1, h2, h3')?.textContent ?? '',
    pictures: [...slide.querySelectorAll('img:not(.answered img)')].map(e => ({
      alt: e.alt,
      drawn: boxOf(e).height,
      height: e.naturalHeight / (e.closest('.explorer') ? 1.5 : 2.25),
    })),
    code: [...slide.querySelectorAll('.highlight pre')]
      .map(e => e.textContent.trimEnd().split('\n').length),
    notes: [...slide.querySelectorAll('aside.notes')].map(e => e.textContent.trim()).join(' '),
  };
}
