// What a screen reader needs and ipywidgets leaves out, set in the page of a notebook: a
// slider's name, its value in place of an option's number, which button is pressed, an
// alt text, and a polite voice for the sentence under the picture. Where a page runs no
// scripts, all the rest works. speech.py puts `const alt` before it.
function speak(wait) {
  const panel = element.closest('.explorer');
  const words = panel?.querySelector('.explorer-words .widget-html-content');
  const image = panel?.querySelector('.widget-image');
  if (!words || !image) {
    setTimeout(speak, wait, 1.5 * wait);  // a slow machine shows it late
    return;
  }
  image.alt = alt;
  words.setAttribute('aria-live', 'polite');
  new MutationObserver(() => {
    image.alt = words.textContent + ' At the start: ' + alt;
  }).observe(words, {childList: true, characterData: true, subtree: true});
  for (const slider of panel.querySelectorAll('.widget-hslider')) {
    const handle = slider.querySelector('.noUi-handle');
    const value = slider.querySelector('.widget-readout');
    const name = slider.querySelector('.widget-label').textContent;
    handle.setAttribute('aria-label', name);
    const tell = () => {
      if (handle.getAttribute('aria-valuetext') !== value.textContent)
        handle.setAttribute('aria-valuetext', value.textContent);
    };
    new MutationObserver(tell).observe(slider, {
      childList: true, subtree: true, attributeFilter: ['aria-valuetext']});
    tell();
  }
  for (const choice of panel.querySelectorAll('.widget-toggle-buttons')) {
    const group = choice.querySelector('button').parentElement;
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', choice.querySelector('.widget-label').textContent);
    const tell = () => {
      for (const button of group.children)
        button.setAttribute('aria-pressed', button.classList.contains('mod-active'));
    };
    new MutationObserver(tell).observe(group, {
      subtree: true, attributeFilter: ['class']});
    tell();
  }
}
speak(50);
