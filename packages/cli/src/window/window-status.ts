/** The quiet line below a window: how large the session is, which part of it is shown, and what can be pressed. */
import type { Size } from '@spool/protocol';
import { cellsOfText, cutToCells } from '@spool/vt';
import type { Place } from './screen-window.ts';

export interface StatusFacts {
  readonly session: Size;
  /** What is shown of it, in cells. */
  readonly shown: Size;
  readonly place: Place;
  readonly state: 'quiet' | 'panning' | 'prefix';
}

/** Never wider than the terminal: the longest text that fits, else the shortest, cut. */
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
