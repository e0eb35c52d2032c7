/**
 * [ATT-1] Tests that a snapshot and the bytes after it give the same result as all bytes: on random programs, at 200 offsets
 * each.
 */
import { expect, test } from 'vitest';
import { followStream, randomFrom, samplesOf } from './testing/fidelity.ts';
import { madeUpProgram } from './testing/made-up-program.ts';
import { ROUNDS, SEED, WAYS } from './testing/ways.ts';

const seeds = (count: number): number[] =>
  Array.from({ length: Math.ceil(count * ROUNDS) }, (_, at) => 1000 * SEED + at);

test.each(seeds(8))('[ATT-1] snapshot: the screen at any offset of program %i, and the rest', (seed) => {
  const stream = madeUpProgram({ seed, pieces: 400 });
  expect(followStream(stream, samplesOf(stream, 200, randomFrom(seed)), WAYS['the screen']!).failures).toEqual([]);
});

test.each(seeds(8))(
  '[ATT-1] snapshot: screen and history at any offset of program %i while the size changes',
  (seed) => {
    const stream = madeUpProgram({ seed, pieces: 400, resizes: 8, usesAlternate: seed % 2 === 0 });
    expect(
      followStream(stream, samplesOf(stream, 200, randomFrom(seed)), WAYS['screen and history']!).failures,
    ).toEqual([]);
  },
);

test.each(seeds(4))('[ATT-1] snapshot: a keyframe at any offset of program %i while the size changes', (seed) => {
  const stream = madeUpProgram({ seed, pieces: 400, resizes: 8, usesAlternate: seed % 2 === 0 });
  expect(followStream(stream, samplesOf(stream, 50, randomFrom(seed)), WAYS['a keyframe']!).failures).toEqual([]);
});
