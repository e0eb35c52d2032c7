/**
 * Signing in: the launch address carries a code in its fragment, good once and for a minute. It is exchanged for a
 * cookie and removed from the address before anything else happens. Keeps PAGE-2.
 */
import { pageUrl } from './daemon.ts';

const CODE = /^#code=([\w-]+)$/;

/** Kept until the gateway has answered: it may be away when the page is opened. */
let code: string | undefined;

/** False when the page is not signed in, and has no code that would change that. Throws when nobody answers. */
export async function signIn(): Promise<boolean> {
  const found = CODE.exec(location.hash)?.[1];
  if (found !== undefined) {
    code = found;
    history.replaceState(null, '', pageUrl('./'));
  }
  if (code !== undefined) {
    const answer = await fetch(pageUrl('./api/login'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name: deviceName() }),
    });
    code = undefined;
    if (answer.ok) return true;
  }
  const { ok, status } = await fetch(pageUrl('./api/me'));
  if (!ok && status !== 401 && status !== 403) throw new Error(`The gateway answered with ${status}.`);
  return ok;
}

/** For the list of devices: `Chrome on Android`. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
