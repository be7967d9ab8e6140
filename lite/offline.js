// In the service worker, before JupyterLite's part: each file that came is kept in the browser,
// and answers where the network does not. Where the network answers, its file counts.
const asksThePage = /\/api\/(drive|stdin|service-worker-heartbeat)/;  // Python reads files so
const version = answer => ['etag', 'last-modified', 'content-length']
  .map(name => answer?.headers.get(name)).join();

self.addEventListener('fetch', event => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || asksThePage.test(pathname)) return;
  event.stopImmediatePropagation();
  event.respondWith(answered(request, event));
});

async function answered(request, event) {
  const store = await caches.open('course');
  const kept = await store.match(request, { ignoreSearch: request.mode === 'navigate' });
  try {
    const answer = await fetch(request);
    if (answer.ok && version(answer) !== version(kept))
      event.waitUntil(store.put(request, answer.clone()).then(() => tell(answer)));
    return answer;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

// How much has come, for the words that the page says meanwhile (page.js).
async function tell(answer) {
  const brought = Number(answer.headers.get('content-length'));
  for (const page of await self.clients.matchAll({ includeUncontrolled: true }))
    page.postMessage({ brought });
}
