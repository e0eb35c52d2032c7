/**
 * The windows of all links on one connection to a NATS server: the bytes that each sender may have on their way to this machine. Together they are limited,
 * because the server keeps them in one queue when this machine stands still. Keeps NODE-52.
 */

/** The maximum for one link. */
export const LINK_BYTES_MAX = 256 * 1024;

/** The maximum for all links of a connection, as long as it is more than the first window of each. */
export const CONNECTION_BYTES_MAX = 1024 * 1024;

/** The window of a link without a grant: before its first one, and when the last one has expired. */
export const FIRST_WINDOW_BYTES = 4 * 1024;

/** The time for which a grant is valid: links that are idle leave the room to others. */
export const GRANT_MS = 5000;

/** The time after which a grant counts as expired here; it expires at the sender first. */
const EXPIRED_MS = GRANT_MS + 1000;

export class WindowPool {
  readonly #granted = new Map<object, { bytes: number; at: number }>();

  /** Adds a link, which has its first window. */
  add(link: object): void {
    this.#granted.set(link, { bytes: FIRST_WINDOW_BYTES, at: 0 });
  }

  /** Returns the next window of a link that is sending: a fair part, as far as there is room. */
  grant(link: object): number {
    const now = performance.now();
    let others = 0;
    let sending = 1;
    for (const [each, { bytes, at }] of this.#granted) {
      if (each === link) continue;
      const isIdle = bytes === FIRST_WINDOW_BYTES || now - at > EXPIRED_MS;
      others += isIdle ? FIRST_WINDOW_BYTES : bytes;
      if (!isIdle) sending++;
    }
    const fair = Math.min(LINK_BYTES_MAX, Math.floor(CONNECTION_BYTES_MAX / sending), CONNECTION_BYTES_MAX - others);
    const bytes = Math.max(FIRST_WINDOW_BYTES, fair);
    this.#granted.set(link, { bytes, at: now });
    return bytes;
  }

  remove(link: object): void {
    this.#granted.delete(link);
  }
}
