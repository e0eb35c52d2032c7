import { expect, test } from 'vitest';
import { isLogged, logLevelOf, logLine } from './log-line.ts';

test('[LIFE-13] the level is read as people write it, and a word that is none is not taken for one', () => {
  expect(['debug', 'WARN', ' error ', '', undefined, 'verbose', 'toString'].map(logLevelOf)).toEqual([
    'debug',
    'warn',
    'error',
    'info',
    'info',
    null,
    null,
  ]);
});

test('[LIFE-13] a level includes those that are more serious', () => {
  expect([
    isLogged('error', 'warn'),
    isLogged('warn', 'warn'),
    isLogged('info', 'warn'),
    isLogged('debug', 'debug'),
  ]).toEqual([true, true, false, true]);
});

test('[LIFE-13] a line has time, level and part; the lines of a stack are indented', () => {
  expect(logLine('warn', 'keeper', 7, 'it fell\n at x\n')).toMatch(
    /^\d{4}-\S+Z warn  keeper\[7\]: it fell\n {3}at x\n$/,
  );
});
