/** Passes what happens at the doors to the keeper's audit log, in batches. A flood is counted, not kept. Keeps DOOR-16. */
import { setTimeout as pause } from 'node:timers/promises';
import { AUDIT_ENTRIES_MAX, type AuditEntry } from '@spool/protocol';
import type { Principal } from './principal.ts';

const WAITING_MAX = 5000;

const MINUTE_MS = 60_000;
const REFUSALS_A_MINUTE = 100;
/** Pairs of token and session that are remembered for a minute. */
const KEYS_MAX = 1000;

/** A keeper that is away is replaced within seconds. */
const ATTEMPTS_MAX = 20;
const AGAIN_MS = 500;

export class Auditor {
  readonly #send: (entries: readonly AuditEntry[]) => Promise<void>;
  #waiting: AuditEntry[] = [];
  #dropped = 0;
  #isSending = false;
  #minuteSince = -Infinity;
  readonly #often = new Map<string, number>();

  constructor(send: (entries: readonly AuditEntry[]) => Promise<void>) {
    this.#send = send;
  }

  /**
   * Refusals of strangers and looks of viewers could fill the log until what happened before is gone: of the former so many a minute are
   * kept, of the latter one a minute for each token and session.
   */
  recordOften(
    principal: Principal | null,
    what: string,
    more: Pick<AuditEntry, 'session' | 'address' | 'note'> = {},
  ): void {
    const now = performance.now();
    if (now - this.#minuteSince > MINUTE_MS) {
      this.#minuteSince = now;
      this.#often.clear();
    }
    const key = principal ? `${principal.id} ${what} ${more.session ?? ''}` : what;
    const count = this.#often.get(key) ?? 0;
    const isKnown = count > 0 || this.#often.size < KEYS_MAX;
    if (isKnown) this.#often.set(key, count + 1);
    if (!isKnown || count >= (principal ? 1 : REFUSALS_A_MINUTE)) this.#dropped++;
    else this.record(principal, what, more);
  }

  record(principal: Principal | null, what: string, more: Pick<AuditEntry, 'session' | 'address' | 'note'> = {}): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({ at: Date.now(), token: principal?.id ?? null, who: principal?.name ?? '', what, ...more });
    if (!this.#isSending) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, AUDIT_ENTRIES_MAX - 1);
      if (this.#dropped > 0) batch.push(this.#tellDropped());
      await this.#sendSurely(batch);
    }
    this.#isSending = false;
  }

  /** To the next keeper, if this one dies meanwhile: then some lines may be there twice. */
  async #sendSurely(batch: readonly AuditEntry[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      try {
        return await this.#send(batch);
      } catch {
        await pause(AGAIN_MS);
      }
    }
    this.#dropped += batch.length;
  }

  #tellDropped(): AuditEntry {
    const note = `${this.#dropped} more like those before`;
    this.#dropped = 0;
    return { at: Date.now(), token: null, who: '', what: 'dropped', note };
  }
}
