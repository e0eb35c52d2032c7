/** The widths of the columns of `spool watch`. */
import { say, type VisibleText } from '@spool/protocol/visible-text';
import { displayWidth } from '../output/printable.ts';
import { shortState, statusWords } from '../output/session-words.ts';
import { clean } from './text.ts';
import { doingOf, type Row } from './list.ts';

export interface Widths {
  readonly state: number;
  readonly name: number;
  /** 0 hides the column; this also applies to the next two. */
  readonly age: number;
  readonly doing: number;
  readonly last: number;
}

export const GAP = say`  `;
const STATE_WIDTH_MIN = 7;
const STATE_WIDTH_MAX = 22;
/** The width below which a state is one word: `blocked` instead of `blocked permission`. */
const WORDS_WIDTH_MIN = 60;
const NAME_WIDTH_MIN = 6;
const AGE_WIDTH = 5;
/** The smallest useful width of a column of text. */
const TEXT_WIDTH_MIN = 12;
/** Texts change all the time, so their column is as wide as the next of these steps, and columns do not jump. */
const TEXT_STEP = 12;

export function stateOf(row: Row, width: number): VisibleText {
  const words = statusWords(row);
  return clean(width < WORDS_WIDTH_MIN ? shortState(words) : words);
}

/**
 * Returns the widths of the columns: the state, the name and the age first. The activity and the last line share the rest equally,
 * except that one gets the width that the other does not need.
 */
export function widthsOf(rows: readonly Row[], lastLines: ReadonlyMap<string, string>, width: number): Widths {
  const most = (text: (row: Row) => string): number =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(text(row))), 0);
  const state = between(
    most((row) => stateOf(row, width)),
    STATE_WIDTH_MIN,
    STATE_WIDTH_MAX,
  );
  const name = between(
    most((row) => clean(row.name)),
    NAME_WIDTH_MIN,
    Math.max(NAME_WIDTH_MIN, Math.floor(width / 4)),
  );
  const used = 2 + state + GAP.length + name;
  const age = width >= used + GAP.length + AGE_WIDTH ? AGE_WIDTH : 0;
  const left = width - used - (age > 0 ? GAP.length + age : 0) - GAP.length;
  if (age === 0 || left < TEXT_WIDTH_MIN) return { state, name, age, doing: 0, last: 0 };
  const doingNeed = stepped(most((row) => clean(doingOf(row))));
  const lastNeed = stepped(most((row) => clean(lastLines.get(row.id) ?? '')));
  if (doingNeed === 0) return { state, name, age, doing: 0, last: left };
  const both = left - GAP.length;
  if (both < 2 * TEXT_WIDTH_MIN) return { state, name, age, doing: left, last: 0 };
  const half = Math.floor(both / 2);
  const doing = between(doingNeed, TEXT_WIDTH_MIN, Math.max(half, both - Math.max(lastNeed, TEXT_WIDTH_MIN)));
  return { state, name, age, doing, last: both - doing };
}

const stepped = (width: number): number => Math.ceil(width / TEXT_STEP) * TEXT_STEP;

const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
