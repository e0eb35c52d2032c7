/** The status line below a window: the size of the session, the visible part, and the keys. */
import type { Size } from '@spool/protocol';
import { cellsOfText, cutToCells } from '@spool/vt';
import type { WindowPosition } from './screen-window.ts';

export interface StatusFacts {
  readonly session: Size;
  /** The visible part, in cells. */
  readonly shown: Size;
  readonly place: WindowPosition;
  readonly state: 'quiet' | 'panning' | 'prefix';
}

/** Returns the longest text that fits the terminal, otherwise the shortest, truncated. */
export function statusText({ session, shown, place, state }: StatusFacts, cols: number): string {
  const size = `session is ${session.cols}×${session.rows}`;
  const isWhole = shown.cols >= session.cols && shown.rows >= session.rows;
  const part = `${range(place.left, shown.cols, session.cols)} × ${range(place.top, shown.rows, session.rows)}`;
  const where = isWhole ? size : `${size} · ${part}`;
  const texts = {
    quiet: [where, size],
    panning: [`${where} · arrows pan, Esc ends`, `${part} · arrows, Esc`, part],
    prefix: ['arrows pan · again: send it · or wait: detach', 'arrows pan, or detach', 'pan?'],
  }[state].map((text) => `[${text}]`);
  return texts.find((text) => cellsOfText(text) <= cols) ?? cutToCells(texts.at(-1)!, cols);
}

const range = (from: number, shown: number, all: number): string => `${from + 1}–${Math.min(from + shown, all)}`;
