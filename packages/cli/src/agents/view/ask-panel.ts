/**
 * The waiting permission or question with the keys that answer it: as much of it as fits, and the exact number of the other lines.
 * Keeps SHOW-5, SHOW-10.
 */
import {
  type AgentRequestEvent,
  fitLines,
  hardRows,
  type Line,
  requestParts,
  say,
  type Span,
  span,
  visible,
  type VisibleText,
  widthOf,
  wrap,
} from '@spool/render';
import { type AskChoice, makeChoices } from './ask-choices.ts';

/** The limit of rows of keys. With more rows, there is one row of bare keys, and the request explains them. */
const KEY_ROWS_MAX = 5;
const FAINT = { dim: true } as const;
const KEY = { tone: 'ask', bold: true } as const;

export interface PanelOptions {
  readonly width: number;
  readonly rows: number;
  /** Whether keys answer the request now. */
  readonly isFocused: boolean;
  /** Whether the text in the editor belongs to it. */
  readonly isWriting: boolean;
  readonly mayAnswer: boolean;
  /** An answer that allows a request that was not shown whole; it waits for a second key. */
  readonly unconfirmed: UnconfirmedChoice | null;
}

export interface UnconfirmedChoice {
  readonly choice: AskChoice;
  /** The number of lines of the request that were not on the screen yet. */
  readonly unseen: number;
}

/** The part of a request that is in a picture. */
export interface ShownPart {
  readonly lines: readonly Line[];
  /** The first line, and the line after the last one. */
  readonly from: number;
  readonly to: number;
}

/** All lines of a request, and the meaning of the keys where the row of keys has no room for it. */
export interface AskDocument {
  readonly lines: readonly Line[];
  /** The number of lines that describe the request; the others describe the options. */
  readonly mainLines: number;
}

export function askDocument(ask: AgentRequestEvent, width: number): AskDocument {
  const { request, options } = requestParts(ask, width);
  const choices = makeChoices(ask);
  const isLong = choices.some(({ whole, label }) => whole.trim() !== label);
  const keys =
    isLong || keyRows(ask, choices, width).length > KEY_ROWS_MAX
      ? [[span('  ─ the keys:', { bold: true })], ...choiceRows(choices, width)]
      : [];
  return { lines: [...request, ...options, ...keys], mainLines: request.length };
}

/** Returns at most `rows` lines: the beginning of the request, the number of lines that are left out, and always the keys. */
export function panelPart(ask: AgentRequestEvent, document: readonly Line[], options: PanelOptions): ShownPart {
  const keys = keyLines(ask, options);
  const fitted = fitLines(document, Math.max(1, options.rows - keys.length));
  const count: Line[] =
    fitted.hidden === 0
      ? []
      : [
          [
            span(say`  … ${restWords(fitted.hidden)}, Ctrl-O shows ${fitted.hidden === 1 ? say`it` : say`them`}`, {
              tone: 'warning',
            }),
          ],
        ];
  return { lines: [...fitted.lines, ...count, ...keys], from: 0, to: fitted.lines.length };
}

/** Returns the request in the whole window, from its line `top` on. */
export function readingPart(
  ask: AgentRequestEvent,
  document: readonly Line[],
  top: number,
  options: PanelOptions,
): ShownPart {
  const keys = keyLines(ask, options);
  const room = Math.max(1, options.rows - keys.length - 1);
  const from = Math.max(0, Math.min(top, document.length - room));
  const to = Math.min(document.length, from + room);
  const lines: Line[] = document.slice(from, to);
  while (lines.length < room) lines.push([]);
  const place = say`${from + 1}–${to} of ${document.length} lines · Ctrl-O closes · ↑ ↓ PgUp PgDn Home End`;
  return { lines: [...lines, [span(place, FAINT)], ...keys], from, to };
}

function keyLines(ask: AgentRequestEvent, options: PanelOptions): Line[] {
  const { width, rows, isFocused, isWriting, mayAnswer, unconfirmed } = options;
  if (!mayAnswer) return [[span('  waits for an answer', FAINT)]];
  if (!isFocused)
    return [[isWriting ? span('  Enter sends it, Esc goes back', FAINT) : span('  Tab: answer it', FAINT)]];
  if (unconfirmed !== null) return confirmLines(unconfirmed, width);
  const choices = makeChoices(ask);
  const lines = keyRows(ask, choices, width);
  if (lines.length <= Math.min(KEY_ROWS_MAX, rows - 2)) return lines;
  const keys = choices.map(({ key }) => visible(key));
  const bare: Line = [...keys.flatMap((key) => [span(' '), span(key, KEY)]), span('  Ctrl-O: what they do', FAINT)];
  return wrap(bare, width, { first: [span(' ')] });
}

function confirmLines({ choice, unseen }: UnconfirmedChoice, width: number): Line[] {
  const was = unseen === 1 ? say`was` : say`were`;
  const line = [
    span(say`${lineCount(unseen)} ${was} not shown. `, { tone: 'warning' }),
    span('Y', KEY),
    span(say` all the same: ${choice.label} · `),
    span('n', KEY),
    span(' deny · Ctrl-O shows all'),
  ];
  return wrap(line, width, { first: [span('  ')] });
}

const lineCount = (count: number): VisibleText => (count === 1 ? say`1 line` : say`${count} lines`);
const restWords = (count: number): VisibleText => (count === 1 ? say`1 more line` : say`${count} more lines`);

function keyRows(ask: AgentRequestEvent, choices: readonly AskChoice[], width: number): Line[] {
  const lines: Line[] = [];
  let current: Span[] = [];
  let cells = 0;
  for (const { key, label } of choices) {
    // The options of a question are listed above.
    const isListed = ask.kind === 'question.asked' && /^\d$/.test(key);
    const part: Line = [span('  '), span(visible(key), KEY), ...(isListed ? [] : [span(say` ${label}`)])];
    const wide = part.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (cells + wide > width && current.length > 0) {
      lines.push(current);
      current = [];
      cells = 0;
    }
    if (wide > width) lines.push(...hardRows(part, { width, indent: 0 }));
    else current.push(...part);
    cells += wide > width ? 0 : wide;
  }
  return current.length === 0 ? lines : [...lines, current];
}

function choiceRows(choices: readonly AskChoice[], width: number): Line[] {
  return choices.flatMap(({ key, whole }) =>
    hardRows([span(visible(whole))], { width, indent: 4 }, span(say`${visible(key)}  `, KEY)),
  );
}
