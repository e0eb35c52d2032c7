/**
 * Finds where a piece of output ends for a user: at a shell's marks, at a blank line after a paragraph, and before the
 * line with which an agent starts its next action.
 *
 * It examines only the first characters of a line, and keeps no text. Keeps OUT-6: where semantic chunks end.
 */
import { oscCodeOf, oscTextFrom, type Sequence } from '../scan/sequence.ts';
import { encodeUtf8 } from '../scan/utf8.ts';

/** Callbacks, called in the order of the stream; positions are the caller's. */
export interface EndListener {
  /** Reports that the text of a line (with its newline, or so far) ends here. */
  onGrown(to: number): void;
  /** Reports that a piece ends here. The piece may have been ended there before, or may end later. */
  onEnd(at: number): void;
}

export class SemanticEnds {
  readonly #listener: EndListener;
  #lineStart = 0;
  /** Bytes of the line's text without leading blanks; -1: the line is not a tool call. */
  #headLength = 0;
  readonly #head = new Uint8Array(HEAD_BYTES_MAX);
  #isLineBlank = true;
  /** Whether the piece contains a complete line that is not blank. */
  #hasLine = false;

  constructor(listener: EndListener) {
    this.#listener = listener;
  }

  /** The position where the unfinished line begins. */
  get lineStart(): number {
    return this.#lineStart;
  }

  /** Reads `bytes[from..to)`, which is text; `position` is the position of `bytes[from]`. */
  text(bytes: Uint8Array, from: number, to: number, position: number): void {
    const shift = position - from;
    for (let at = from; at < to; at++) {
      if (this.#headLength === NO_TOOL_CALL) {
        at = newlineAt(bytes, at, to);
        if (at === to) break;
      }
      const byte = bytes[at]!;
      if (byte === LF) this.#endLine(at + 1 + shift);
      else if (byte !== SPACE && byte !== TAB && byte !== CR) this.#look(byte);
      else if (!this.#isLineBlank) this.#look(byte);
    }
    this.#listener.onGrown(to + shift);
  }

  /** Handles OSC 133 and 633: a prompt begins before its mark; the prompt, the command line and the output end after theirs. */
  sequence(sequence: Sequence): void {
    if (sequence.kind !== 'osc') return;
    const code = oscCodeOf(sequence);
    if (code !== 133 && code !== 633) return;
    const letter = String.fromCharCode(sequence.source[oscTextFrom(sequence)] ?? 0);
    if (letter === 'A' || letter === 'N') this.#listener.onEnd(sequence.start);
    else if (letter === 'B' || letter === 'C' || letter === 'D') this.#listener.onEnd(sequence.end);
  }

  /** Starts a new piece; the caller or this class has ended the last one. */
  restart(): void {
    this.#hasLine = false;
  }

  #look(byte: number): void {
    this.#isLineBlank = false;
    if (this.#headLength === NO_TOOL_CALL) return;
    this.#head[this.#headLength++] = byte;
    const { begins, isWhole } = matched(this.#head, this.#headLength);
    if (isWhole && this.#hasLine) this.#listener.onEnd(this.#lineStart);
    if (isWhole || !begins) this.#headLength = NO_TOOL_CALL;
  }

  #endLine(end: number): void {
    this.#listener.onGrown(end);
    const endsParagraph = this.#isLineBlank && this.#hasLine;
    if (!this.#isLineBlank) this.#hasLine = true;
    this.#lineStart = end;
    this.#headLength = 0;
    this.#isLineBlank = true;
    if (endsParagraph) this.#listener.onEnd(end);
  }
}

/** Returns the index of the first newline in `bytes[from..to)`, or `to` without one. `indexOf` alone would search beyond `to`. */
export function newlineAt(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  const near = Math.min(to, from + NEAR_BYTES);
  while (at < near && bytes[at] !== LF) at++;
  if (at < near || at === to) return at;
  const found = bytes.subarray(at, to).indexOf(LF);
  return found === -1 ? to : at + found;
}

/**
 * Beginnings of the lines in which agents announce their next action: most come from recordings, some verbs from documentation.
 */
const TOOL_CALL_LINES: readonly string[] = [
  // Claude Code and agents with the same style: tool calls and messages alike.
  '● ',
  '⏺ ',
  // Codex. The dot alone is a common bullet.
  ...['Ran', 'Running', 'Explored', 'Exploring', 'Edited', 'Added', 'Deleted', 'Called', 'Calling'].map(
    (verb) => `• ${verb} `,
  ),
  ...['Searched', 'Searching', 'Viewed', 'Waited', 'Updated Plan', 'Proposed Plan'].map((verb) => `• ${verb}`),
  // Grok.
  ...['Run', 'Edit', 'Read', 'Write', 'Search', 'List', 'Thought'].map((verb) => `◆ ${verb} `),
  // OpenCode.
  ...['→ Read ', '→ Edit ', '→ List ', '← Edit ', '← Write ', '← Patch ', '✱ Glob ', '✱ Grep '],
  // Gemini: messages, and its boxes for tools.
  '✦ ',
  ...['✓', '⊷', '?', 'x'].map((sign) => `│ ${sign}  `),
];

const MARKERS: readonly Uint8Array[] = TOOL_CALL_LINES.map(encodeUtf8);
const HEAD_BYTES_MAX = Math.max(...MARKERS.map(({ length }) => length));
const NO_TOOL_CALL = -1;
const NEAR_BYTES = 64;
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Returns whether a marker begins with this head, and whether the head is a whole marker. */
function matched(head: Uint8Array, length: number): { begins: boolean; isWhole: boolean } {
  let begins = false;
  for (const marker of MARKERS) {
    let same = 0;
    while (same < length && marker[same] === head[same]) same++;
    if (same < length) continue;
    if (marker.length === length) return { begins: true, isWhole: true };
    begins = true;
  }
  return { begins, isWhole: false };
}
