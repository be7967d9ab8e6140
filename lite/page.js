// In the page of a notebook that runs here: what it waits for, that nothing is stale, and that
// a chapter that was only read is not saved as a copy.
{  // names of its own: JupyterLite's scripts share the page
const MINUTE = 60_000;
const begun = Date.now();

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

const words = () => {
  if (!hasStore)
    return 'In this window the course cannot run: it is a private one, or its address begins with http.'
      + ' Open it in a usual window, by https or from your own machine.';
  if (Date.now() - begun > MINUTE)
    return 'Python has not started after a minute. On a slow line it may take five. Else reload the'
      + ' page, or open it in another browser: Chrome, Edge and Firefox are the quickest.';
  const small = innerWidth < 700 ? ' It wants a larger screen: on a telephone, read the book.' : '';
  return 'Python is starting in your browser. The first time it brings about 30 MB. Read on'
    + ` meanwhile; cells that you run wait for it.${small}`;
};

// What came before there was a service worker is asked for once more, out of the browser's cache, so
// that all is kept for a time without network (offline.js); the course's modules, too.
const keep = async () => {
  await navigator.serviceWorker?.ready;
  const base = new URL('../', location.href);
  const list = await (await fetch(new URL('files/course/files.txt', base))).text();
  const files = list.trim().split(/\s+/).map(name => `files/${name}`);
  const folders = ['', 'course/', 'course/fonts/', 'course/trained/'];
  const lists = folders.map(name => `api/contents/${name}all.json`);
  const ours = [...files, ...lists].map(name => new URL(name, base).href);
  const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
  for (const url of new Set([location.href, ...loaded, ...ours]))
    if (url.startsWith(base) && !await caches.match(url)) await fetch(url, { cache: 'force-cache' });
};

// A kernel that starts writes its name into the notebook, which would then count as changed.
const forgetStart = () => {
  const { model } = shown().context ?? {};
  if (model?.sharedModel && !model.sharedModel.canUndo()) model.dirty = false;
};

const linkToBook = () => {
  const back = document.createElement('a');
  back.href = '../../index.html';
  back.textContent = 'The book';
  back.style = 'align-self: center; padding: 0 12px; font: 15px system-ui, sans-serif';
  document.querySelector('#top-panel')?.append(back);
};

addEventListener('DOMContentLoaded', () => {
  const told = document.createElement('p');
  told.setAttribute('role', 'status');
  told.style = 'position: fixed; inset: auto 0 0; z-index: 99; margin: 0; padding: 12px 24px;'
    + ' font: 17px/1.4 system-ui, sans-serif; background: #12263C; color: white';
  document.body.append(told);
  const tell = setInterval(async () => {
    if (hasStarted()) hasStore = Boolean(await navigator.serviceWorker?.getRegistration());
    if (told.textContent !== words()) told.textContent = words();
    told.hidden = !waits();
    if (!hasStarted()) return;
    clearInterval(tell);
    if (hasStore) told.remove();
    forgetStart();
    linkToBook();
    if (hasStore) keep();
  }, 300);
  hasStore = Boolean(navigator.serviceWorker);
});
}
