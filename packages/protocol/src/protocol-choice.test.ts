import { expect, test } from 'vitest';
import { chooseProtocol, type ProtocolRange } from './protocol-choice.ts';

const range = (oldest: number, protocol: number): ProtocolRange => ({ oldest, protocol });

test('[WIRE-8] the newest version that both speak is used, and none if the ranges do not meet', () => {
  const chosen = (theirs: ProtocolRange, ours: ProtocolRange): number | null => chooseProtocol(theirs, ours);
  expect(chosen(range(1, 1), range(1, 1))).toBe(1);
  expect(chosen(range(1, 2), range(1, 1))).toBe(1);
  expect(chosen(range(1, 1), range(1, 2))).toBe(1);
  expect(chosen(range(2, 3), range(1, 2))).toBe(2);
  expect(chosen(range(2, 3), range(2, 4))).toBe(3);
  expect(chosen(range(2, 2), range(1, 1))).toBeNull();
  expect(chosen(range(1, 1), range(2, 3))).toBeNull();
});

test('[WIRE-8] a peer of the first release names one version; nonsense is refused', () => {
  expect(chooseProtocol({ protocol: 1 }, range(1, 2))).toBe(1);
  expect(chooseProtocol({ protocol: 1 }, range(2, 2))).toBeNull();
  for (const nonsense of [null, {}, { protocol: '1' }, { protocol: 1, oldest: -1 }, { protocol: 1.5 }, { protocol: 0 }])
    expect(chooseProtocol(nonsense, range(1, 2))).toBeNull();
  expect(chooseProtocol({ protocol: 1, oldest: 2 }, range(1, 2))).toBeNull();
});
