import { expect, test } from 'vitest';
import { FakeKeeper } from '../test/fake-keeper.ts';
import { Client } from './index.ts';

test.each([
  [2, ' x'],
  [5, ' x'],
  [6, ' x'],
  [12, 'red x'],
  [15, 'red x'],
  [16, 'éred x'],
  [20, 'éééred x'],
])('[OUT-2] the last %i bytes show no rest of a sequence or character', async (bytes, text) => {
  const keeper = new FakeKeeper();
  keeper.session('s', `${'x'.repeat(20_000)}\r\nééé\x1b[31mred\x1b[0m x`, { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  expect((await client.tail('s', { bytes })).split('\n').at(-1)).toBe(text);
  client.close();
});

test('[OUT-2] of a session on pipes, the last lines are those of each stream', async () => {
  const keeper = new FakeKeeper();
  const log = Buffer.from('x\xc3e\xe2\xa9y\n\x82\xac\n', 'latin1');
  const isStderr = (at: number): boolean => [2, 3, 7, 8, 9].includes(at);
  keeper.session('s', log, { isStderr, exit: { exitCode: 1, signal: null } });
  const client = new Client(keeper);
  expect(await client.tail('s', { lines: 2 })).toBe('xéy\ne€');
  client.close();
});
