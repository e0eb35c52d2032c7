/**
 * Limits searches, which take the gateway's time: two run at once, and few wait for each token, so that a viewer who sends a
 * thousand delays only itself. Keeps PAGE-10 and PAGE-38.
 */
import { SpoolError } from '@spool/protocol';
import { Semaphore } from '@spool/native/semaphore';

const AT_ONCE = 2;
const OF_TOKEN_MAX = 4;

export class SearchSemaphore {
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #counts = new Map<string, number>();

  /** Runs a search in its turn. A search whose client has disconnected by then is dropped. */
  async take<T>(token: string, signal: AbortSignal, search: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(token) ?? 0;
    if (count >= OF_TOKEN_MAX) throw new SpoolError('TOO_MANY_VISITS', { what: 'searches', most: OF_TOKEN_MAX });
    this.#counts.set(token, count + 1);
    try {
      return await this.#semaphore.run(search, signal);
    } finally {
      const left = this.#counts.get(token)! - 1;
      if (left === 0) this.#counts.delete(token);
      else this.#counts.set(token, left);
    }
  }
}
