/** The line below a replay: its position, its speed, and the keys. */
import { cellsOfText, cutToCells } from '@spool/vt';
import { localTime } from '../output/local-time.ts';

export interface ReplayFacts {
  readonly position: number;
  readonly from: number;
  readonly to: number;
  readonly speed: number;
  readonly isPaused: boolean;
  readonly isSkipping: boolean;
  readonly isAtEnd: boolean;
}

/** Returns the longest text that fits the terminal, otherwise the shortest, truncated. */
export function replayLine(facts: ReplayFacts, cols: number, now: number): string {
  const { position, from, to, speed, isPaused, isSkipping, isAtEnd } = facts;
  const clock = localTime(position, now);
  const place = `${minutes(position - from)} of ${minutes(to - from)}`;
  const how = [
    ...(isAtEnd ? ['end'] : isPaused ? ['paused'] : []),
    ...(speed === 1 ? [] : [`${speed}×`]),
    ...(isSkipping ? ['without pauses'] : []),
  ];
  const short = [clock, place, ...how].join(' · ');
  const keys = 'Space pauses, ←→ 5 s, PgUp PgDn 1 min, 0–9, n p, + -, s, q quits';
  const texts = [`${short} · ${keys}`, `${short} · ? keys, q quits`, short, [place, ...how].join(' · '), place];
  const fitting = texts.map((text) => `[${text}]`).find((text) => cellsOfText(text) <= cols);
  return fitting ?? cutToCells(`[${place}]`, cols);
}

/** Formats a time: `0:07`, `12:34`, `1:02:03`. */
function minutes(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${Math.floor((seconds % 3600) / 60)}`;
  return hours > 0 ? `${hours}:${rest.padStart(2, '0')}:${two(seconds % 60)}` : `${rest}:${two(seconds % 60)}`;
}
