/** Names a line of an agent's wire, and finds the line of a moment. */
import { visibleTitle, type VisibleText } from '@spool/render';
import type { Moment } from '../time/moment.ts';
import type { WireLine } from './wire-log.ts';

const TITLE_CHARACTERS_MAX = 40;
/** The members in which protocols name the kind of a message; the first one in the line counts. */
const KIND = /"(?:type|kind|method|do|event)"\s*:\s*"([^"\\]{1,80})"/;

/** Returns the kind of the message; empty if the line does not contain it. */
export function lineTitle(text: string): VisibleText {
  return visibleTitle(KIND.exec(text.slice(0, 2_000))?.[1] ?? '', TITLE_CHARACTERS_MAX);
}

/**
 * Returns the last line at or before the moment; null if there is none. `isWire`: the offset of the moment is one of the output.
 */
export function lineBy(lines: readonly WireLine[], moment: Moment, isWire: boolean): WireLine | null {
  if (isWire) return moment.offset === null ? null : (lines.findLast(({ offset }) => offset <= moment.offset!) ?? null);
  const isBy = ({ at, event }: WireLine): boolean =>
    moment.event !== null
      ? event !== null && event <= moment.event
      : moment.at !== null && at !== null && at <= moment.at;
  return lines.findLast(isBy) ?? null;
}
