/**
 * Records how far input has got, so that the record survives the keeper's death: input typed during that death arrives
 * once, and a terminal query is answered once. Keeps that part of LIFE-1 and QRY-1.
 *
 * One line of JSON in the session's folder, overwritten after each write to the terminal, also after a partial one
 * (some microseconds; the page cache survives the process). A kill between the two writes could double one keystroke;
 * the two writes cannot be made atomic.
 */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { native } from '@spool/native';

/** The most recent streams; an older one has long been confirmed. */
const STREAMS_MAX = 8;

interface Journal {
  answeredTo: number;
  /** Stream → bytes of it that are in the terminal; the latest last. */
  typed: [stream: string, offset: number][];
  /** The end of the input is due: a client has said that nothing follows. */
  isEnded?: boolean;
}

/** Longer than any content, so that overwriting needs no truncation. */
const LINE_BYTES = 1024;
const line = Buffer.alloc(LINE_BYTES);
const BLANK = 0x20;

export class InputJournal {
  readonly #path: string;
  #journal: Journal | null = null;
  #fd = -1;
  #isClosed = false;

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/input.json`;
  }

  get answeredTo(): number {
    return this.#read().answeredTo;
  }

  /** How much of a stream is in the terminal. */
  typedOf(stream: string): number {
    return this.#read().typed.find(([known]) => known === stream)?.[1] ?? 0;
  }

  recordTyped(stream: string, offset: number): void {
    const journal = this.#read();
    const last = journal.typed.at(-1);
    if (last?.[0] === stream) last[1] = offset;
    else {
      journal.typed = [...journal.typed.filter(([known]) => known !== stream), [stream, offset]];
      if (journal.typed.length > STREAMS_MAX) journal.typed.shift();
    }
    this.#write();
  }

  recordAnswered(offset: number): void {
    this.#read().answeredTo = offset;
    this.#write();
  }

  /** Whether the end of the input is due. */
  get isEnded(): boolean {
    return this.#read().isEnded === true;
  }

  recordEnded(isEnded: boolean): void {
    if (this.isEnded === isEnded) return;
    this.#read().isEnded = isEnded;
    this.#write();
  }

  #read(): Journal {
    this.#journal ??= this.#load();
    return this.#journal;
  }

  #load(): Journal {
    try {
      const { answeredTo, typed, isEnded } = JSON.parse(readFileSync(this.#path, 'utf8')) as Journal;
      return {
        answeredTo: Number(answeredTo) || 0,
        typed: Array.isArray(typed) ? typed : [],
        isEnded: isEnded === true,
      };
    } catch {
      return { answeredTo: 0, typed: [] }; // none yet, or damaged: assume that nothing has arrived
    }
  }

  /** The session has ended: nothing more is recorded. */
  close(): void {
    this.release();
    this.#isClosed = true;
  }

  /** No client types any more: the file need not stay open. */
  release(): void {
    if (this.#fd !== -1) closeSync(this.#fd);
    this.#fd = -1;
  }

  #write(): void {
    if (this.#isClosed) return;
    try {
      if (this.#fd === -1) this.#fd = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    } catch {
      return; // no fd: the input is in the terminal all the same
    }
    const length = line.write(JSON.stringify(this.#journal), 'latin1');
    native.writeAt(this.#fd, line.fill(BLANK, length), 0); // a full disk: the same
  }
}
