/**
 * Signs in: the launch address has a code in its fragment, valid once and for a minute. The code is removed from the address
 * first, and registers a new key of this browser. Keeps PAGE-2.
 */
import { SpoolError } from '@spool/client/remote';
import type { IssuedPass } from '@spool/protocol';
import { makeKeys, storeKey } from './device-key.ts';
import { holdPass, post } from './pass.ts';
import { pageUrl } from './page-url.ts';

const CODE = /^#code=([\w-]+)$/;

/** The code, kept until the gateway has answered, because the gateway may be unreachable when the page is opened. */
let code: string | undefined;

/**
 * Exchanges the code, if there is one. After that the link itself shows whether this browser is admitted, without another request.
 * Throws if there is no answer.
 */
export async function signIn(): Promise<void> {
  const found = CODE.exec(location.hash)?.[1];
  if (found !== undefined) {
    code = found;
    history.replaceState(null, '', pageUrl('./'));
  }
  // Without TLS a browser creates no keys, except on the machine itself: the page explains this.
  if (code === undefined || !isSecureContext) return;
  const { privateKey, publicKey } = await makeKeys();
  try {
    const login = { code, key: publicKey, name: deviceName() };
    const { id, ...issued } = await post<IssuedPass & { readonly id: string }>('login', login);
    await storeKey({ device: id, privateKey });
    holdPass(issued);
  } catch (error) {
    // A refused code was used before, perhaps by this browser; a code that did not arrive is sent again.
    if (SpoolError.is(error, 'HOST_UNREACHABLE') && !(Number(error.details.status) < 500)) throw error;
  }
  code = undefined;
}

/** Returns a name for the list of devices: `Chrome on Android`. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
