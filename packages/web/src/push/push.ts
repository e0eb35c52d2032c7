/** Notifications on this device while the page is closed (web push), through a worker that has no other task. Keeps PAGE-30. */
import type { PushSubscriptions } from '@spool/protocol';
import { askGateway } from '../link/ask-gateway.ts';
import { pageUrl } from '../link/daemon.ts';
import { scriptUrl } from '../link/script-url.ts';

export type PushState = 'unsupported' | 'off' | 'on' | 'denied';

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window && window.isSecureContext;

export function listenToWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ readonly go?: unknown }>) => {
    if (typeof data?.go === 'string' && data.go.startsWith('#/')) location.hash = data.go;
  });
}

export async function pushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const registration = await navigator.serviceWorker.getRegistration(pageUrl('./'));
  return (await registration?.pushManager.getSubscription()) ? 'on' : 'off';
}

/** Asks the user for permission: must be called from a click. */
export async function startPush(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return 'denied';
  const { publicKey } = await askGateway<PushSubscriptions>('push');
  const registration = await navigator.serviceWorker.register(scriptUrl('./push-worker.js') as string, {
    scope: pageUrl('./').pathname,
  });
  await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await askGateway('push', { body: subscription.toJSON() });
  return 'on';
}

export async function stopPush(): Promise<PushState> {
  const registration = await navigator.serviceWorker.getRegistration(pageUrl('./'));
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  const { subscriptions } = await askGateway<PushSubscriptions>('push');
  for (const { id } of subscriptions) await askGateway(`push/${id}`, { method: 'DELETE' });
  return 'off';
}
