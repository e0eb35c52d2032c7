import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { FAILURES_MAX, FailureLimit, WINDOW_MS } from './failure-limit.ts';

test('[DOOR-40] the eleventh failure of an address in a minute is told to wait, and others are not', () => {
  let now = 0;
  const limit = new FailureLimit(() => now);
  const wrong = new SpoolError('TOKEN_REFUSED');
  const fail = (address: string): string => limit.fail(address, wrong).error.code;
  const codes = Array.from({ length: FAILURES_MAX + 2 }, () => fail('a'));
  expect(codes).toEqual([...Array<string>(FAILURES_MAX).fill('TOKEN_REFUSED'), 'RATE_LIMITED', 'RATE_LIMITED']);
  expect(fail('b')).toBe('TOKEN_REFUSED');
  now = WINDOW_MS + 1;
  expect(fail('a')).toBe('TOKEN_REFUSED');
});
