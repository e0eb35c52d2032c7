/**
 * The second log of an agent's session: the meaning of its output, as NDJSON. The driver appends the events that it recognized,
 * clients append commands, and the order of the log decides. This file interprets no content, only ends of lines. Keeps EVT-3: a
 * line is appended whole, at the offset that its writer expected, or not at all.
 *
 * A keeper that is killed in the middle of a write leaves a part of a line that was not sent to any client. The next keeper first
 * ends this partial line, so that the end of the log is always the start of a line; readers skip a line that is not JSON.
 * Keeps CHAN-44.
 */
import { Log, type LogOptions } from '@spool/store';
import { SpoolError } from '@spool/protocol';
import type { SessionServices } from '../sessions/services.ts';

const NEWLINE = 0x0a;

/** The maximum distance of a reader's offset from the start of its line: the longest line, with some room. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
const STEP_BYTES = 64 * 1024;

export class EventsLog {
  readonly #folder: string;
  readonly #services: Pick<SessionServices, 'flusher' | 'housekeeper' | 'openLogs'>;
  readonly #retention: Partial<LogOptions>;
  #log: Log | null = null;
  #isTorn = false;

  constructor(
    sessionFolder: string,
    services: Pick<SessionServices, 'flusher' | 'housekeeper' | 'openLogs'>,
    retention: Partial<LogOptions> = {},
  ) {
    this.#folder = `${sessionFolder}/events`;
    this.#services = services;
    this.#retention = retention;
  }

  get log(): Log {
    const log = this.#log ?? this.#open();
    this.#services.openLogs.touch(log);
    return log;
  }

  /** Appends one line; returns the new end. Throws EVENTS_MOVED when the end is not `expected`. */
  append(line: string, expected?: number): number {
    const { log } = this;
    if (this.#isTorn) this.#write(log, '\n');
    if (expected !== undefined && log.end !== expected) throw new SpoolError('EVENTS_MOVED', { offset: log.end });
    this.#write(log, `${line}\n`);
    return log.end;
  }

  /** Returns the start of the line that contains this offset. */
  lineStart(offset: number): number {
    const { log } = this;
    const least = Math.max(log.start, offset - LINE_BYTES_MAX);
    for (let to = Math.min(offset, log.end); to > least;) {
      const from = Math.max(least, to - STEP_BYTES);
      const piece = this.#piece(from, to);
      const newline = piece === null ? -1 : piece.lastIndexOf(NEWLINE);
      if (piece === null || newline !== -1) return to - (piece === null ? 0 : piece.length - newline - 1);
      to -= piece.length;
    }
    return Math.max(log.start, Math.min(offset, least));
  }

  /** Returns 0 to the housekeeper: the files beside the logs are counted with the output. */
  bytesBeside(): Promise<number> {
    return Promise.resolve(0);
  }

  dropped(): void {}

  close(): void {
    this.#services.housekeeper.forget(this);
    if (!this.#log) return;
    this.#services.openLogs.forget(this.#log);
    this.#services.flusher.forget(this.#log);
    this.#log.close();
  }

  #write(log: Log, text: string): void {
    const bytes = Buffer.from(text);
    this.#isTorn = true; // held until the whole line is written
    const taken = log.append(bytes, Date.now());
    this.#services.flusher.note(log);
    this.#services.housekeeper.note(this);
    if (taken < bytes.length) throw new SpoolError('INTERNAL', { reason: 'the disk is full' });
    this.#isTorn = false;
  }

  /** Returns bytes of the log that end before `to` and start at `from` or later: at least one, or null if they are missing. */
  #piece(from: number, to: number): Uint8Array | null {
    const parts: Uint8Array[] = [];
    for (let at = from; at < to;) {
      const read = this.log.read(at, to - at);
      if (read.type !== 'bytes') {
        if (read.type === 'end') return null;
        parts.length = 0;
        at = read.to;
        if (at >= to) return null;
        continue;
      }
      parts.push(read.bytes);
      at += read.bytes.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #open(): Log {
    const log = Log.open(this.#folder, { lenient: true, ...this.#retention });
    this.#log = log;
    const last = log.end > log.start ? log.read(log.end - 1, 1) : null;
    this.#isTorn = last !== null && !(last.type === 'bytes' && last.bytes[0] === NEWLINE);
    try {
      if (this.#isTorn) this.#write(log, '\n');
    } catch {
      // The disk is full: the existing events can be read, and the next append retries.
    }
    return log;
  }
}
