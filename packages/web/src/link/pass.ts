/**
 * The pass of this page, which it sends to the gateway in a header or as a subprotocol. It lives in the memory of the page, for
 * some minutes; another one is obtained by signing a challenge with the key of the browser. Keeps DOOR-58 on the page.
 */
import { SpoolError } from '@spool/client/remote';
import type { IssuedPass } from '@spool/protocol';
import { signWith, storedKey } from './device-key.ts';
import { pageUrl } from './page-url.ts';

export interface PagePass {
  readonly text: string;
  /** Whether it was created for this use: if such a pass is refused, this browser is refused. */
  readonly isFresh: boolean;
}

/** The time before its expiry at which a pass is renewed, because a request may take a while. */
const SPARE_MS = 30_000;
const ASK_MS = 5_000;

let held: { readonly text: string; readonly until: number } | null = null;
let renewal: Promise<string> | null = null;

export function holdPass({ pass, passMs }: IssuedPass): void {
  held = { text: pass, until: Date.now() + passMs - SPARE_MS };
}

/** Drops a pass that the gateway has refused: the gateway may have been restarted. */
export function dropPass(text: string): void {
  if (held?.text === text) held = null;
}

/**
 * Returns a pass. Throws TOKEN_MISSING or TOKEN_REFUSED if this browser is refused, and HOST_UNREACHABLE if there is no answer.
 */
export async function takePass(): Promise<PagePass> {
  if (held !== null && Date.now() < held.until) return { text: held.text, isFresh: false };
  renewal ??= renew().finally(() => (renewal = null));
  return { text: await renewal, isFresh: true };
}

async function renew(): Promise<string> {
  const key = await storedKey();
  if (key === null) throw new SpoolError('TOKEN_MISSING');
  const { challenge } = await post<{ readonly challenge: string }>('challenge', {});
  const signature = await signWith(key, ['spool pass', location.origin, key.device, challenge].join('\n'));
  const issued = await post<IssuedPass>('pass', { device: key.device, challenge, signature });
  holdPass(issued);
  return issued.pass;
}

/** Posts without a pass, because these requests lead to one. */
export async function post<Answer>(path: string, body: object): Promise<Answer> {
  const host = location.host;
  const answer = await fetch(pageUrl(`./api/${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ASK_MS),
  }).catch((error: unknown) => {
    throw new SpoolError('HOST_UNREACHABLE', { host, reason: String(error) }, { cause: error });
  });
  if (answer.status === 401) throw new SpoolError('TOKEN_REFUSED', { host });
  if (!answer.ok) throw new SpoolError('HOST_UNREACHABLE', { host, status: answer.status });
  return (await answer.json()) as Answer;
}
