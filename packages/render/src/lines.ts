/**
 * Lines of styled text: what the renderer makes, and what a terminal, a page or a pipe shows. A span says what its text is
 * (`tone`), not which colour it has.
 */
import { cellsOfText, cutToCells } from '@spool/vt/character-width';

export type Tone =
  | 'prompt'
  | 'heading'
  | 'code'
  | 'link'
  | 'added'
  | 'removed'
  | 'ok'
  | 'working'
  | 'ask'
  | 'error'
  | 'warning';

export interface Look {
  readonly tone?: Tone;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
}

/** The text has no control characters: what could act on a terminal is spelled out (`visible-text.ts`). */
export interface Span {
  readonly text: string;
  readonly look: Look;
}

export type Line = readonly Span[];

export const PLAIN: Look = {};

export const span = (text: string, look: Look = PLAIN): Span => ({ text, look });

const IS_ASCII = /^[\u0020-\u007e]*$/;

/** In cells of a terminal. */
export const widthOf = (text: string): number => (IS_ASCII.test(text) ? text.length : cellsOfText(text));

export const lineWidth = (line: Line): number => line.reduce((width, { text }) => width + widthOf(text), 0);

export const plainText = (line: Line): string => line.map(({ text }) => text).join('');

export const isBlank = (line: Line): boolean => line.every(({ text }) => text === '');

/** At most `width` cells; a line that is cut ends with an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cut: Span[] = [];
  let room = Math.max(0, width - 1);
  for (const { text, look } of line) {
    const kept = cutToCells(text, room);
    if (kept !== '') cut.push({ text: kept, look });
    room -= widthOf(kept);
    if (kept.length < text.length) break;
  }
  if (width > 0) cut.push({ text: '…', look: cut.at(-1)?.look ?? PLAIN });
  return cut;
}

/** The same look on every span, where it has none of its own. */
export const under = (look: Look, line: Line): Line =>
  line.map((each) => ({ ...each, look: { ...look, ...each.look } }));
