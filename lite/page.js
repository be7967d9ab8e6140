// In the page of a notebook that runs here: what it waits for, that nothing is stale, and that
// a chapter that was only read is not saved as a copy.
{  // names of its own: JupyterLite's scripts share the page
const MINUTE = 60_000;
const begun = Date.now();
const asked = location.hash.slice(1);  // a cell, of an exercise in the book

// A browser may keep old files for days. The course's own are asked for anew: a question costs
// little where nothing has changed.
const usual = window.fetch;
window.fetch = (what, how) => {
  const isOurs = /\/(files|api\/contents)\//.test(what.url ?? what);
  return usual(what, isOurs ? { ...how, cache: 'no-cache' } : how);
};

const shown = () => window.jupyterapp?.shell.currentWidget;
const kernel = () => shown()?.sessionContext?.session?.kernel;
const waits = () => !shown() || shown().sessionContext;  // else a list of files is open
const hasStarted = () => ['idle', 'busy'].includes(kernel()?.status);
let hasStore = true;  // a service worker, by which Python reads the course's modules

const isFirst = !navigator.serviceWorker?.controller;
let brought = 0;  // bytes that came over the network: the service worker tells
let lastCame = begun;
navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (!data?.brought) return;
  brought += data.brought;
  lastCame = Date.now();
});
const amount = () => brought > 1e6 ? ` ${Math.round(brought / 1e6)} MB have come.` : '';

const words = () => {
  if (!hasStore)
    return 'In this window the course cannot run: it is a private one, or its address begins with http.'
      + ' Open it in a usual window, by https or from your own machine.';
  if (Date.now() - lastCame > MINUTE)
    return `Python has not started, and nothing has come for a minute.${amount()} Reload the page, or`
      + ' open it in another browser: Chrome, Edge and Firefox are the quickest.';
  const small = innerWidth < 700 ? ' It wants a larger screen: on a telephone, read the book.' : '';
  const first = isFirst ? ' The first time it brings all of Python, on a slow line in three minutes.' : '';
  return `Python is starting in your browser.${first}${amount()}${small}`;
};

const goTo = (content, at, align) => {
  content.activeCellIndex = at;
  content.scrollToItem(at, align);
};

const leadTo = id => {
  const { content } = shown();
  const at = [...content.model.cells].findIndex(cell => cell.id === id);
  if (at >= 0) goTo(content, at, 'start');
};

// When Python is ready the cells are as they were saved, and none has run. The offer stays while
// single cells run: they miss those above them. It follows a run of all, by the menu, too.
const offerToRun = told => {
  const { content } = shown(), { cells } = content.model;
  const running = () => [...cells].filter(cell => cell.executionState === 'running').length;
  const say = (...parts) => told.replaceChildren(...parts);
  const button = (name, onclick) => {
    const made = Object.assign(document.createElement('button'), { textContent: name, onclick });
    made.style = 'margin: 0 12px; padding: 4px 12px; font: inherit';
    return made;
  };
  let isFollowed = false;
  const close = () => { clearInterval(waiting); told.remove(); };
  const waiting = setInterval(() => {
    if (running() > 5 && !isFollowed) {
      isFollowed = true;
      brought = 0;
    }
    if (isFollowed) say(`The chapter runs.${amount()}`);
    if (!isFollowed || running()) return;
    clearInterval(waiting);
    say('The chapter has run. Ctrl+S keeps what you change, in this browser.', button('Close', close));
  }, 300);
  const run = async () => {
    const here = content.activeCellIndex;
    await window.jupyterapp.commands.execute('notebook:run-all-cells');
    const isAtEnd = content.activeCellIndex === cells.length - 1;  // there the command has led
    if (isAtEnd) goTo(content, here);
  };
  say('Python is ready. Sliders and exercises need the cells above them:',
    button('Run all cells', run), button('Close', close));
};

// What came before there was a service worker is asked for once more, out of the browser's cache, so
// that all is kept for a time without network (offline.js); the course's modules, too.
const keep = async () => {
  const { active } = await navigator.serviceWorker.ready;
  // At its second start JupyterLite takes a service worker of an unknown version for an old one, and
  // drops it: then nothing answers without network, in Firefox.
  const { appVersion } = JSON.parse(document.querySelector('#jupyter-config-data').textContent);
  localStorage.setItem(`${active.scriptURL}-version`, appVersion);
  const base = new URL('../', location.href);
  const list = await (await fetch(new URL('files/course/files.txt', base))).text();
  const files = list.trim().split(/\s+/).map(name => `files/${name}`);
  const folders = ['', 'course/', 'course/fonts/', 'course/trained/'];
  const lists = folders.map(name => `api/contents/${name}all.json`);
  const ours = [...files, ...lists].map(name => new URL(name, base).href);
  const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
  for (const url of new Set([location.href, ...loaded, ...ours]))
    if (url.startsWith(base) && !await caches.match(url)) await fetch(url, { cache: 'force-cache' });
  performance.mark('kept');  // for the tests
};

// A kernel that starts writes its name into the notebook, which would then count as changed.
const forgetStart = () => {
  const { model } = shown().context ?? {};
  if (model?.sharedModel && !model.sharedModel.canUndo()) model.dirty = false;
};

const linkToBook = () => {
  const back = document.createElement('a');
  const name = new URLSearchParams(location.search).get('path') ?? '';
  const isOurs = /^(\d\d_|appendix_|glossary)\w*\.ipynb$/.test(name);
  back.href = isOurs ? `../../${name.replace('ipynb', 'html')}` : '../../index.html';
  back.textContent = 'The book';
  back.style = 'align-self: center; padding: 0 12px; font: 15px system-ui, sans-serif';
  document.querySelector('#top-panel').append(back);
};

addEventListener('DOMContentLoaded', () => {
  const told = document.createElement('p');
  told.setAttribute('role', 'status');
  told.style = 'position: fixed; inset: auto 0 0; z-index: 99; margin: 0; padding: 12px 24px;'
    + ' font: 17px/1.4 system-ui, sans-serif; background: #12263C; color: white';
  document.body.append(told);
  let isLinked = false;
  const tell = setInterval(async () => {
    if (!isLinked && document.querySelector('#top-panel')) {
      isLinked = true;
      linkToBook();
    }
    if (hasStarted()) hasStore = Boolean(await navigator.serviceWorker?.getRegistration());
    if (told.textContent !== words()) told.textContent = words();
    told.hidden = !waits();
    if (!hasStarted()) return;
    clearInterval(tell);
    forgetStart();
    if (!hasStore) return;
    if (shown().content?.model?.cells) {
      offerToRun(told);
      leadTo(asked);
    } else told.remove();
    keep();
  }, 300);
  hasStore = Boolean(navigator.serviceWorker);
});
}
