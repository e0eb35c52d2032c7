/**
 * Converts a terminal's bytes to pieces of text, each with the offsets of its bytes.
 *
 * For any cut of the reads: no chunk ends inside a character or inside an escape sequence, whitespace is kept, and with `keep`
 * the joined chunks are exactly the UTF-8 decoding of all bytes (a byte order mark included; invalid bytes become U+FFFD). With
 * `strip`, escapes and controls are removed; text, tabs, newlines and carriage returns are kept, CR LF becomes LF, and a cursor
 * move between two words becomes a space or a newline. There is no clock here: `feed` returns the chunks that are complete, and
 * the caller, which has a clock, calls `flush` for the rest. Keeps OUT-3: the joined chunks are the decoded log.
 */
import { CursorGap, joinedGap } from './cursor-gap.ts';
import { EscapeScanner } from '../scan/escape-scanner.ts';
import { newlineAt, SemanticEnds } from './semantic-ends.ts';
import type { Sequence } from '../scan/sequence.ts';
import { cutCharacterBytes, decodeUtf8 } from '../scan/utf8.ts';

export interface TextChunk {
  readonly data: string;
  /** The offset of the first byte. */
  readonly offset: number;
  /** The offset after the last byte: a resume begins there. */
  readonly end: number;
}

/**
 * `raw`: cut by size only. `line`: a chunk for each line, with its newline. `semantic`: a chunk for each prompt, command line and
 * command's output (OSC 133, 633), each paragraph, and each action of an agent.
 */
export type ChunkingMode = 'raw' | 'line' | 'semantic';

/**
 * The treatment of escape sequences. `keep`: they stay. `strip`: they are removed, and cursor moves become spaces or newlines.
 * `text`: lines as a user saw them, each when it has ended: without erased text, and with a progress bar in its last state.
 */
export type Ansi = 'keep' | 'strip' | 'text';

export interface TextChunkOptions {
  readonly chunking?: ChunkingMode | undefined;
  /** The maximum in bytes of the stream, escapes included. Only a longer escape sequence makes a longer chunk. */
  readonly maxBytes?: number | undefined;
  readonly ansi?: Ansi | undefined;
  /** Absolute offset of the first byte to be fed. */
  readonly offset?: number | undefined;
}

export const CHUNK_BYTES_MAX = 4096;
/** The smallest chunk size: a smaller chunk might have no place to end. */
const CHUNK_BYTES_MIN = 16;

export class TextChunker {
  readonly #maxBytes: number;
  readonly #isStripping: boolean;
  readonly #chunking: ChunkingMode;
  // Positions count the bytes fed since the last reset. They are not offsets: another stream's bytes may be in between.
  #held: Uint8Array = NOTHING;
  #heldAt = 0; // the position of #held[0]
  #fed = 0;
  #start = 0; // the position of the next chunk
  #settled = 0; // no escape sequence before this position is unfinished
  #jumps: Jump[];
  #runs: TextRun[] = []; // the runs of text since #start; when stripping
  readonly #gap = new CursorGap();
  #lastCharacter = ''; // for the returned text; when stripping
  #openGap = ''; // before text that will follow
  #overlong: 'no' | 'going-on' | 'ended' = 'no';
  #scanner!: EscapeScanner;
  #ends: SemanticEnds | undefined;
  #chunks: TextChunk[] = [];

  constructor(options: TextChunkOptions = {}) {
    this.#maxBytes = Math.max(CHUNK_BYTES_MIN, options.maxBytes ?? CHUNK_BYTES_MAX);
    this.#isStripping = options.ansi === 'strip';
    this.#chunking = options.chunking ?? 'raw';
    this.#jumps = [{ at: 0, offset: options.offset ?? 0 }];
    this.#begin();
  }

  /** The offset of the first byte that was not returned; if all were returned, the offset of the next byte. */
  get offset(): number {
    return this.#offsetOf(this.#start);
  }

  /** Whether `flush` would return no chunks. */
  get isEmpty(): boolean {
    return this.#wholeEnd() <= this.#start;
  }

  /**
   * Returns the chunks that these bytes complete. `offset` is their place, if they do not follow the last ones (two streams, one
   * log).
   */
  feed(bytes: Uint8Array, offset: number = this.#offsetOf(this.#fed)): readonly TextChunk[] {
    if (offset !== this.#offsetOf(this.#fed)) this.#jumps.push({ at: this.#fed, offset });
    this.#hold(bytes);
    this.#fed += bytes.length;
    this.#scanner.feed(bytes);
    this.#settle(bytes.at(-1));
    return this.#take();
  }

  /**
   * Returns the collected text, up to an unfinished character or escape sequence (or, when stripping, a CR that may be half a
   * newline).
   */
  flush(): readonly TextChunk[] {
    this.#cut(this.#wholeEnd());
    return this.#take();
  }

  /** Returns all remaining text: an unfinished character becomes U+FFFD, an unfinished escape sequence is kept, or stripped. */
  end(): readonly TextChunk[] {
    return this.reset(this.#offsetOf(this.#fed));
  }

  /** Ends the present text: the stream continues at `offset`, unrelated to the bytes before. */
  reset(offset: number): readonly TextChunk[] {
    this.#cut(this.#fed);
    this.#jumps = [{ at: 0, offset }];
    this.#begin();
    return this.#take();
  }

  #begin(): void {
    this.#heldAt = this.#fed = this.#start = this.#settled = 0;
    this.#overlong = 'no';
    this.#ends =
      this.#chunking === 'semantic'
        ? new SemanticEnds({ onGrown: (to) => this.#grow(to), onEnd: (at) => this.#cut(at) })
        : undefined;
    this.#scanner = new EscapeScanner({
      onText: (_source, from, to, position) => this.#text(position, position + to - from),
      onSequence: (sequence) => this.#sequence(sequence),
      onOverlong: ({ start, end }) => {
        this.#passOver(start);
        this.#whole(start, end);
        this.#overlong = 'going-on';
      },
      onOverlongEnd: () => (this.#overlong = 'ended'),
    });
  }

  #text(from: number, to: number): void {
    this.#passOver(from);
    if (this.#isStripping) {
      const last = this.#runs.at(-1);
      const gap = this.#gap.take();
      if (last?.to === from && gap === '') last.to = to;
      else this.#runs.push({ from, to, gap });
    }
    if (this.#chunking === 'raw') return this.#grow(to);
    const [first, behind] = [from - this.#heldAt, to - this.#heldAt];
    if (this.#ends !== undefined) return this.#ends.text(this.#held, first, behind, from);
    for (let at = first; (at = newlineAt(this.#held, at, behind) + 1) <= behind;) {
      this.#grow(at + this.#heldAt);
      this.#cut(at + this.#heldAt);
    }
    this.#grow(to);
  }

  #sequence(sequence: Sequence): void {
    this.#passOver(sequence.start);
    this.#whole(sequence.start, sequence.end);
    if (this.#isStripping) this.#gap.sequence(sequence);
    this.#ends?.sequence(sequence);
  }

  /**
   * Handles the cases that the scanner does not report: the place where a sequence was cancelled, and the inside and the end of an
   * overlong one.
   */
  #settle(last: number | undefined): void {
    if (this.#settled === this.#fed) return;
    // This ESC may end the overlong sequence, or begin another.
    if (this.#overlong === 'going-on') return this.#passOver(last === ESC ? this.#fed - 1 : this.#fed);
    const mayBeOver = this.#overlong === 'ended' || last === CAN || last === SUB;
    if (mayBeOver && this.#scanner.pending.length === 0) this.#passOver(this.#fed);
  }

  /** Treats the unreported bytes before `to` as the rest of a sequence. */
  #passOver(to: number): void {
    if (this.#overlong !== 'no') this.#grow(to);
    else if (to > this.#settled) this.#whole(this.#settled, to);
    if (this.#overlong === 'ended') this.#overlong = 'no';
  }

  /** Extends the text that may be cut at any character up to `to`. */
  #grow(to: number): void {
    while (to - this.#start > this.#maxBytes) {
      const lineStart = this.#ends?.lineStart ?? 0;
      this.#cut(lineStart > this.#start ? lineStart : this.#wholeBefore(this.#start + this.#maxBytes));
    }
    this.#settled = Math.max(this.#settled, to);
  }

  /** Adds an escape sequence, which must not be cut. */
  #whole(from: number, to: number): void {
    if (to - this.#start > this.#maxBytes) this.#cut(from);
    if (to - this.#start > this.#maxBytes) this.#cut(to);
    this.#settled = to;
  }

  /** Returns the last place up to `at` that is not inside a character (or a newline). */
  #wholeBefore(at: number): number {
    const end = at - this.#heldAt;
    const from = this.#start - this.#heldAt;
    const whole = end - cutCharacterBytes(this.#held, from, end);
    return (this.#isStripping && whole > from && this.#held[whole - 1] === CR ? whole - 1 : whole) + this.#heldAt;
  }

  #wholeEnd(): number {
    return this.#wholeBefore(this.#settled);
  }

  #cut(at: number): void {
    if (at <= this.#start) return;
    const data = this.#isStripping
      ? this.#stripped(at)
      : decodeUtf8(this.#held, this.#start - this.#heldAt, at - this.#heldAt);
    // A chunk that consists only of stripped escapes is not returned.
    if (data !== '') this.#chunks.push({ data, offset: this.#offsetOf(this.#start), end: this.#offsetOf(at - 1) + 1 });
    this.#start = at;
    while (this.#jumps.length > 1 && this.#jumps[1]!.at <= at) this.#jumps.shift();
    this.#ends?.restart();
  }

  /** Returns the text up to `at`. Runs are decoded one by one: a character does not continue after an escape. */
  #stripped(at: number): string {
    let text = '';
    let told = 0;
    for (const run of this.#runs) {
      if (run.from >= at) break;
      const to = Math.min(run.to, at);
      const decoded = decodeUtf8(this.#held, run.from - this.#heldAt, to - this.#heldAt)
        .replaceAll('\r\n', '\n')
        .replaceAll(CONTROLS, '');
      const gap = run.gap.length > this.#openGap.length || run.gap === '\n' ? run.gap : this.#openGap;
      run.gap = '';
      this.#openGap = decoded === '' ? gap : '';
      if (decoded !== '') text += joinedGap(text.at(-1) ?? this.#lastCharacter, gap, decoded) + decoded;
      if (to < run.to) run.from = to;
      else told++;
    }
    this.#runs.splice(0, told);
    this.#lastCharacter = text.at(-1) ?? this.#lastCharacter;
    return text;
  }

  #offsetOf(position: number): number {
    const jump = this.#jumps.findLast(({ at }) => at <= position)!;
    return jump.offset + position - jump.at;
  }

  #hold(bytes: Uint8Array): void {
    const kept = this.#fed - this.#start;
    const from = this.#start - this.#heldAt;
    if (kept + bytes.length > this.#held.length) {
      const room = new Uint8Array(Math.max(HELD_BYTES_MIN, 2 * kept + bytes.length));
      room.set(this.#held.subarray(from, from + kept));
      this.#held = room;
    } else if (from > 0) {
      this.#held.copyWithin(0, from, from + kept);
    }
    this.#heldAt = this.#start;
    this.#held.set(bytes, kept);
  }

  #take(): readonly TextChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}

/** A jump: from this position on, bytes lie at this offset. */
interface Jump {
  readonly at: number;
  readonly offset: number;
}

interface TextRun {
  from: number;
  to: number;
  /** The text for the cursor moves before the run. */
  gap: string;
}

const HELD_BYTES_MIN = 8 * 1024;
const NOTHING = new Uint8Array(0);
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
/** C0 and DEL, except tab, newline and carriage return. The scanner reports C1 controls as escape sequences. */
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
