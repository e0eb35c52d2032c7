/**
 * The token in a notification that answers a question: valid only for this answer to this question, once, for an hour. It is signed
 * with a key that only this gateway has, in memory: the next gateway does not accept the token. Keeps NOTE-3.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const ACTION_LINK_MS = 60 * 60 * 1000;

/** The maximum of used links, far more than the notifications of an hour. */
const USED_MAX = 10_000;

export interface ActionLink {
  readonly ask: string;
  readonly action: string;
  readonly expiresAt: number;
  readonly nonce: string;
}

export class ActionLinks {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  readonly #used = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  make(ask: string, action: string): string {
    const fields = [ask, action, this.#now() + ACTION_LINK_MS, randomBytes(12).toString('base64url')];
    const text = Buffer.from(JSON.stringify(fields)).toString('base64url');
    return `spoolask_${text}_${this.#sign(text).toString('base64url')}`;
  }

  /** Returns null if the token is forged, too old or used. */
  read(token: string): ActionLink | null {
    const [, text, signature] = PATTERN.exec(token) ?? [];
    if (text === undefined || signature === undefined) return null;
    if (!timingSafeEqual(this.#sign(text), Buffer.from(signature, 'base64url'))) return null;
    const [ask, action, expiresAt, nonce] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
      string,
      string,
      number,
      string,
    ];
    return expiresAt > this.#now() && !this.#used.has(nonce) ? { ask, action, expiresAt, nonce } : null;
  }

  /** Returns false if it was used before, however many clients try at the same time. */
  use({ nonce, expiresAt }: ActionLink): boolean {
    if (this.#used.has(nonce)) return false;
    for (const [old, until] of this.#used) if (until <= this.#now()) this.#used.delete(old);
    if (this.#used.size >= USED_MAX) return false;
    this.#used.set(nonce, expiresAt);
    return true;
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

const PATTERN = /^spoolask_([\w-]{1,1000})_([\w-]{43})$/;

/** Returns whether a token has the form of an action link. */
export function isActionLink(token: string | undefined): token is string {
  return token?.startsWith('spoolask_') === true;
}
