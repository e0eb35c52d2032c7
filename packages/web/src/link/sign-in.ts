/**
 * Signing in: the launch address carries a code in its fragment, good once and for a minute. It is exchanged for a
 * cookie and removed from the address before anything else happens. Keeps PAGE-2.
 */
import { pageUrl } from './daemon.ts';

const CODE = /^#code=([\w-]+)$/;

/** Kept until the gateway has answered: it may be away when the page is opened. */
let code: string | undefined;

/**
 * Exchanges the code, if there is one. Whether this browser may come in is then said by the link itself, without another
 * question before it. Throws when nobody answers.
 */
export async function signIn(): Promise<void> {
  const found = CODE.exec(location.hash)?.[1];
  if (found !== undefined) {
    code = found;
    history.replaceState(null, '', pageUrl('./'));
  }
  if (code === undefined) return;
  await fetch(pageUrl('./api/login'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: deviceName() }),
  });
  code = undefined;
}

/** For the list of devices: `Chrome on Android`. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
