/** Tests the card of a moment. */
import type { TranscriptEntry } from '@spool/render';
import { expect, test } from 'vitest';
import type { Moment } from './moment.ts';
import { eventBy } from './moment-place.ts';

const ENTRIES = [
  { place: { seq: 1, at: 1000, offset: undefined } },
  { place: { seq: 4, at: 2000, offset: 100 } },
  { place: { seq: 9, at: 2000, offset: 300 } },
] as unknown as readonly TranscriptEntry[];
const NONE: Moment = { at: null, offset: null, event: null };

test.each<[string, Partial<Moment>, boolean, number | null]>([
  ['its event', { event: 5, at: 1 }, false, 4],
  ['its time', { at: 1999, offset: 999 }, false, 1],
  ['a time of two entries', { at: 2000 }, false, 9],
  ['the offset of its line on the wire', { offset: 299, at: null }, true, 4],
  ['a time before all', { at: 5 }, false, null],
])('[CARD-12] the card of a moment is found by %s', (_, moment, isWire, event) =>
  expect(eventBy(ENTRIES, { ...NONE, ...moment }, isWire)).toBe(event),
);
