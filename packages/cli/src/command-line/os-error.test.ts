import { openSync, readFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errnoOf, osErrorText } from './os-error.ts';

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test.each<[act: () => unknown, errno: string, text: string]>([
  [() => readFileSync('/no/such/file'), 'ENOENT', 'cannot open "/no/such/file": no such file or directory'],
  [() => readFileSync('/'), 'EISDIR', 'cannot read it: illegal operation on a directory'],
  [() => writeSync(openSync('/dev/full', 'w'), 'x'), 'ENOSPC', 'cannot write the output: no space left on device'],
])('[SAY-2] %s reads as a sentence', (act, errno, text) => {
  const error = thrown(act);
  expect([errnoOf(error), osErrorText(error)]).toEqual([errno, text]);
});

test('[SAY-2] a current folder that was deleted is called so', () => {
  const error = Object.assign(new Error('uv_cwd'), { errno: -2, code: 'ENOENT', syscall: 'uv_cwd' });
  expect(osErrorText(error)).toBe('the current folder was deleted; change to another one, or use --cwd');
});

test('other errors keep their message', () => {
  expect([errnoOf(new RangeError('out')), osErrorText(new RangeError('out')), osErrorText('thrown')]).toEqual([
    undefined,
    'out',
    'thrown',
  ]);
});
