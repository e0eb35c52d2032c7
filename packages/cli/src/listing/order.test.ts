import { expect, test } from 'vitest';
import { sessionWith } from '../watch/fixture.ts';
import { sessionOrder } from './order.ts';

const SESSIONS = [
  sessionWith(
    'old',
    { name: 'a10', startedAt: 1, state: 'exited', endedAt: 50, offset: 7, lastOutputAt: 50 },
    { state: 'exited' },
  ),
  sessionWith(
    'new',
    { name: 'a9', startedAt: 60, state: 'failed', endedAt: 70, offset: 1, lastOutputAt: 70 },
    { state: 'exited' },
  ),
  sessionWith('idle', { name: 'b', startedAt: 2, offset: 9 }, { state: 'idle' }),
  sessionWith('work', { name: 'c', startedAt: 4, offset: 3, lastOutputAt: 90 }, { state: 'working' }),
  sessionWith('asks', { name: 'd', startedAt: 3, offset: 4 }, { state: 'blocked' }),
];

test.each([
  ['need', 'asks work idle new old'],
  ['-need', 'old new idle work asks'],
  ['name', 'new old idle work asks'],
  ['age', 'new work asks idle old'],
  ['-age', 'old idle asks work new'],
  ['output', 'idle old asks work new'],
  ['active', 'work new old asks idle'],
])('[LIST-6] --sort %s', (order, ids) => {
  expect(
    SESSIONS.toSorted(sessionOrder(order))
      .map(({ id }) => id)
      .join(' '),
  ).toBe(ids);
});

test('[LIST-6] an unknown order is refused with those that there are', () => {
  expect(() => sessionOrder('size')).toThrow('--sort "size" is unknown; use need, name, age, output, active');
  expect(() => sessionOrder('toString')).toThrow('is unknown');
});
