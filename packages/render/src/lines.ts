/**
 * Lines of styled text: the renderer creates them, and a terminal, a page or a pipe shows them. A span has the meaning of its
 * text (`tone`), not a colour.
 */
import type { VisibleText } from '@spool/protocol/visible-text';
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

export interface SpanStyle {
  readonly tone?: Tone;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  /** Whether text and background change places. */
  readonly inverse?: boolean;
  /** Whether blanks at the end of a line count: plain text keeps them. */
  readonly isExact?: boolean;
}

/**
 * A piece of text with a look. The type of the text guarantees that it cannot act on a terminal or page: a raw string does not
 * compile.
 */
export interface Span {
  readonly text: VisibleText;
  readonly look: SpanStyle;
}

export type Line = readonly Span[];

export const PLAIN: SpanStyle = {};

/** A text that was made visible, or a literal in the source. `string`, and a template that contains a string, become `never`. */
export type ShownText<T extends string> = T extends VisibleText ? T : {} extends Record<T, 1> ? never : T;

export function span<const T extends string>(text: T & ShownText<T>, look: SpanStyle = PLAIN): Span {
  return { text: text as string as VisibleText, look };
}

/** Repeats one of the program's own signs. */
export function repeated(sign: ' ' | '─' | '█' | '░', count: number): VisibleText {
  return sign.repeat(count) as VisibleText;
}

/** Returns a part of a visible text, which is visible too. */
export function sliceVisible(text: VisibleText, from: number, to?: number): VisibleText {
  return text.slice(from, to) as VisibleText;
}

/** Returns the longest prefix of a visible text that fits. */
export function cutVisible(text: VisibleText, cells: number): VisibleText {
  return cutToCells(text, cells) as VisibleText;
}

/** Joins visible texts. */
export function joinVisible(
  texts: readonly VisibleText[],
  separator: '' | ' ' | '  ' | ' · ' | ', ' = '',
): VisibleText {
  // `+` does not copy; `join` would copy a growing text again with each piece.
  return texts.reduce<string>((sum, text, at) => (at === 0 ? text : sum + separator + text), '') as VisibleText;
}

const IS_ASCII = /^[\u0020-\u007e]*$/;

/** Returns the width in cells of a terminal. */
export const widthOf = (text: string): number => (IS_ASCII.test(text) ? text.length : cellsOfText(text));

export const lineWidth = (line: Line): number => line.reduce((width, { text }) => width + widthOf(text), 0);

export const plainText = (line: Line): VisibleText => joinVisible(line.map(({ text }) => text));

export const isBlank = (line: Line): boolean => line.every(({ text }) => text === '');

/** Cuts a line to `width` cells; a line that is cut ends with an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cut: Span[] = [];
  let room = Math.max(0, width - 1);
  for (const { text, look } of line) {
    const kept = cutVisible(text, room);
    if (kept !== '') cut.push({ text: kept, look });
    room -= widthOf(kept);
    if (kept.length < text.length) break;
  }
  if (width > 0) cut.push(span('…', cut.at(-1)?.look));
  return cut;
}

/** Applies a look to every span; the properties that a span sets itself take precedence. */
export const under = (look: SpanStyle, line: Line): Line =>
  line.map((each) => ({ ...each, look: { ...look, ...each.look } }));
