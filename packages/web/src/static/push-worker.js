/**
 * Shows what the daemon notifies of while the page is closed, and answers from there. It has no `fetch` handler on purpose: an
 * old worker in front of a new daemon would lock users out. Keeps PAGE-30.
 */
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const news = event.data?.json() ?? {};
  event.waitUntil(
    self.registration.showNotification(String(news.title ?? 'Spool'), {
      body: String(news.body ?? ''),
      tag: String(news.session ?? 'spool'),
      data: { ask: news.ask ?? null, url: String(news.url ?? './') },
      actions: (news.actions ?? []).slice(0, 2).map(({ id, label }) => ({ action: String(id), title: String(label) })),
      icon: './icon.svg',
      renotify: true,
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { ask, url } = event.notification.data;
  event.waitUntil(event.action === '' || ask === null ? open(url) : answer(ask, event.action, url));
});

async function answer(ask, action, url) {
  const answered = await fetch(new URL(`api/asks/${encodeURIComponent(ask)}`, self.registration.scope), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action }),
  }).catch(() => null);
  const isDone = answered?.ok === true && (await answered.json()).isConfirmed === true;
  if (isDone) return;
  // Refused, or nobody is there: the user looks.
  await self.registration.showNotification('Not answered', {
    body:
      answered?.status === 409
        ? 'The question has changed, or somebody was faster.'
        : 'The answer did not arrive. Tap to open it.',
    tag: `answer ${ask}`,
    data: { ask: null, url },
    icon: './icon.svg',
  });
}

async function open(url) {
  const target = new URL(url, self.registration.scope);
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === target.pathname);
  if (page === undefined) return self.clients.openWindow(target.href);
  // The page reads its address from the fragment. First, because a browser may refuse the focus.
  page.postMessage({ go: target.hash });
  await page.focus();
}
