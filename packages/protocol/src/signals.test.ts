import { expect, test } from 'vitest';
import { signalNameIn, signalNumberIn } from './signals.ts';

const TABLE = { SIGHUP: 1, SIGIOT: 6, SIGABRT: 6, SIGTERM: 15 };

test.each([
  [1, 'SIGHUP'],
  [15, 'SIGTERM'],
  [34, 'SIGRTMIN'],
  [36, 'SIGRTMIN+2'],
  [64, 'SIGRTMIN+30'],
])('the name of %i is %s, and reads back as it', (number, name) => {
  expect(signalNameIn(TABLE, number)).toBe(name);
  expect(signalNumberIn(TABLE, name)).toBe(number);
});

test('SIGRTMAX-n is read, and printed in the one dialect', () => {
  expect(signalNumberIn(TABLE, 'SIGRTMAX')).toBe(64);
  expect(signalNameIn(TABLE, signalNumberIn(TABLE, 'SIGRTMAX-28')!)).toBe('SIGRTMIN+2');
});

test.each(['SIGRTMIN+31', 'SIGRTMAX-31', 'SIGRTMIN-1', 'SIGNOTHING', 'toString', 'RTMIN'])('%s is unknown', (name) => {
  expect(signalNumberIn(TABLE, name)).toBeUndefined();
});

test('a number without a name is printed as one', () => {
  expect([signalNameIn(TABLE, 33), signalNameIn(TABLE, 65)]).toEqual(['SIG33', 'SIG65']);
});
