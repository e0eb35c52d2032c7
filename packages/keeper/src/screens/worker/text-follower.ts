/** Follows a session without a terminal: there is no picture, but its text has facts and milestones too. */
import { Log } from '@spool/core';
import { OutputFollower } from '@spool/vt';
import type { Follower } from './follower.ts';
import type { Insight } from '../insight/status-tracker.ts';
import type { ScreenSource } from '../messages.ts';
import { READ_BUFFER, READ_BYTES } from './read-buffer.ts';

const TURN_BYTES = 256 * 1024;

/** Further behind than this, what lies between is passed over. */
const SKIP_BEHIND_BYTES = 16 * 1024 * 1024;

export class TextFollower implements Follower {
  readonly id: string;
  readonly #folder: string;
  readonly #beginInsight: () => Insight;
  #insight: Insight | null = null;
  #log: Log | null = null;
  #reader: OutputFollower | null = null;
  #offset: number;
  #target: number;
  #grownAt = 0;
  readAt = 0;
  holdsFiles = false;
  readonly modelBytes = 0;

  constructor({ id, folder }: ScreenSource, from: number, end: number, beginInsight: () => Insight) {
    this.id = id;
    this.#folder = folder;
    this.#beginInsight = beginInsight;
    this.#offset = from;
    this.#target = end;
  }

  get insight(): Insight | null {
    return this.#insight;
  }

  get offset(): number {
    return this.#offset;
  }

  get isBehind(): boolean {
    return this.#offset < this.#target;
  }

  grown(end: number, at: number): void {
    if (end > this.#target) this.readAt = Date.now();
    this.#target = Math.max(this.#target, end);
    this.#grownAt = at;
  }

  begin(): Insight {
    return (this.#insight ??= this.#beginInsight());
  }

  turn(): void {
    const insight = this.begin();
    const now = Date.now();
    const at = Math.min(now, this.#grownAt || now);
    this.holdsFiles = true;
    this.#log ??= Log.open(`${this.#folder}/log`, { readOnly: true, readInto: READ_BUFFER });
    if (this.#target - this.#offset > SKIP_BEHIND_BYTES) this.#skipTo(this.#target - TURN_BYTES, insight);
    const until = Math.min(this.#target, this.#offset + TURN_BYTES);
    while (this.#offset < until) {
      const read = this.#log.read(this.#offset, Math.min(READ_BYTES, until - this.#offset));
      if (read.type === 'end') {
        this.#target = this.#offset; // announced, and gone: the session was removed meanwhile
        return;
      }
      if (read.type === 'gap') {
        this.#skipTo(read.to, insight);
        continue;
      }
      this.#reader ??= new OutputFollower(
        { onFact: (fact) => insight.fact(fact, Date.now()) },
        { offset: this.#offset },
      );
      this.#reader.feed(read.bytes);
      this.#offset += read.bytes.length;
      insight.output(read.bytes, this.#offset, at);
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

  /** What was begun before is not continued here. */
  #skipTo(offset: number, insight: Insight): void {
    this.#offset = offset;
    this.#reader = null;
    insight.skipped(offset);
  }
}
