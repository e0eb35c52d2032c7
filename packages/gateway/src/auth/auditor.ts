/**
 * Passes the events of the gateway to the keeper's audit log, in batches. Frequent events are counted instead of stored. Keeps DOOR-16, DOOR-52 and NODE-66.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AUDIT_ENTRIES_MAX, type AuditEntry } from '@spool/protocol';
import type { Principal } from './principal.ts';

const WAITING_MAX = 5000;

const MINUTE_MS = 60_000;
const REFUSALS_A_MINUTE = 100;
/** The maximum of refusals in a minute that are recorded for each token, so that its holder cannot fill the log. */
const REFUSALS_OF_TOKEN_A_MINUTE = 20;
/** The maximum of tokens, users and sessions that are remembered together for a minute. */
const KEYS_MAX = 1000;

/** The maximum of attempts: a dead keeper is replaced within seconds. */
const ATTEMPTS_MAX = 20;
const AGAIN_MS = 500;

export class Auditor {
  readonly #send: (entries: readonly AuditEntry[]) => Promise<void>;
  readonly #againMs: number;
  #waiting: AuditEntry[] = [];
  #dropped = 0;
  #isSending = false;
  #minuteSince = -Infinity;
  readonly #often = new Map<string, number>();

  /** `againMs`: the pause between two attempts to reach a keeper. */
  constructor(send: (entries: readonly AuditEntry[]) => Promise<void>, againMs = AGAIN_MS) {
    this.#send = send;
    this.#againMs = againMs;
  }

  /**
   * Records an event that may occur often: refusals of unauthenticated clients, limited to some a minute, and looks of viewers, one
   * a minute for each token, user and session. Without the limit, they could push older entries out of the log. A machine sends the
   * requests of several users with one token.
   */
  recordOften(
    principal: Principal | null,
    what: string,
    more: Pick<AuditEntry, 'session' | 'address' | 'note'> = {},
  ): void {
    const key = principal ? JSON.stringify([principal.id, principal.name, what, more.session]) : what;
    if (this.#isWithin(key, principal ? 1 : REFUSALS_A_MINUTE)) this.record(principal, what, more);
    else this.#dropped++;
  }

  /** Records that the rights of a client do not suffice for a request. */
  recordRefusal(principal: Principal, note: string, session: string): void {
    if (this.#isWithin(JSON.stringify(['refusals', principal.id]), REFUSALS_OF_TOKEN_A_MINUTE))
      this.record(principal, 'refused', { session: session.slice(0, 200), note });
    else this.#dropped++;
  }

  /** Counts an event. Returns whether it is within its limit in this minute. */
  #isWithin(key: string, most: number): boolean {
    const now = performance.now();
    if (now - this.#minuteSince > MINUTE_MS) {
      this.#minuteSince = now;
      this.#often.clear();
    }
    const count = this.#often.get(key) ?? 0;
    const isKnown = count > 0 || this.#often.size < KEYS_MAX;
    if (isKnown) this.#often.set(key, count + 1);
    return isKnown && count < most;
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

  /** Sends a batch. If the keeper dies meanwhile, the batch goes to the next one, and some lines may be recorded twice. */
  async #sendSurely(batch: readonly AuditEntry[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      try {
        return await this.#send(batch);
      } catch {
        await pause(this.#againMs);
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
