/**
 * A terminal's bytes as pieces of text, each with the offsets of its bytes.
 *
 * Wherever the reads have cut: no chunk ends inside a character or inside an escape sequence, whitespace counts, and
 * with `keep` the joined chunks are exactly the UTF-8 decoding of all bytes (a byte order mark included; what is not
 * UTF-8 is U+FFFD as everywhere). With `strip` the escapes and controls are gone; text, tabs, newlines and carriage
 * returns stay, CR LF is LF, and a cursor move between two words is a space or a newline. There is no clock here: `feed` returns what is complete by itself, and the caller,
 * which has a clock, calls `flush` for the rest. Keeps OUT-3: the joined chunks are the decoded log.
 */
import { CursorGap, joinedGap } from './cursor-gap.ts';
import { EscapeScanner } from '../scan/escape-scanner.ts';
import { newlineAt, SemanticEnds } from './semantic-ends.ts';
import type { Sequence } from '../scan/sequence.ts';
import { cutCharacterBytes, decodeUtf8 } from '../scan/utf8.ts';

export interface TextChunk {
  readonly data: string;
  /** Of its first byte. */
  readonly offset: number;
  /** The offset after its last byte: where a resume begins. */
  readonly end: number;
}

/**
 * `raw`: by size only. `line`: a chunk for each line, with its newline. `semantic`: a chunk for each prompt, command
 * line and command's output (OSC 133, 633), each paragraph, and each action of an agent.
 */
export type Chunking = 'raw' | 'line' | 'semantic';

/**
 * Escape sequences. `keep`: they stay. `strip`: they are gone, and cursor moves are spaces or newlines. `text`: lines as a
 * user saw them, each when it has ended: erased text is gone, a progress bar is in its last state.
 */
export type Ansi = 'keep' | 'strip' | 'text';

export interface TextChunkOptions {
  readonly chunking?: Chunking | undefined;
  /** Bytes of the stream, escapes included. Only an escape sequence that is longer makes a longer chunk. */
  readonly maxBytes?: number | undefined;
  readonly ansi?: Ansi | undefined;
  /** Absolute offset of the first byte to be fed. */
  readonly offset?: number | undefined;
}

export const CHUNK_BYTES_MAX = 4096;
/** Below this a chunk might have no place to end. */
const CHUNK_BYTES_MIN = 16;

export class TextChunker {
  readonly #maxBytes: number;
  readonly #isStripping: boolean;
  readonly #chunking: Chunking;
  // Positions count the bytes fed since the last reset. They are not offsets: another stream's bytes may be in between.
  #held: Uint8Array = NOTHING;
  #heldAt = 0; // the position of #held[0]
  #fed = 0;
  #start = 0; // of the next chunk
  #settled = 0; // so far no escape sequence is unfinished
  #jumps: Jump[];
  #runs: Run[] = []; // of text, since #start; when stripping
  readonly #gap = new CursorGap();
  #lastCharacter = ''; // of what was returned; when stripping
  #openGap = ''; // before text that is still to come
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

  /** Offset of the first byte that was not returned; that of the next one to come, if all were. */
  get offset(): number {
    return this.#offsetOf(this.#start);
  }

  /** `flush` would return nothing. */
  get isEmpty(): boolean {
    return this.#wholeEnd() <= this.#start;
  }

  /** The chunks that these bytes complete. `offset`: their place, if not after the last ones (two streams, one log). */
  feed(bytes: Uint8Array, offset: number = this.#offsetOf(this.#fed)): readonly TextChunk[] {
    if (offset !== this.#offsetOf(this.#fed)) this.#jumps.push({ at: this.#fed, offset });
    this.#hold(bytes);
    this.#fed += bytes.length;
    this.#scanner.feed(bytes);
    this.#settle(bytes.at(-1));
    return this.#take();
  }

  /** What there is, up to an unfinished character or escape sequence (or, when stripping, a CR that may be half a newline). */
  flush(): readonly TextChunk[] {
    this.#cut(this.#wholeEnd());
    return this.#take();
  }

  /** All there is: an unfinished character is U+FFFD, an unfinished escape sequence is as it is, or stripped. */
  end(): readonly TextChunk[] {
    return this.reset(this.#offsetOf(this.#fed));
  }

  /** The stream continues at `offset`, unrelated to what came before: ends what there is. */
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

  /** The scanner does not report where a sequence was cancelled, nor the inside and the end of an overlong one. */
  #settle(last: number | undefined): void {
    if (this.#settled === this.#fed) return;
    // That ESC may end the overlong one, or begin another.
    if (this.#overlong === 'going-on') return this.#passOver(last === ESC ? this.#fed - 1 : this.#fed);
    const mayBeOver = this.#overlong === 'ended' || last === CAN || last === SUB;
    if (mayBeOver && this.#scanner.pending.length === 0) this.#passOver(this.#fed);
  }

  /** What lies before `to` and was not told is what is left of a sequence. */
  #passOver(to: number): void {
    if (this.#overlong !== 'no') this.#grow(to);
    else if (to > this.#settled) this.#whole(this.#settled, to);
    if (this.#overlong === 'ended') this.#overlong = 'no';
  }

  /** What may be cut at any character reaches to here. */
  #grow(to: number): void {
    while (to - this.#start > this.#maxBytes) {
      const lineStart = this.#ends?.lineStart ?? 0;
      this.#cut(lineStart > this.#start ? lineStart : this.#wholeBefore(this.#start + this.#maxBytes));
    }
    this.#settled = Math.max(this.#settled, to);
  }

  /** An escape sequence: not to be cut. */
  #whole(from: number, to: number): void {
    if (to - this.#start > this.#maxBytes) this.#cut(from);
    if (to - this.#start > this.#maxBytes) this.#cut(to);
    this.#settled = to;
  }

  /** The last place up to `at` that is not inside a character (or a newline). */
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
    // Nothing but escapes, stripped: there is nothing to tell.
    if (data !== '') this.#chunks.push({ data, offset: this.#offsetOf(this.#start), end: this.#offsetOf(at - 1) + 1 });
    this.#start = at;
    while (this.#jumps.length > 1 && this.#jumps[1]!.at <= at) this.#jumps.shift();
    this.#ends?.restart();
  }

  /** The text up to `at`. Runs are decoded one by one: a character does not go on after an escape. */
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

/** From this position on, bytes lie at this offset. */
interface Jump {
  readonly at: number;
  readonly offset: number;
}

interface Run {
  from: number;
  to: number;
  /** What stands for the cursor moves before it. */
  gap: string;
}

const HELD_BYTES_MIN = 8 * 1024;
const NOTHING = new Uint8Array(0);
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
/** C0 and DEL, but tab, newline and carriage return. The C1 controls are escape sequences to the scanner. */
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
