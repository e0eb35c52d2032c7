/** The answers that a dialog offers, with the keys that choose them. Helps to keep STATE-8. */
import { cleanText } from '@spool/vt';
import type { QuestionOption } from '@spool/protocol';
import type { DialogRow } from './question.ts';

const OPTIONS_MAX = 20;
const LABEL_CHARACTERS_MAX = 120;

/** `❯ 1. Yes`, `2) No`, `3 (○) Reject`: a number chooses it. */
const NUMBERED = /^(?:[❯›▶►▸●◉→>*] *|\(checked\) *)?(\d)(?:[.)]| [([][●○◉x✓ ][)\]]) +(\S.*)$/;
/** `❯ Yes`: selected; the others have blanks in its place. */
const SELECTED = /^[❯›▶►▸●◉>] +(\S.*)$/;
/** `Yes, proceed (y)`: the key is in brackets. */
const KEY = /^(.*\S) \((\w|esc|enter)\)$/i;

export const isNumbered = (text: string): boolean => NUMBERED.test(text);

export const isOption = (text: string): boolean => NUMBERED.test(text) || SELECTED.test(text);

/** The answers below the question, one per row. */
export function listedOptions(rows: readonly DialogRow[], width: number): readonly QuestionOption[] {
  const numbered = numberedOptions(rows, width);
  return numbered.length > 0 ? numbered : arrowOptions(rows);
}

function numberedOptions(rows: readonly DialogRow[], width: number): readonly QuestionOption[] {
  const options: QuestionOption[] = [];
  rows.forEach(({ text, indent }, at) => {
    const [, digit, label = ''] = NUMBERED.exec(text) ?? [];
    if (digit === undefined || Number(digit) !== options.length + 1 || options.length >= OPTIONS_MAX) return;
    const next = rows[at + 1];
    const isWrapped =
      next !== undefined &&
      /^[\p{L}\p{N}(]/u.test(next.text) &&
      indent + text.length + 1 + next.text.split(' ', 1)[0]!.length > width - 2;
    options.push(option(isWrapped && !NUMBERED.test(next.text) ? `${label} ${next.text}` : label, digit));
  });
  return options;
}

/** A list without numbers: the arrows move the mark, Enter chooses. */
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

/** Answers side by side. Which one is selected is shown by colour alone, so no key is named. */
export function buttonOptions(rows: readonly DialogRow[], buttons: RegExp | null): readonly QuestionOption[] | null {
  const row = buttons === null ? undefined : rows.findLast(({ text }) => buttons.test(text));
  if (row === undefined) return null;
  const [, ...labels] = buttons!.exec(row.text)!;
  return labels.filter((label) => label !== undefined).map((label) => ({ key: null, label }));
}

/** `[y/N]`: the answer is typed and submitted. */
export function choicesAtCursor(text: string, kind: string | null): readonly QuestionOption[] {
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
