/**
 * Records how far input has got, so that the record survives the keeper's death: input typed during that death arrives
 * once, and a terminal query is answered once. It also names the client that typed last. Keeps that part of LIFE-1,
 * QRY-1 and IN-6.
 *
 * One line of JSON in the session's folder, overwritten after each write to the terminal, also after a partial one
 * (some microseconds; the page cache survives the process). A kill between the two writes could double one keystroke;
 * the two writes cannot be made atomic. What is written to an agent is recorded before it can arrive (`EscrowedSink`).
 */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { native } from '@spool/native';

/** The most recent streams; an older one has long been confirmed. */
const STREAMS_MAX = 8;

interface Journal {
  answeredTo: number;
  /** Stream → bytes of it that are in the terminal; the latest last. */
  typed: [stream: string, offset: number][];
  /** What is in the escrow pipe of the input counts as typed. */
  isEscrowed?: boolean;
  /** The end of the input is due: a client has said that nothing follows. */
  isEnded?: boolean;
  /** The client that typed last. */
  typist?: Typist | null;
}

export interface Typist {
  readonly who: string;
  readonly at: number;
}

/** The time of the last input, where only that has changed, may be this old. */
const TYPIST_EVERY_MS = 1000;

/** Longer than any content, so that overwriting needs no truncation. */
const LINE_BYTES = 2048;
const NOT_ASCII = /[^\x20-\x7e]/g;
const line = Buffer.alloc(LINE_BYTES);
const BLANK = 0x20;

export class InputJournal {
  readonly #path: string;
  #journal: Journal | null = null;
  #fd = -1;
  #isClosed = false;
  #isUnsaved = false;
  #typistSavedAt = 0;

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

  get typist(): Typist | null {
    return this.#read().typist ?? null;
  }

  /** Written at once if it is another client than before; else with the next write, or after a moment. */
  recordTypist(typist: Typist): void {
    const journal = this.#read();
    const before = journal.typist;
    const isOpen = this.#fd !== -1;
    journal.typist = typist;
    if (before?.who === typist.who && Math.abs(typist.at - this.#typistSavedAt) < TYPIST_EVERY_MS) return;
    this.#write();
    if (!isOpen) this.release(); // a client that only sends input does not keep the file open
  }

  /** See `EscrowedSink`. With `isLater` it is written with the next record. */
  recordEscrowed(isEscrowed: boolean, { isLater = false } = {}): void {
    this.#isUnsaved ||= this.isEscrowed !== isEscrowed;
    this.#read().isEscrowed = isEscrowed;
    if (this.#isUnsaved && !isLater) this.#write();
  }

  get isEscrowed(): boolean {
    return this.#read().isEscrowed === true;
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
      const { answeredTo, typed, isEscrowed, isEnded, typist } = JSON.parse(
        readFileSync(this.#path, 'utf8'),
      ) as Journal;
      return {
        answeredTo: Number(answeredTo) || 0,
        typed: Array.isArray(typed) ? typed : [],
        isEscrowed: isEscrowed === true,
        isEnded: isEnded === true,
        typist: typeof typist?.who === 'string' && typeof typist.at === 'number' ? typist : null,
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
    this.#isUnsaved = false;
    this.#typistSavedAt = this.#journal?.typist?.at ?? 0;
    const text = JSON.stringify(this.#journal).replaceAll(NOT_ASCII, escaped);
    const length = line.write(text, 'latin1');
    native.writeAt(this.#fd, line.fill(BLANK, length), 0); // a full disk: the same
  }
}

/** As JSON escapes it, so that a character takes a byte. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
