/**
 * A text that is being written: one or several lines, a cursor, and the earlier texts. It is pure: keys in, text out. Keeps SHOW-6.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import { joinVisible, sliceVisible } from '@spool/render/lines';
import { cutToWidth, displayWidth, endOfWidth } from '../output/printable.ts';
import type { Key } from './key-reader.ts';

/** The limit of a text. */
const CHARACTERS_MAX = 256 * 1024;
const HISTORY_MAX = 500;
/** Caps the text of one line, because zero-width characters do not fill it. */
const SHOWN_CHARACTERS_MAX = 2000;

export class TextInput {
  #text = '';
  /** The index in `#text`. */
  #cursor = 0;
  readonly #history: string[] = [];
  /** The position in the history of the prompt that is shown; the history's length means the prompt that is being written. */
  #place = 0;
  #draft = '';

  constructor(text = '') {
    this.set(text);
  }

  get text(): string {
    return this.#text;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  set(text: string): void {
    this.#text = text.slice(0, CHARACTERS_MAX);
    this.#cursor = this.#text.length;
  }

  /** Notes that the text was sent: it becomes the latest earlier text. */
  take(): string {
    const text = this.#text;
    this.remember(text);
    this.set('');
    return text;
  }

  remember(text: string): void {
    if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    if (this.#history.length > HISTORY_MAX) this.#history.shift();
    this.#place = this.#history.length;
  }

  insert(text: string): void {
    const room = CHARACTERS_MAX - this.#text.length;
    const added = text.slice(0, room);
    this.#text = this.#text.slice(0, this.#cursor) + added + this.#text.slice(this.#cursor);
    this.#cursor += added.length;
  }

  /** Handles a key. Returns false if the key is not for the editor. */
  press(key: Key): boolean {
    if (key.type === 'text') {
      this.insert(key.text);
      return true;
    }
    switch (key.name) {
      case 'newline':
        this.insert('\n');
        return true;
      case 'left':
        this.#cursor -= this.#before().length;
        return true;
      case 'right':
        this.#cursor += this.#after().length;
        return true;
      case 'word-left':
        this.#cursor -= /(?:\S+\s*|\s+)$/.exec(this.#text.slice(0, this.#cursor))?.[0].length ?? 0;
        return true;
      case 'word-right':
        this.#cursor += /^(?:\s*\S+|\s+)/.exec(this.#text.slice(this.#cursor))?.[0].length ?? 0;
        return true;
      case 'home':
        this.#cursor = this.#lineStart();
        return true;
      case 'end':
        this.#cursor = this.#lineEnd();
        return true;
      case 'backspace':
        return this.#erase(this.#cursor - this.#before().length, this.#cursor);
      case 'delete':
        return this.#erase(this.#cursor, this.#cursor + this.#after().length);
      case 'erase-word':
        return this.#erase(
          this.#cursor - (/\S*\s*$/.exec(this.#text.slice(0, this.#cursor))![0].length || 1),
          this.#cursor,
        );
      case 'erase-line':
        return this.#erase(this.#lineStart(), this.#cursor);
      case 'erase-rest':
        return this.#erase(this.#cursor, this.#lineEnd());
      case 'up':
        return this.#vertical(-1);
      case 'down':
        return this.#vertical(1);
      default:
        return false;
    }
  }

  /** Returns the lines at this width, and the position of the cursor in them. */
  shown(width: number): { readonly lines: readonly VisibleText[]; readonly row: number; readonly col: number } {
    const lines: VisibleText[] = [];
    let [row, col, at] = [0, 0, 0];
    for (const line of this.#text.split('\n')) {
      let current = say``;
      let cells = 0;
      const characters = [...line];
      for (const [index, character] of characters.entries()) {
        if (at === this.#cursor) [row, col] = [lines.length, cells];
        const shown = shownBetween(characters[index - 1] ?? '', character, characters[index + 1] ?? '');
        const wide = displayWidth(shown);
        if (cells + wide > width) {
          lines.push(current);
          if (at === this.#cursor) [row, col] = [lines.length, 0];
          current = say``;
          cells = 0;
        }
        current = joinVisible([current, shown]);
        cells += wide;
        at += character.length;
      }
      if (at === this.#cursor) [row, col] = cells >= width ? [lines.length + 1, 0] : [lines.length, cells];
      lines.push(current);
      if (at === this.#cursor && cells >= width) lines.push(say``);
      at++;
    }
    return { lines, row, col };
  }

  /**
   * Returns the part around the cursor that fits into one line. The cursor covers one cell, which is blank at the end of the text.
   */
  shownInLine(width: number): {
    readonly before: VisibleText;
    readonly under: VisibleText;
    readonly after: VisibleText;
  } {
    const under = this.#after();
    const rest = this.#text.slice(this.#cursor + under.length);
    const after = cutToWidth(visible(rest.slice(0, SHOWN_CHARACTERS_MAX)), Math.floor(width / 2));
    const cursor = under === '' ? say` ` : visible(under);
    const room = width - displayWidth(cursor) - displayWidth(after);
    const before = visible(this.#text.slice(0, this.#cursor).slice(-SHOWN_CHARACTERS_MAX));
    return { before: endOfWidth(before, room), under: cursor, after };
  }

  #erase(from: number, to: number): true {
    const start = Math.max(0, from);
    this.#text = this.#text.slice(0, start) + this.#text.slice(to);
    this.#cursor = start;
    return true;
  }

  /** Moves through the lines of the text, and beyond them through the earlier prompts. */
  #vertical(by: -1 | 1): true {
    const start = this.#lineStart();
    const column = this.#cursor - start;
    if (by === -1 && start > 0) {
      const above = this.#text.lastIndexOf('\n', start - 2) + 1;
      this.#cursor = Math.min(above + column, start - 1);
      return true;
    }
    const end = this.#lineEnd();
    if (by === 1 && end < this.#text.length) {
      const below = this.#text.indexOf('\n', end + 1);
      this.#cursor = Math.min(end + 1 + column, below === -1 ? this.#text.length : below);
      return true;
    }
    const place = this.#place + by;
    if (place < 0 || place > this.#history.length) return true;
    if (this.#place === this.#history.length) this.#draft = this.#text;
    this.#place = place;
    this.set(this.#history[place] ?? this.#draft);
    return true;
  }

  /** Returns the whole character before the cursor. */
  #before(): string {
    return /[\ud800-\udbff][\udc00-\udfff]$|[\s\S]$/.exec(this.#text.slice(0, this.#cursor))?.[0] ?? '';
  }

  #after(): string {
    return /^(?:[\ud800-\udbff][\udc00-\udfff]|[\s\S])/.exec(this.#text.slice(this.#cursor))?.[0] ?? '';
  }

  #lineStart(): number {
    return this.#text.lastIndexOf('\n', this.#cursor - 1) + 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#cursor);
    return end === -1 ? this.#text.length : end;
  }
}

/** Returns a character in the form between its neighbours: an accent or a joiner belongs to them. */
function shownBetween(before: string, character: string, after: string): VisibleText {
  const text = before + character + after;
  const shown = visible(text);
  return shown === text ? sliceVisible(shown, before.length, before.length + character.length) : visible(character);
}
