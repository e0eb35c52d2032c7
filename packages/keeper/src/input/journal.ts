/**
 * Records how much input has been typed, in a file that survives the keeper: input that is typed while the keeper dies arrives
 * once, and a terminal query is answered once. It also names the client that typed last. Keeps the input part of LIFE-1, the part
 * of QRY-1 about one answer, and IN-6.
 *
 * The journal is one line of JSON in the session's folder. It is overwritten after each write to the terminal, even a partial one
 * (some microseconds; the page cache survives the process). A kill between the two writes could double one keystroke; the two
 * writes cannot be made atomic. Input for an agent is recorded before it can arrive (`EscrowedSink`).
 */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { native } from '@spool/native';

/** The number of recent streams that are kept; an older one has long been confirmed. */
const STREAMS_MAX = 8;

interface Journal {
  answeredTo: number;
  /** The number of bytes in the terminal for each stream; the latest stream is last. */
  typed: [stream: string, offset: number][];
  /** Whether the bytes in the escrow pipe count as typed. */
  isEscrowed?: boolean;
  /** Whether the end of the input is due: a client has announced that no more input follows. */
  isEnded?: boolean;
  /** The client that typed last. */
  typist?: InputAuthor | null;
}

export interface InputAuthor {
  readonly who: string;
  readonly at: number;
}

/** The maximum age of the recorded time of the last input, if only the time has changed. */
const TYPIST_EVERY_MS = 1000;

/** The length of the line; any content is shorter, so that overwriting needs no truncation. */
const LINE_BYTES = 2048;
/** The pause between two attempts if the disk refuses the line. */
const AGAIN_MS = 250;
const NOT_ASCII = /[^\x20-\x7e]/g;
const line = Buffer.alloc(LINE_BYTES);
const BLANK = 0x20;

/** The offset of the latest stream has the same place in each line: before the end, with blanks in front of it. */
const OFFSET_BYTES = 16;
const AFTER_OFFSET = ']]}';
const digits = Buffer.alloc(OFFSET_BYTES);

export class InputJournal {
  readonly #path: string;
  #journal: Journal | null = null;
  #fd = -1;
  #isClosed = false;
  #isUnsaved = false;
  #typistSavedAt = 0;
  /** The timer that runs while the disk refuses the line. */
  #again: NodeJS.Timeout | undefined;
  /** The place in the file of the latest stream's offset; -1 if the file may have another content there. */
  #offsetAt = -1;

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/input.json`;
  }

  get answeredTo(): number {
    return this.#read().answeredTo;
  }

  /** Returns how many bytes of a stream are in the terminal. */
  typedOf(stream: string): number {
    return this.#read().typed.find(([known]) => known === stream)?.[1] ?? 0;
  }

  recordTyped(stream: string, offset: number): void {
    const journal = this.#read();
    const last = journal.typed.at(-1);
    if (last?.[0] === stream) {
      last[1] = offset;
      if (this.#writeOffset(offset)) return;
    } else {
      journal.typed = [...journal.typed.filter(([known]) => known !== stream), [stream, offset]];
      if (journal.typed.length > STREAMS_MAX) journal.typed.shift();
    }
    this.#write();
  }

  get typist(): InputAuthor | null {
    return this.#read().typist ?? null;
  }

  /**
   * Records the client that types: at once if it is another client than before; otherwise with the next write, or after a moment.
   */
  recordTypist(typist: InputAuthor): void {
    const journal = this.#read();
    const before = journal.typist;
    const isOpen = this.#fd !== -1;
    journal.typist = typist;
    if (before?.who === typist.who && Math.abs(typist.at - this.#typistSavedAt) < TYPIST_EVERY_MS) return;
    this.#write();
    if (!isOpen) this.release(); // a client that only sends input does not keep the file open
  }

  /**
   * Records whether the bytes in the escrow pipe count as typed, see `EscrowedSink`. With `isLater` the flag is written with the
   * next record.
   */
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
      return { answeredTo: 0, typed: [] }; // the file does not exist yet, or is damaged: assume that no input has arrived
    }
  }

  /** Closes the journal of a session that has ended. */
  close(): void {
    clearTimeout(this.#again);
    this.release();
    this.#isClosed = true;
  }

  /** Closes the file when no client types any more. */
  release(): void {
    if (this.#fd !== -1) closeSync(this.#fd);
    this.#fd = -1;
    this.#offsetAt = -1;
  }

  /** Writes the line. If the disk refuses it, it retries: until then, a kill would repeat the input that is not recorded. */
  #write(): void {
    if (this.#isClosed || this.#tryWrite() || this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#write();
    }, AGAIN_MS);
    this.#again.unref();
  }

  #tryWrite(): boolean {
    try {
      if (this.#fd === -1) this.#fd = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    } catch {
      return false; // no fd: the input is in the terminal anyway
    }
    this.#isUnsaved = false;
    this.#typistSavedAt = this.#journal?.typist?.at ?? 0;
    const { typed, ...rest } = this.#read();
    const streams = JSON.stringify(typed).replace(LAST_OFFSET, (_, offset: string) => `,${padded(offset)}]]`);
    const text = `${JSON.stringify(rest).slice(0, -1)},"typed":${streams}}`.replaceAll(NOT_ASCII, escaped);
    const length = line.write(text, 'latin1');
    const isWritten = native.writeAt(this.#fd, line.fill(BLANK, length), 0) === LINE_BYTES;
    const isKnown = isWritten && typed.length > 0 && text.length < LINE_BYTES;
    this.#offsetAt = isKnown ? text.length - AFTER_OFFSET.length - OFFSET_BYTES : -1;
    return isWritten;
  }

  /** Writes only the offset of the latest stream if the rest of the file is correct. */
  #writeOffset(offset: number): boolean {
    if (this.#offsetAt === -1 || this.#isUnsaved || this.#isClosed) return false;
    digits.write(padded(offset), 'latin1');
    return native.writeAt(this.#fd, digits, this.#offsetAt) === OFFSET_BYTES;
  }
}

const LAST_OFFSET = /,(\d+)\]\]$/;

const padded = (offset: number | string): string => String(offset).padStart(OFFSET_BYTES);

/** Escapes a character as JSON does, so that each character takes one byte. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
