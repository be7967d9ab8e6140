// In the page of a notebook that runs here: what it waits for, and that nothing is stale.
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
    if (hasStarted()) clearInterval(tell);
    if (hasStarted() && hasStore) told.remove();
  }, 300);
  hasStore = Boolean(navigator.serviceWorker);
});
}
