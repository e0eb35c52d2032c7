/**
 * Converts the inside of a line of Markdown to spans: code, bold, italic, strikethrough, links. Marks that are not closed are shown
 * as written, so a text that is still arriving is correct at every moment. The time grows linearly with the length for every text.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import { joinVisible, type Line, type SpanStyle, PLAIN, type Span } from '../lines.ts';

interface Opener {
  readonly mark: string;
  /** The index of its span. */
  readonly at: number;
}

/** The maximum depth of emphasis; deeper marks are shown as written. */
const DEPTH_MAX = 8;
const LABEL_CHARACTERS_MAX = 500;
const ADDRESS_CHARACTERS_MAX = 2000;

const CODE: SpanStyle = { tone: 'code' };
const LINK: SpanStyle = { tone: 'link' };
const LOOKS: Readonly<Record<string, SpanStyle>> = {
  '**': { bold: true },
  __: { bold: true },
  '*': { italic: true },
  _: { italic: true },
  '~~': { strike: true },
};

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const IS_WORD = /[\p{L}\p{N}]/u;
const TEXT = /[^\\`*_~[!<h]+/y;
const URL = /https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?]/y;
const ANGLE = /<(https?:\/\/[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w.-]{1,200})>/y;

export function inline(text: string, base: SpanStyle = PLAIN): Line {
  return new InlineReader(text, base).read();
}

class InlineReader {
  readonly #text: string;
  readonly #base: SpanStyle;
  readonly #spans: { text: VisibleText; look: SpanStyle }[] = [];
  readonly #openers: Opener[] = [];
  /** The lengths of runs of backticks that do not occur again. */
  readonly #unclosed = new Set<number>();
  #at = 0;

  constructor(text: string, base: SpanStyle) {
    this.#text = text;
    this.#base = base;
  }

  read(): Line {
    while (this.#at < this.#text.length) this.#step();
    return merged(this.#spans);
  }

  #step(): void {
    const plain = this.#match(TEXT);
    if (plain !== null) return this.#push(plain[0]);
    const character = this.#text[this.#at]!;
    switch (character) {
      case '\\':
        return this.#escape();
      case '`':
        return this.#code();
      case '*':
      case '_':
      case '~':
        return this.#emphasis(character);
      case '[':
      case '!':
        if (this.#link()) return;
        break;
      case '<': {
        const found = this.#match(ANGLE);
        if (found) return this.#push(found[1]!, LINK);
        break;
      }
      case 'h': {
        const found = this.#isInWord() ? null : this.#match(URL);
        if (found) return this.#push(found[0], LINK);
        break;
      }
    }
    this.#at += character.length;
    this.#push(character);
  }

  #escape(): void {
    const next = this.#text[this.#at + 1];
    const isEscape = next !== undefined && PUNCTUATION.test(next);
    this.#push(isEscape ? next : '\\');
    this.#at += isEscape ? 2 : 1;
  }

  #code(): void {
    const ticks = this.#run('`');
    const from = this.#at + ticks;
    let close = this.#unclosed.has(ticks) ? -1 : from;
    while (close !== -1) {
      close = this.#text.indexOf('`', close);
      if (close === -1) break;
      const length = runAt(this.#text, close, '`');
      if (length === ticks) break;
      close += length;
    }
    if (close === -1) {
      this.#unclosed.add(ticks);
      this.#push('`'.repeat(ticks));
      this.#at = from;
      return;
    }
    const code = this.#text.slice(from, close);
    this.#push(/^ .* $/.test(code) && code.trim() !== '' ? code.slice(1, -1) : code, CODE);
    this.#at = close + ticks;
  }

  #emphasis(character: string): void {
    const run = this.#run(character);
    const before = this.#text[this.#at - 1] ?? ' ';
    const after = this.#text[this.#at + run] ?? ' ';
    this.#at += run;
    const isWhole = character === '~' ? run === 2 : run <= 3;
    if (!isWhole) return this.#push(character.repeat(run));
    const isInWord = character === '_' && IS_WORD.test(before) && IS_WORD.test(after);
    const canOpen = !/\s/.test(after) && !isInWord && (!PUNCTUATION.test(after) || !IS_WORD.test(before));
    const canClose = !/\s/.test(before) && !isInWord && (!PUNCTUATION.test(before) || !IS_WORD.test(after));
    const marks = run === 3 ? [character.repeat(2), character] : [character.repeat(run)];
    if (canClose && this.#closeAll(marks)) return;
    for (const mark of marks) {
      const at = this.#spans.length;
      this.#push(mark);
      if (canOpen && this.#openers.length < DEPTH_MAX) this.#openers.push({ mark, at });
    }
  }

  /** Returns true if each of the marks closes an open one. */
  #closeAll(marks: readonly string[]): boolean {
    const places = marks.map((mark) => this.#openers.findLastIndex((opener) => opener.mark === mark));
    if (places.includes(-1)) return false;
    // The mark that was opened last is closed first.
    for (const place of places.toSorted((a, b) => b - a)) {
      const { at, mark } = this.#openers[place]!;
      this.#openers.length = place;
      this.#spans[at]!.text = say``;
      for (let each = at + 1; each < this.#spans.length; each++)
        this.#spans[each]!.look = { ...LOOKS[mark], ...this.#spans[each]!.look };
    }
    return true;
  }

  /** Reads `[label](address)` or `![image](address)`. The address is always shown, because a label may be false. */
  #link(): boolean {
    const isImage = this.#text[this.#at] === '!';
    const open = this.#at + (isImage ? 1 : 0);
    if (this.#text[open] !== '[') return false;
    const close = this.#text.slice(open, open + LABEL_CHARACTERS_MAX).indexOf('](');
    if (close === -1) return false;
    const from = open + close + 2;
    const end = endOfAddress(this.#text.slice(from, from + ADDRESS_CHARACTERS_MAX));
    if (end === -1) return false;
    const label = this.#text.slice(open + 1, open + close);
    if (label.includes('[') && !label.includes(']')) return false;
    const address = addressOf(this.#text.slice(from, from + end));
    if (isImage) this.#push(`[image: ${label}]`);
    else if (label !== address)
      for (const each of inline(label, this.#base)) this.#push(each.text, { ...LINK, ...each.look });
    if (isImage || label !== address) this.#push(' (');
    this.#push(address, LINK);
    if (isImage || label !== address) this.#push(')');
    this.#at = from + end + 1;
    return true;
  }

  #push(text: string, look: SpanStyle = PLAIN): void {
    if (text !== '') this.#spans.push({ text: visible(text), look: { ...this.#base, ...look } });
  }

  /** Matches at the present position, and advances on success. */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at += found[0].length;
    return found;
  }

  #run(character: string): number {
    return runAt(this.#text, this.#at, character);
  }

  #isInWord(): boolean {
    return this.#at > 0 && IS_WORD.test(this.#text[this.#at - 1]!);
  }
}

function runAt(text: string, at: number, character: string): number {
  let length = 0;
  while (text[at + length] === character) length++;
  return length;
}

/** Returns the end of `address "title")`; -1 if it has no end here. Parentheses in the address must balance. */
function endOfAddress(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '(') depth++;
    else if (character === ')' && depth-- === 0) return at;
  }
  return -1;
}

const addressOf = (text: string): string =>
  text
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .replace(/\s+["'].*$/, '');

function merged(spans: readonly Span[]): Line {
  const line: Span[] = [];
  for (const each of spans) {
    if (each.text === '') continue;
    const last = line.at(-1);
    if (last && isSame(last.look, each.look))
      line[line.length - 1] = { text: joinVisible([last.text, each.text]), look: last.look };
    else line.push(each);
  }
  return line;
}

const isSame = (a: SpanStyle, b: SpanStyle): boolean =>
  a.tone === b.tone && a.bold === b.bold && a.dim === b.dim && a.italic === b.italic && a.strike === b.strike;
