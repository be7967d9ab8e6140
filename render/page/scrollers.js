// Lets Tab lead to each part that scrolls sideways, so that keys can scroll it. It must be called
// again when widths have changed.
function letKeysScroll() {
  const scrollers = 'pre, .wide, .broad, mjx-container, .jp-RenderedLatex';
  for (const e of document.querySelectorAll(scrollers)) {
    const mayScroll = ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
    if (mayScroll && e.scrollWidth > e.clientWidth + 1) e.tabIndex = 0;
    else e.removeAttribute('tabindex');
  }
}
