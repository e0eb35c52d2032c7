/**
 * Signing in: the launch address carries a code in its fragment, good once and for a minute. It is exchanged for a
 * cookie and removed from the address before anything else happens. Keeps PAGE-2.
 */
import { pageUrl } from './daemon.ts';

const CODE = /^#code=([\w-]+)$/;

/** False when the page is not signed in, and has no code that would change that. */
export async function signIn(): Promise<boolean> {
  const code = CODE.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, '', pageUrl('./'));
    const answer = await fetch(pageUrl('./api/login'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name: deviceName() }),
    });
    if (answer.ok) return true;
  }
  return (await fetch(pageUrl('./api/me'))).ok;
}

/** For the list of devices: `Chrome on Android`. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
