/** Finds the answers that a dialog offers, with the keys that choose them. Helps to keep STATE-8. */
import { cleanText } from '@spool/vt';
import type { QuestionOption } from '@spool/protocol';
import type { DialogRow } from './question.ts';

const OPTIONS_MAX = 20;
const LABEL_CHARACTERS_MAX = 120;

/** Matches `❯ 1. Yes`, `2) No`, `3 (○) Reject`: a number chooses it. */
const NUMBERED = /^(?:[❯›▶►▸●◉→>*] *|\(checked\) *)?(\d)(?:[.)]| [([][●○◉x✓ ][)\]]) +(\S.*)$/;
/** Matches `z (○) Type your answer here`: Grok's last answer, which is always visible. */
const OWN_ANSWER = /^([a-z]) [([][●○◉x✓ ][)\]] +(\S.*)$/;
/** Matches `❯ Yes`: selected; the others have blanks in its place. */
const SELECTED = /^[❯›▶►▸●◉>] +(\S.*)$/;
/** Matches `Yes, proceed (y)`: the key is in brackets. */
const KEY = /^(.*\S) \((\w|esc|enter)\)$/i;

export const isNumbered = (text: string): boolean => NUMBERED.test(text);

export const isOption = (text: string): boolean => NUMBERED.test(text) || OWN_ANSWER.test(text) || SELECTED.test(text);

/** Returns the answers below the question, one per row. */
export function listedOptions(rows: readonly DialogRow[], width: number): readonly QuestionOption[] {
  const numbered = numberedOptions(rows, width);
  return numbered.length > 0 ? numbered : arrowOptions(rows);
}

function numberedOptions(rows: readonly DialogRow[], width: number): readonly QuestionOption[] {
  const options: QuestionOption[] = [];
  rows.forEach((row, at) => {
    const [, letter, others = ''] = OWN_ANSWER.exec(row.text) ?? [];
    const [, digit, label = ''] = NUMBERED.exec(row.text) ?? [];
    if (options.length >= OPTIONS_MAX) return;
    if (letter !== undefined && options.length > 0) options.push(option(others, letter));
    if (digit !== undefined && Number(digit) === options.length + 1)
      options.push(option(wholeLabel(rows, at, label, width), digit));
  });
  return options;
}

/**
 * Returns a label with its further rows: a row belongs to it if its first word had no room in the row above.
 */
function wholeLabel(rows: readonly DialogRow[], at: number, label: string, width: number): string {
  const column = rows[at]!.indent + rows[at]!.text.length - label.length;
  let whole = label;
  for (let [row, next] = [rows[at]!, rows[at + 1]]; next !== undefined; [row, next] = [next, rows[++at + 1]]) {
    const hasRoom = row.indent + row.text.length + 1 + next.text.split(' ', 1)[0]!.length <= width - 2;
    if (hasRoom || next.text === '' || next.indent !== column || isOption(next.text)) break;
    // A path is broken after a slash, other text at a blank.
    whole += `${whole.endsWith('/') ? '' : ' '}${next.text}`;
  }
  return whole;
}

/** Returns the answers of a list without numbers: the arrows move the mark, Enter chooses. */
function arrowOptions(rows: readonly DialogRow[]): readonly QuestionOption[] {
  const at = rows.findIndex(({ text }) => SELECTED.test(text));
  if (at === -1) return [];
  const column = rows[at]!.indent + rows[at]!.text.length - SELECTED.exec(rows[at]!.text)![1]!.length;
  const isIn = (row: DialogRow | undefined): boolean => row !== undefined && row.text !== '' && row.indent === column;
  let [first, last] = [at, at];
  while (isIn(rows[first - 1])) first--;
  while (isIn(rows[last + 1])) last++;
  return rows.slice(first, last + 1).map(({ text }, index) => {
    const steps = first + index - at;
    const keys = [...Array.from({ length: Math.abs(steps) }, () => (steps < 0 ? 'Up' : 'Down')), 'Enter'];
    return { key: keys.join(' '), label: cleanText(SELECTED.exec(text)?.[1] ?? text, LABEL_CHARACTERS_MAX) };
  });
}

export type BackgroundAt = (row: number, col: number) => number;

/**
 * Returns answers side by side. The background of the selected one differs from its surroundings; the arrows move the selection.
 * If the colours do not show exactly one, no key is named.
 */
export function buttonOptions(
  rows: readonly DialogRow[],
  buttons: RegExp | null,
  backgroundAt: BackgroundAt | undefined,
): readonly QuestionOption[] | null {
  const row = buttons === null ? undefined : rows.findLast(({ text }) => buttons.test(text));
  if (row === undefined) return null;
  const labels = buttons!
    .exec(row.text)!
    .slice(1)
    .filter((label) => label !== undefined);
  const selected = backgroundAt === undefined ? [] : selectedButtons(row, labels, backgroundAt);
  return labels.map((label, index) => {
    if (selected.length !== 1) return { key: null, label };
    const steps = index - selected[0]!;
    return { key: [...Array<string>(Math.abs(steps)).fill(steps < 0 ? 'Left' : 'Right'), 'Enter'].join(' '), label };
  });
}

/** Returns the selected buttons. A button has a blank cell on each side; the cell before that is outside. */
function selectedButtons(row: DialogRow, labels: readonly string[], backgroundAt: BackgroundAt): readonly number[] {
  let from = 0;
  return labels.flatMap((label, index) => {
    const at = row.text.indexOf(label, from);
    from = at + label.length;
    const col = row.indent + at;
    return backgroundAt(row.row, col) === backgroundAt(row.row, col - 2) ? [] : [index];
  });
}

/** Matches `[O]pen, (E)dit`. The screen does not show whether the letter alone chooses, or Enter is needed too. */
const LETTERED = /[[(](\w)[\])](\w[\w' -]*)/g;

/** Returns the answers of `[y/N]`: the answer is typed and submitted. */
export function choicesAtCursor(text: string, kind: string | null): readonly QuestionOption[] {
  if (kind === 'choice')
    return [...text.matchAll(LETTERED)]
      .slice(0, OPTIONS_MAX)
      .map(([, letter, rest]) => ({ key: null, label: cleanText(`${letter}${rest}`, LABEL_CHARACTERS_MAX) }));
  if (kind === 'key') return [{ key: 'Enter', label: 'continue' }];
  if (kind !== 'confirm') return [];
  const hasChoice = /[[(] ?y(?:es)? ?[/|,]/i.test(text) || /[[(] ?no? ?[/|,] ?y/i.test(text);
  if (!hasChoice && !/\?\s*$/.test(text)) return [];
  return [
    { key: 'y Enter', label: 'yes' },
    { key: 'n Enter', label: 'no' },
  ];
}

function option(label: string, digit: string): QuestionOption {
  const [, words, key] = KEY.exec(label) ?? [];
  if (words === undefined || key === undefined)
    return { key: digit, label: cleanText(label.split(/ {2,}/, 1)[0]!, LABEL_CHARACTERS_MAX) };
  return { key: KEY_NAMES[key.toLowerCase()] ?? key, label: cleanText(words, LABEL_CHARACTERS_MAX) };
}

const KEY_NAMES: Readonly<Record<string, string>> = { esc: 'Escape', enter: 'Enter' };
