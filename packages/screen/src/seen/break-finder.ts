/**
 * Finds where a program switches to the alternate screen or back, and where it erases its screen; the reader must read the screen
 * before these bytes take effect. It also detects whether the cursor was moved to another row.
 */
import { EscapeScanner, paramOf, paramsOf, type Sequence } from '@spool/vt';

export type Break = 'enter' | 'leave' | 'erase' | 'erase-below' | 'reset';

export interface FoundBreak {
  readonly what: Break;
  /** The index in the chunk of the first byte of the sequence; 0 if it began in an earlier chunk. */
  readonly at: number;
}

export class BreakFinder {
  readonly #scanner: EscapeScanner;
  #found: FoundBreak[] = [];
  #chunkAt = 0;
  #hasMoved = false;

  constructor() {
    this.#scanner = new EscapeScanner({ onSequence: (sequence) => this.#look(sequence) });
  }

  feed(chunk: Uint8Array): readonly FoundBreak[] {
    this.#hasMoved = false;
    this.#found = [];
    this.#chunkAt = this.#scanner.offset;
    this.#scanner.feed(chunk);
    return this.#found;
  }

  /** Whether the last chunk moved the cursor up, or to a given row. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  #look(sequence: Sequence): void {
    if (sequence.kind === 'csi') return this.#csi(sequence);
    if (sequence.kind !== 'escape' || sequence.intermediate !== 0) return;
    if (sequence.final === 0x63) this.#add('reset', sequence);
    else if (sequence.final === 0x4d || sequence.final === 0x38) this.#hasMoved = true; // RI, DECRC
  }

  #csi(sequence: Sequence): void {
    const { prefix, intermediate, final } = sequence;
    if (intermediate !== 0) return;
    if (prefix === 0x3f) return this.#mode(sequence, final);
    if (prefix !== 0) return;
    if (final === 0x4a) this.#erase(sequence);
    else if (MOVES.has(final)) this.#hasMoved = true;
  }

  #mode(sequence: Sequence, final: number): void {
    if (final !== 0x68 && final !== 0x6c) return;
    if (paramsOf(sequence).some((mode) => mode === 47 || mode === 1047 || mode === 1049))
      this.#add(final === 0x68 ? 'enter' : 'leave', sequence);
  }

  #erase(sequence: Sequence): void {
    this.#hasMoved = true;
    const how = paramOf(sequence, 0, 0);
    if (how === 0) this.#add('erase-below', sequence);
    else if (how === 2 || how === 3) this.#add('erase', sequence);
  }

  #add(what: Break, { start }: Sequence): void {
    this.#found.push({ what, at: Math.max(0, start - this.#chunkAt) });
  }
}

/** CUU, CPL, CUP, HVP, VPA, IL, DL, SD, SU, restored cursor. */
const MOVES: ReadonlySet<number> = new Set([...'AFHfdLMTSu'].map((letter) => letter.charCodeAt(0)));
