/**
 * Requests that are being answered. One that takes its time (a long poll, a prompt) ends with its token: otherwise a revoked token
 * would still be answered a minute later. Keeps DOOR-12.
 */
import { whenExpired } from './expiry.ts';
import type { Principal } from './principal.ts';

export class OpenRequests {
  readonly #live = new Map<object, { readonly principal: Principal; close(): void }>();

  /** `close` is called when the token ends before the request does. Returns what is to be called at the end of the request. */
  open(principal: Principal, close: () => void): () => void {
    const key = {};
    this.#live.set(key, { principal, close });
    const expiry = whenExpired(principal.expiresAt, close);
    return () => {
      this.#live.delete(key);
      clearTimeout(expiry);
    };
  }

  closeRevoked(isValid: (id: string) => boolean): void {
    for (const { principal, close } of this.#live.values())
      if (principal.link === undefined && !isValid(principal.id)) close(); // a link in a notification is no token
  }
}
