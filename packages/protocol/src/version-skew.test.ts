import { expect, test } from 'vitest';
import { isOlder, skewLine } from './version-skew.ts';

test('[NODE-62] a node with another version is named with the cure, and one with the same or an unknown version is not', () => {
  const line = (version: string | null, road: 'join' | 'ssh' = 'join'): string | null =>
    skewLine({ name: 'build1', road, version }, '0.10.0');
  expect(line('0.10.0')).toBeNull();
  expect(line(null)).toBeNull();
  expect(line('0.9.9')).toBe('build1 runs 0.9.9: spool daemon upgrade there');
  expect(line('0.9.9', 'ssh')).toBe('build1 runs 0.9.9: spool node remove and spool node add copy 0.10.0 there');
  expect(line('0.11.0')).toBe('build1 runs 0.11.0, and this machine 0.10.0: spool daemon upgrade here');
});

test('[NODE-62] versions are compared by their numbers', () => {
  expect([isOlder('0.9.0', '0.10.0'), isOlder('0.10.0', '0.9.0'), isOlder('0.9.0', '0.9.0')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isOlder('0.9.0-next', '0.10.0'), isOlder('unknown', '0.10.0')]).toEqual([false, false]);
});
