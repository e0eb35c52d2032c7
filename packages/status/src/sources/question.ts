/**
 * Reads the question of a dialog, its subject, and the answers that it offers. Keeps STATE-8.
 *
 * Only text inside the dialog's borders counts: an agent with two tools shows the other command right above it, and above that
 * the user's own words. A dialog without a question (half drawn, or unknown) has none.
 */
import { cleanText } from '@spool/vt';
import type { Question } from '@spool/protocol';
import type { DialogRule, SubjectRule } from '../dialog-rules.ts';
import {
  type BackgroundAt,
  buttonOptions,
  choicesAtCursor,
  isNumbered,
  isOption,
  listedOptions,
} from './question-options.ts';
import { LINE_CHARACTERS_MAX, withoutFrame } from './screen-lines.ts';

const QUESTION_CHARACTERS_MAX = 300;
/** The maximum distance of a dialog's beginning above its known part (a footer, an option). */
const ROWS_ABOVE_MAX = 40;

/** A row of the dialog, without its frame. */
export interface DialogRow {
  readonly text: string;
  /** The column of its first letter. */
  readonly indent: number;
  /** The row on the screen. */
  readonly row: number;
}

export function questionOn(
  lines: readonly string[],
  anchor: number,
  kind: string | null,
  rules: readonly DialogRule[],
  backgroundAt?: BackgroundAt,
): Question | null {
  const rule = rules.find(({ kinds }) => kinds.length === 0 || (kind !== null && kinds.includes(kind)));
  const width = Math.max(...lines.map((line) => line.length), 0);
  let best: Question | null = null;
  for (const rows of blocksOf(lines, anchor, rule)) {
    best = readBlock(rows, width, rule, backgroundAt);
    if (best !== null) break;
  }
  return best;
}

/** Returns a question on the cursor's line, where the answer is typed. */
export function questionAtCursor(text: string, kind: string | null): Question {
  return { text: cleanText(text, QUESTION_CHARACTERS_MAX), options: choicesAtCursor(text, kind) };
}

/** Yields the rows where the dialog may begin, the nearest first: some have a border in their middle. */
function* blocksOf(
  lines: readonly string[],
  anchor: number,
  rule: DialogRule | undefined,
): Generator<readonly DialogRow[]> {
  const least = Math.max(0, anchor - ROWS_ABOVE_MAX);
  const { frame, top } = rule ?? { frame: null, top: null };
  if (frame !== null && frame.test(lines[anchor] ?? '')) {
    let [first, end] = [anchor, anchor + 1];
    while (first > least && frame.test(lines[first - 1]!)) first--;
    while (end < lines.length && frame.test(lines[end]!)) end++;
    yield rowsOf(lines.slice(first, end), first);
    return;
  }
  if (top !== null)
    for (let row = anchor; row >= least; row--) if (top.test(lines[row]!)) yield rowsOf(lines.slice(row + 1), row + 1);
  yield rowsOf(lines.slice(least), least);
}

const rowsOf = (lines: readonly string[], first: number): readonly DialogRow[] =>
  lines.map((line, index) => {
    const text = withoutFrame(line.slice(0, LINE_CHARACTERS_MAX));
    return { text, indent: line.indexOf(text), row: first + index };
  });

function readBlock(
  rows: readonly DialogRow[],
  width: number,
  rule: DialogRule | undefined,
  backgroundAt: BackgroundAt | undefined,
): Question | null {
  const firstOption = rows.findIndex(({ text }) => isNumbered(text));
  const asked = askedAt(rows, firstOption === -1 ? rows.length : firstOption, rule);
  if (asked === null) return null;
  const text = cleanText(upToMark(wholeQuestion(rows, asked, width)), QUESTION_CHARACTERS_MAX);
  const options =
    buttonOptions(rows, rule?.buttons ?? null, backgroundAt) ?? listedOptions(rows.slice(asked.at + 1), width);
  const subject = rule === undefined ? '' : subjectOf(rows, asked.at, text, rule.subject, width);
  return { text, ...(subject !== '' && { subject: cleanText(subject, QUESTION_CHARACTERS_MAX) }), options };
}

interface QuestionText {
  readonly at: number;
  readonly text: string;
}

function askedAt(rows: readonly DialogRow[], end: number, rule: DialogRule | undefined): QuestionText | null {
  for (const pattern of rule?.question ?? []) {
    const at = rows.findLastIndex(({ text }) => pattern.test(text));
    const found = at === -1 ? null : pattern.exec(rows[at]!.text);
    if (found !== null) return { at, text: found[1] ?? found[0] };
  }
  for (let at = end - 1; at >= 0; at--) {
    const { text } = rows[at]!;
    if (ASKS.test(text) && !isOption(text)) return { at, text };
  }
  if ((rule?.frame ?? null) === null) return null;
  // In a frame, the first line is the title.
  const first = rows.findIndex(({ text }, at) => at < end && LETTER.test(text));
  return first === -1 ? null : { at: first, text: rows[first]!.text };
}

/** Returns a whole question: one that is too long for one row continues from the rows above, and in those below. */
function wholeQuestion(rows: readonly DialogRow[], { at, text }: QuestionText, width: number): string {
  let whole = text;
  for (let row = at; row > 0 && isWrapped(rows[row - 1]!, rows[row]!, width); row--)
    whole = `${rows[row - 1]!.text} ${whole}`;
  for (
    let row = at;
    row + 1 < rows.length && !whole.includes('?') && isWrapped(rows[row]!, rows[row + 1]!, width);
    row++
  )
    whole += ` ${rows[row + 1]!.text}`;
  return whole;
}

/** Returns whether the next word had no room in the row above. */
function isWrapped(above: DialogRow, below: DialogRow, width: number): boolean {
  if (!LETTER.test(above.text) || !LETTER.test(below.text) || isOption(below.text)) return false;
  const word = below.text.split(' ', 1)[0]!;
  return above.indent + above.text.length + 1 + word.length > width - MARGIN;
}

function upToMark(text: string): string {
  const mark = text.search(/\?(?:\s|$)/);
  return mark === -1 ? text : text.slice(0, mark + 1);
}

function subjectOf(
  rows: readonly DialogRow[],
  asked: number,
  question: string,
  rules: readonly SubjectRule[],
  width: number,
): string {
  for (const rule of rules) {
    const text = rule.isInQuestion ? (rule.pattern!.exec(question)?.[1] ?? '') : subjectIn(rows, asked, rule, width);
    if (LETTER.test(text)) return text; // a half-drawn dialog may have a border in its place
  }
  return '';
}

function subjectIn(rows: readonly DialogRow[], asked: number, rule: SubjectRule, width: number): string {
  const { pattern, after, until, isAtTop } = rule;
  // A blank line above shows that the dialog begins there: half of a command would look like another command.
  if (isAtTop && (rows[0]?.row !== 0 || rows[0].text !== '')) return '';
  const isSubject = ({ text }: DialogRow, at: number): boolean =>
    pattern === null
      ? at > asked && text !== '' && !KEY_HINT.test(text)
      : at !== asked &&
        pattern.test(text) &&
        (after === null || after.test(filledAbove(rows, at))) &&
        (!isAtTop || filledAbove(rows, at) === '');
  // A part with a beginning and an end is the first of its kind, because Claude shows the reason for its question below it.
  const isFirst = pattern === null || (after !== null && until !== null);
  const first = isFirst ? rows.findIndex(isSubject) : rows.findLastIndex(isSubject);
  if (first === -1 || isOption(rows[first]!.text)) return '';
  const parts = [pattern === null ? rows[first]!.text : (pattern.exec(rows[first]!.text)![1] ?? '')];
  for (let at = first + 1; at < rows.length && !isOption(rows[at]!.text); at++) {
    const { text } = rows[at]!;
    const isOver = until === null ? !isWrapped(rows[at - 1]!, rows[at]!, width) : until.test(text);
    if (isOver || at === asked) break;
    parts.push(text);
  }
  return parts.filter((part) => part !== '').join(' ');
}

const filledAbove = (rows: readonly DialogRow[], at: number): string =>
  rows.slice(0, at).findLast(({ text }) => text !== '')?.text ?? '';

const ASKS = /\p{L}.*(?:\?$|\? )|^\? \p{L}.*[?:›]/u;
/** Matches `← → narrow scope`: if the screen is too small for the command, Grok shows only this. */
const KEY_HINT = /^(?:Use )?[←→↑↓]/;
const LETTER = /[\p{L}\p{N}]/u;
/** The width of frames and blanks at the right edge. */
const MARGIN = 6;
