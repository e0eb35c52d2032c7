/**
 * Finds the words that differ between a line and the line that replaces it. It is separate from the rows, because not every program
 * shows words.
 */
import { diffWordsWithSpace } from 'diff';
import type { ChangeRow } from './change-rows.ts';

/** A part of a row's text; `isChanged`: the other row does not have it. */
export interface WordRange {
  readonly text: string;
  readonly isChanged: boolean;
}

/** The length up to which two lines are compared word by word. */
const WORDS_CHARACTERS_MAX = 2000;
/** The share of equal characters below which two lines have nothing in common. */
const ALIKE_RATIO = 0.3;

/**
 * Returns the words of the rows that replace each other, by the place of the row. A row without a partner, or with little in
 * common with it, has no entry.
 */
export function changedWords(rows: readonly ChangeRow[]): ReadonlyMap<number, readonly WordRange[]> {
  const words = new Map<number, readonly WordRange[]>();
  for (let at = 0; at < rows.length;) {
    const removed = run(rows, at, '-');
    const added = run(rows, at + removed, '+');
    if (removed > 0 && removed === added)
      for (let pair = 0; pair < removed; pair++) compare(rows, at + pair, at + removed + pair, words);
    at += Math.max(1, removed + added);
  }
  return words;
}

function run(rows: readonly ChangeRow[], from: number, mark: ChangeRow['mark']): number {
  let length = 0;
  while (rows[from + length]?.mark === mark) length++;
  return length;
}

function compare(
  rows: readonly ChangeRow[],
  oldAt: number,
  newAt: number,
  words: Map<number, readonly WordRange[]>,
): void {
  const before = rows[oldAt]!.text;
  const after = rows[newAt]!.text;
  if (before.length > WORDS_CHARACTERS_MAX || after.length > WORDS_CHARACTERS_MAX) return;
  const parts = diffWordsWithSpace(before, after);
  const equal = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0);
  if (equal < ALIKE_RATIO * Math.max(before.trim().length, after.trim().length)) return;
  const side = (skipped: 'added' | 'removed'): readonly WordRange[] =>
    parts.filter((part) => !part[skipped]).map((part) => ({ text: part.value, isChanged: part.added || part.removed }));
  words.set(oldAt, side('added'));
  words.set(newAt, side('removed'));
}
