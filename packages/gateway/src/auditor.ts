/** Passes what happens at the doors to the keeper's audit log, in batches. A flood is counted, not kept. Keeps DOOR-16. */
import { AUDIT_ENTRIES_MAX, type AuditEntry } from '@spool/protocol';
import type { Principal } from './principal.ts';

const WAITING_MAX = 5000;

export class Auditor {
  readonly #send: (entries: readonly AuditEntry[]) => Promise<void>;
  #waiting: AuditEntry[] = [];
  #dropped = 0;
  #isSending = false;

  constructor(send: (entries: readonly AuditEntry[]) => Promise<void>) {
    this.#send = send;
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
      // Without a keeper nothing can be done through a door either; these lines are lost with it.
      await this.#send(batch).catch(() => {});
    }
    this.#isSending = false;
  }

  #tellDropped(): AuditEntry {
    const note = `${this.#dropped} more in a flood`;
    this.#dropped = 0;
    return { at: Date.now(), token: null, who: '', what: 'dropped', note };
  }
}
