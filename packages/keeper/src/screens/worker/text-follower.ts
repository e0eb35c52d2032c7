/** Follows a session without a terminal: it has no picture, but its text has events and milestones too. */
import { Log } from '@spool/store';
import { OutputFollower } from '@spool/vt';
import type { Follower } from './follower.ts';
import type { StatusTracker } from '../insight/status-tracker.ts';
import type { ScreenSource } from '../messages.ts';
import { READ_BUFFER, READ_BYTES } from './read-buffer.ts';
import { steadyNow } from '../steady-clock.ts';

const TURN_BYTES = 256 * 1024;

/** The distance from which on it skips ahead. */
const SKIP_BEHIND_BYTES = 16 * 1024 * 1024;

export class TextFollower implements Follower {
  readonly id: string;
  readonly #folder: string;
  readonly #beginTracking: () => StatusTracker;
  #tracker: StatusTracker | null = null;
  #log: Log | null = null;
  #reader: OutputFollower | null = null;
  #offset: number;
  #target: number;
  #grownAt = 0;
  readAt = 0;
  holdsFiles = false;
  readonly modelBytes = 0;

  constructor({ id, folder }: ScreenSource, from: number, end: number, beginTracking: () => StatusTracker) {
    this.id = id;
    this.#folder = folder;
    this.#beginTracking = beginTracking;
    this.#offset = from;
    this.#target = end;
  }

  get tracker(): StatusTracker | null {
    return this.#tracker;
  }

  get offset(): number {
    return this.#offset;
  }

  get isBehind(): boolean {
    return this.#offset < this.#target;
  }

  grown(end: number, at: number): void {
    if (end > this.#target) this.readAt = steadyNow();
    this.#target = Math.max(this.#target, end);
    this.#grownAt = at;
  }

  begin(): StatusTracker {
    return (this.#tracker ??= this.#beginTracking());
  }

  turn(): void {
    const tracker = this.begin();
    const now = steadyNow();
    const at = Math.min(now, this.#grownAt || now);
    this.holdsFiles = true;
    this.#log ??= Log.open(`${this.#folder}/log`, { readOnly: true, readInto: READ_BUFFER });
    if (this.#target - this.#offset > SKIP_BEHIND_BYTES) this.#skipTo(this.#target - TURN_BYTES, tracker);
    const until = Math.min(this.#target, this.#offset + TURN_BYTES);
    while (this.#offset < until) {
      const read = this.#log.read(this.#offset, Math.min(READ_BYTES, until - this.#offset));
      if (read.type === 'end') {
        this.#target = this.#offset; // the bytes were announced, but are missing: the session was removed meanwhile
        return;
      }
      if (read.type === 'gap') {
        this.#skipTo(read.to, tracker);
        continue;
      }
      this.#reader ??= new OutputFollower(
        { onOscEvent: (fact) => tracker.fact(fact, steadyNow()) },
        { offset: this.#offset },
      );
      this.#reader.feed(read.bytes);
      this.#offset += read.bytes.length;
      tracker.output(read.bytes, this.#offset, at);
    }
  }

  drop(): void {}

  releaseFiles(): void {
    this.#log?.release();
    this.holdsFiles = false;
  }

  close(): void {
    this.#log?.close();
  }

  /** Skips to an offset. A sequence that started before does not continue there. */
  #skipTo(offset: number, tracker: StatusTracker): void {
    this.#offset = offset;
    this.#reader = null;
    tracker.skipped(offset);
  }
}
