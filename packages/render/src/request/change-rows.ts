/** Shows changes of files with every line: unchanged, removed (`-`) and added (`+`). Keeps REQ-1. */
import type { Diff, Hunk } from '@spool/protocol/agent';
import { say, type VisibleText } from '@spool/protocol/visible-text';
import { type Line, type SpanStyle, PLAIN, span } from '../lines.ts';
import { exactSpans, hardRows, LINE_MARK, markedRows, type RowPlace, textRows } from './exact-rows.ts';
import { INDENT_CELLS, wordOf } from './values.ts';

const UNKNOWN_MARK = say`? `;
const REMOVED: SpanStyle = { tone: 'removed' };
const ADDED: SpanStyle = { tone: 'added' };
const HEAD: SpanStyle = { bold: true };

/** Returns both texts as one change. A line that both texts have at their beginning or end is shown once. */
export function changedTextRows(oldText: string, newText: string, place: RowPlace): Line[] {
  const before = oldText.split('\n');
  const after = newText.split('\n');
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const rows = (lines: readonly string[], mark: VisibleText, look: SpanStyle): Line[] =>
    lines.flatMap((line) => markedRows(mark, exactSpans(line, look), place, look));
  return [
    ...rows(before.slice(0, start), LINE_MARK, PLAIN),
    ...rows(before.slice(start, before.length - end), say`- `, REMOVED),
    ...rows(after.slice(start, after.length - end), say`+ `, ADDED),
    ...rows(before.slice(before.length - end), LINE_MARK, PLAIN),
  ];
}

/**
 * Returns the rows of a proposed change of a file. If the change is described in several ways, all of them are shown, because they
 * may differ; only exact repetitions of the texts above are left out.
 */
export function diffRows(diff: Diff, { width, indent }: RowPlace, above: ReadonlySet<string> = new Set()): Line[] {
  const { path, change, movedTo, unified, hunks, oldText, newText } = diff;
  const inner = { width, indent: indent + INDENT_CELLS };
  const head: Line = [
    span(say`─ ${CHANGE_WORDS[change] ?? say`change`} `, HEAD),
    ...exactSpans(wordOf(path), HEAD),
    ...(movedTo === undefined ? [] : [span(' to ', HEAD), ...exactSpans(wordOf(movedTo), HEAD)]),
  ];
  const isAbove = [oldText ?? newText ?? null, newText ?? null].every((text) => text !== null && above.has(text));
  return [
    ...hardRows(isAbove ? [...head, span(', with the text above')] : head, { width, indent }),
    ...(hunks ?? []).flatMap((hunk) => hunkRows(hunk, inner)),
    ...(unified === undefined || unified === '' ? [] : unifiedRows(unified, inner)),
    ...(isAbove ? [] : contentRows(oldText ?? undefined, newText, inner)),
  ];
}

const CHANGE_WORDS: Readonly<Record<string, VisibleText>> = {
  add: say`new file`,
  modify: say`edit`,
  delete: say`delete`,
  move: say`move`,
};

function contentRows(oldText: string | undefined, newText: string | undefined, place: RowPlace): Line[] {
  if (oldText !== undefined && newText !== undefined) return changedTextRows(oldText, newText, place);
  if (newText !== undefined) return textRows(newText, place, ADDED, say`+ `);
  return oldText === undefined ? [] : textRows(oldText, place, REMOVED, say`- `);
}

function hunkRows({ oldStart, oldLines, newStart, newLines, lines }: Hunk, place: RowPlace): Line[] {
  const head = span(say`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, { dim: true });
  return [...hardRows([head], place), ...lines.flatMap((line) => hunkLineRows(line, place))];
}

/** Turns the sign of a line into its mark. A line without a known sign is shown whole, behind a mark for that case. */
function hunkLineRows(line: string, place: RowPlace): Line[] {
  // An agent may put several lines into one string; here each is a separate line.
  const [first = '', ...more] = line.split('\n');
  const [mark, look] = SIGNS[first.charAt(0)] ?? [UNKNOWN_MARK, PLAIN];
  const text = mark === UNKNOWN_MARK ? first : first.slice(1);
  return [
    ...markedRows(mark, exactSpans(text, look), place, look),
    ...more.flatMap((each) => markedRows(UNKNOWN_MARK, exactSpans(each, look), place, look)),
  ];
}

const SIGNS: Readonly<Record<string, readonly [VisibleText, SpanStyle]>> = {
  ' ': [LINE_MARK, PLAIN],
  '+': [say`+ `, ADDED],
  '-': [say`- `, REMOVED],
  '\\': [say`\\ `, { dim: true }],
};

function unifiedRows(unified: string, place: RowPlace): Line[] {
  return unified.split('\n').flatMap((line) => {
    const look = line.startsWith('+') ? ADDED : line.startsWith('-') ? REMOVED : PLAIN;
    return markedRows(LINE_MARK, exactSpans(line, look), place, look);
  });
}
