/** Cuts one screen into the regions in which rules search. */
import type { RuleCondition, Region } from '../rules.ts';
import { questionAbove } from './dialog.ts';
import { type InputBox, inputBox } from './input-box.ts';
import type { InputRule } from './input-line.ts';
import { LINE_CHARACTERS_MAX, type ScreenView, textBeforeCursor } from './screen-lines.ts';

export interface RegionMatch {
  readonly found: RegExpExecArray;
  readonly above: RegExpExecArray | null;
  readonly place: Region['place'];
  /** The row of the screen; 0 for a title or notification. */
  readonly row: number;
}

/** The number of lowest lines in which a footer is searched for if there is no input box. */
const FOOTER_LINES = 6;

/** The limit of a thought or a message; longer ones are cut later anyway. */
const BLOCK_LINES_MAX = 40;
/** Matches text in the column below the first word, but not the duration of an answer. */
const GOES_ON = /^ {2,6}(?!Worked for )[\p{L}\p{N}"'`*(–-]/u;

interface FilledLine {
  readonly text: string;
  readonly row: number;
}

/** The regions of a view, cut on demand. */
export class ViewRegions {
  readonly #view: ScreenView;
  readonly #notification: string;
  #filled: readonly FilledLine[] | undefined;
  /** The rules for the input box, and the box; undefined until it has been searched for. */
  #inputs: readonly InputRule[] = [];
  #box: InputBox | null | undefined;

  constructor(view: ScreenView, notification = '') {
    this.#view = view;
    this.#notification = notification;
  }

  /** Searches for the input box of another program. */
  set inputs(rules: readonly InputRule[]) {
    this.#inputs = rules;
    this.#box = undefined;
  }

  get box(): InputBox | null {
    if (this.#box !== undefined) return this.#box;
    this.#box = null;
    for (const rule of this.#inputs) if ((this.#box ??= inputBox(rule, this.#view)) !== null) break;
    return this.#box;
  }

  get backgroundAt(): ScreenView['backgroundAt'] {
    return this.#view.backgroundAt;
  }

  get lines(): readonly string[] {
    return this.#view.lines;
  }

  /** Finds the lowest matching line: lower lines are newer. */
  find(condition: RuleCondition): RegionMatch | undefined {
    for (const match of this.findAll(condition)) return match;
    return undefined;
  }

  /** Yields all matching lines, the lowest first. */
  *findAll({ region, pattern, after }: RuleCondition): Generator<RegionMatch> {
    const lines = this.#lines(region);
    for (let at = lines.length - 1; at >= 0; at--) {
      const { text, row } = lines[at]!;
      const found = pattern.exec(text);
      if (found === null) continue;
      if (after === null) {
        yield { found, above: null, place: region.place, row };
        continue;
      }
      const before = this.#lineAbove(row);
      const above = before === undefined ? null : after.exec(before);
      if (above !== null) yield { found, above, place: region.place, row };
    }
  }

  /** Returns the indented lines that continue the text of a row, as one line. */
  blockBelow(row: number): string {
    const lines = this.#view.lines.slice(row + 1, row + 1 + BLOCK_LINES_MAX);
    const text: string[] = [];
    for (const line of lines) {
      if (line.trim() !== '' && !GOES_ON.test(line)) break;
      text.push(line.trim());
    }
    return text.filter((line) => line !== '').join(' ');
  }

  questionAbove(row: number): string | null {
    return questionAbove(this.#screen.filter((line) => line.row <= row).map(({ text }) => text));
  }

  #lineAbove(row: number): string | undefined {
    return this.#screen.findLast((line) => line.row < row)?.text;
  }

  #lines(region: Region): readonly FilledLine[] {
    const { box } = this;
    switch (region.place) {
      case 'title':
        return line(this.#view.title);
      case 'notification':
        return line(this.#notification);
      case 'cursor':
        return [{ text: textBeforeCursor(this.#view), row: this.#view.cursor.row }];
      case 'input':
        return box === null ? [] : this.#screen.filter(({ row }) => row === box.first);
      case 'above':
        return this.#screen.filter(({ row }) => box === null || row < box.top).slice(-region.lines);
      case 'paragraph':
        return paragraphEnding(this.#screen.filter(({ row }) => box === null || row < box.top));
      case 'below':
        return box === null ? this.#screen.slice(-FOOTER_LINES) : this.#screen.filter(({ row }) => row > box.bottom);
      case 'bottom':
        return this.#screen.slice(-region.lines);
      case 'screen':
        return this.#screen;
    }
  }

  /** The lines that are not blank. A line with only a scroll bar counts as blank. */
  get #screen(): readonly FilledLine[] {
    return (this.#filled ??= this.#view.lines.flatMap((text, row) =>
      text === '' || text.trim() === '' || SCROLL_BAR.test(text)
        ? []
        : [{ text: text.slice(0, LINE_CHARACTERS_MAX), row }],
    ));
  }
}

/** Returns the last lines without a blank one between them. */
function paragraphEnding(lines: readonly FilledLine[]): readonly FilledLine[] {
  let from = lines.length - 1;
  while (from > 0 && lines[from - 1]!.row === lines[from]!.row - 1) from--;
  return lines.slice(Math.max(0, from));
}

const SCROLL_BAR = /^ +[█▐▕]\s*$/;

const line = (text: string): readonly FilledLine[] => (text === '' ? [] : [{ text, row: 0 }]);
