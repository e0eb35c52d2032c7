/** Finds the card of a moment. Keeps CARD-12. */
import type { TranscriptEntry } from '@spool/render';
import type { Moment } from './moment.ts';

/**
 * Returns the number of the last event that began an entry at or before the moment; null if the moment is before all of them.
 * `isWire`: the offsets of the entries are comparable to that of the moment, because the output of the session is the agent's own
 * protocol.
 */
export function eventBy(entries: Iterable<TranscriptEntry>, moment: Moment, isWire: boolean): number | null {
  let last: number | null = null;
  for (const { place } of entries) if (isBy(place, moment, isWire)) last = Math.max(last ?? 0, place.seq);
  return last;
}

function isBy({ seq, at, offset }: TranscriptEntry['place'], moment: Moment, isWire: boolean): boolean {
  if (moment.event !== null) return seq <= moment.event;
  if (isWire && moment.offset !== null && offset !== undefined) return offset <= moment.offset;
  return moment.at !== null && at <= moment.at;
}
