/**
 * [ATT-1] Tests that a snapshot and the bytes after it give the same result as all bytes: on recordings of real programs.
 *
 * `SPOOL_FIDELITY_ROUNDS=4` checks 200 offsets of each instead of 50 (`npm test` does; `npm run check` checks 10);
 * `SPOOL_FIDELITY_SEED` selects other offsets.
 */
import { expect, test } from 'vitest';
import { followStream, randomFrom, samplesOf } from './testing/fidelity.ts';
import { recordings } from './testing/recordings.ts';
import { ROUNDS, SEED, WAYS } from './testing/ways.ts';

const SAMPLES = { 'the screen': 50, 'screen and history': 10, 'a keyframe': 10 };
const NAMED = recordings().map((stream) => [stream.name, stream] as const);

for (const [what, count] of Object.entries(SAMPLES)) {
  test.each(NAMED)(`[ATT-1] snapshot: ${what} at any offset of %s, and the rest`, (_, stream) => {
    const verdict = followStream(stream, samplesOf(stream, Math.ceil(count * ROUNDS), randomFrom(SEED)), WAYS[what]!);
    expect(verdict.failures, `seed ${SEED}`).toEqual([]);
    // A snapshot can express every state that real programs produce, as long as the size does not change: see `reachOf`.
    if (!WAYS[what]!.withHistory) expect([verdict.unpaintable, verdict.passing]).toEqual([0, 0]);
  });
}
