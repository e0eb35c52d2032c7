import { expect, test } from 'vitest';
import type { Principal } from '../auth/principal.ts';
import { nodeUserOf } from './node-frames.ts';

test('[NODE-43] a token that is limited reaches no node', () => {
  const whole = { name: 'ann', role: 'viewer', scope: {} } as unknown as Principal;
  expect(nodeUserOf(whole)).toEqual({ name: 'ann', role: 'viewer' });
  for (const limit of [{ scope: { sessions: ['1'] } }, { scope: { from: 0 } }, { link: 'l1' }])
    expect(() => nodeUserOf({ ...whole, ...limit } as unknown as Principal)).toThrow(
      expect.objectContaining({ code: 'NOT_ALLOWED' }),
    );
});
