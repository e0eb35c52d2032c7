/**
 * Yields the events of an agent from a cursor on, each exactly once, then the end. An event's `offset` is its position: that of its
 * record, plus its place in the record. A later watch continues with the position after the last event as `from`.
 */
import type { WatchEvent } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';
import type { Requester } from '../link/requests.ts';
import { Reading } from './reading.ts';
import { RecordWatch, type RecordWatchOptions } from './record-watch.ts';

export type AgentEventItem =
  | { readonly type: 'event'; readonly offset: number; readonly event: AgentEvent }
  /** A client's command, as it was accepted. */
  | {
      readonly type: 'command';
      readonly offset: number;
      readonly at: number;
      readonly id: string;
      readonly by: string;
      readonly command: Readonly<Record<string, unknown>>;
    }
  /** The driver was given up; the session continues. */
  | { readonly type: 'driver-failed'; readonly offset: number; readonly at: number; readonly reason: string }
  | Extract<WatchEvent, { readonly type: 'gap' | 'synced' | 'exit' | 'removed' }>;

export class AgentEvents extends Reading<AgentEventItem> {
  readonly #records: RecordWatch;
  readonly #ready: AgentEventItem[] = [];
  readonly #from: number;

  constructor(requester: Requester, session: string, options: RecordWatchOptions = {}) {
    super();
    this.#records = new RecordWatch(requester, session, options);
    this.#from = typeof options.from === 'number' ? options.from : 0;
  }

  async next(): Promise<IteratorResult<AgentEventItem, undefined>> {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready) return { done: false, value: ready };
      const { done, value: item } = await this.#records.next();
      if (done === true) return { done, value: undefined };
      if (item.type !== 'record') return { done: false, value: item };
      const { offset, record } = item;
      if (record.type === 'command' && offset >= this.#from) this.#ready.push({ ...record, offset });
      else if (record.type === 'driver' && offset >= this.#from)
        this.#ready.push({ type: 'driver-failed', offset, at: record.at, reason: record.reason });
      else if (record.type === 'batch') {
        for (const [at, event] of record.events.entries())
          if (offset + at >= this.#from) this.#ready.push({ type: 'event', offset: offset + at, event });
      }
    }
  }

  close(): void {
    this.#records.close();
  }
}
