import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { HungStart } from './bodies/holder-hangs-at-start.ts';
import type { Pause } from './bodies/pauses.ts';

const HOLDER_FIRST = ['holder', 'keeper'] as const;
const KEEPER_FIRST = ['keeper', 'holder'] as const;

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-7] both processes stopped for 4 to 5.5 s and continued go on as they were, in whatever order they wake',
  async () => {
    const pauses: Pause[] = [
      { afterMs: 1000, forMs: 4500, order: HOLDER_FIRST, apartMs: 0 },
      { afterMs: 200, forMs: 4500, order: KEEPER_FIRST, apartMs: 0 },
      { afterMs: 700, forMs: 4000, order: KEEPER_FIRST, apartMs: 400 },
      { afterMs: 1200, forMs: 5500, order: HOLDER_FIRST, apartMs: 400 },
      { afterMs: 500, forMs: 4500, order: KEEPER_FIRST, apartMs: 900 },
      { afterMs: 0, forMs: 5000, order: HOLDER_FIRST, apartMs: 900 },
    ];
    const faults = await inNamespace<string[]>(new URL('bodies/pauses.ts', import.meta.url), pauses);
    expect(faults).toEqual([]);
  },
);

testNeeding(NAMESPACES_MISSING)('[LIFE-2] a holder that hangs before its first word is replaced too', async () => {
  const hung = await inNamespace<HungStart>(new URL('bodies/holder-hangs-at-start.ts', import.meta.url));
  expect(hung).toEqual({ isReplaced: true });
});
