import { expect, test } from 'vitest';
import { ReplayKeys } from './replay-keys.ts';

const keys = (text: string): unknown[] =>
  new ReplayKeys()
    .keysIn(Buffer.from(text, 'latin1'))
    .map((key) => ('byMs' in key ? key.byMs : 'part' in key ? key.part : key.do));

test('[PAST-6] several keys in one read are all there, in both forms that terminals send', () => {
  expect(keys(' \x1b[C\x1bOD\x1b[1;2C\x1b[5~50q')).toEqual(['pause', 5000, -5000, 60_000, -60_000, 0.5, 0, 'quit']);
  expect(keys('\x1b[H\x1b[F+-=snp')).toEqual([0, 1, 'faster', 'slower', 'faster', 'skip', 'next', 'previous']);
});

test('[PAST-6] other keys do nothing', () => {
  expect(keys('x\x1b[15~\r\t\x1b')).toEqual([]);
});
