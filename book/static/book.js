// What every page does once it stands.

// ---- Chinese, and what scrolls ------------------------------------------------------
markChinese(document.querySelector('main'));
addEventListener('load', () => reachScrollers(document.body));
addEventListener('resize', () => reachScrollers(document.body));

// ---- a picture at its full size -----------------------------------------------------
const dialog = document.createElement('dialog');
dialog.className = 'large';
dialog.innerHTML = '<header><span>Push the picture about, or turn the telephone.</span>'
  + '<button type="button">Close</button></header><div class="room" tabindex="0"></div><div class="panel"></div>';
dialog.setAttribute('aria-label', 'Enlarged picture');
document.body.append(dialog);
const room = dialog.querySelector('.room'), panel = dialog.querySelector('.panel');
let home = null;                                           // where the enlarged picture came from

function enlarge(box) {
  home = box;
  const image = box.querySelector('img');
  room.append(image);
  panel.append(...box.querySelectorAll('.knobs, .sentence'));
  dialog.showModal();
  room.scrollTo(0, 0);
}

dialog.querySelector('button').addEventListener('click', () => dialog.close());
dialog.addEventListener('close', () => {
  home.prepend(room.querySelector('img'));
  home.append(...panel.children);
  home.querySelector('.enlarge').focus({ preventScroll: true });
});

for (const box of document.querySelectorAll('.figure, .explorer')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'enlarge';
  button.textContent = 'Enlarge';
  button.addEventListener('click', () => enlarge(box));
  (box.querySelector('.knobs') ?? box).append(button);
  box.querySelector('img').addEventListener('click', () => dialog.open || enlarge(box));
}
