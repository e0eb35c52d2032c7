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
  const answered = await pass()
    .then((text) => post(`api/asks/${encodeURIComponent(ask)}`, { action }, { authorization: `Bearer ${text}` }))
    .catch(() => null);
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

function post(path, body, headers = {}) {
  return fetch(new URL(path, self.registration.scope), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** As the page gets one (`link/pass.ts`): a challenge, signed with the key of this browser. */
async function pass() {
  const { device, privateKey } = await storedKey();
  const { challenge } = await (await post('api/challenge', {})).json();
  const text = ['spool pass', self.location.origin, device, challenge].join('\n');
  const hash = { name: 'ECDSA', hash: 'SHA-256' };
  const bytes = new Uint8Array(await crypto.subtle.sign(hash, privateKey, new TextEncoder().encode(text)));
  const signature = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const answer = await post('api/pass', { device, challenge, signature });
  if (!answer.ok) throw new Error(`refused with ${answer.status}`);
  return (await answer.json()).pass;
}

/** As the page has stored it (`link/device-key.ts`). Rejects when there is none. */
function storedKey() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('spool', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('devices');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const place = new URL(self.registration.scope).pathname;
      const reading = database.transaction('devices').objectStore('devices').get(place);
      reading.onerror = () => reject(reading.error);
      reading.onsuccess = () => (reading.result ? resolve(reading.result) : reject(new Error('not signed in')));
      reading.transaction.oncomplete = () => database.close();
    };
  });
}
