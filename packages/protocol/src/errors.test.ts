import { expect, test } from 'vitest';
import { ERROR_CODES, fromWireError, SpoolError, toWireError } from './errors.ts';

test('a message says what happened and to what', () => {
  expect(new SpoolError('SESSION_UNKNOWN', { session: 'web' }).message).toBe(
    `${ERROR_CODES.SESSION_UNKNOWN} (session=web)`,
  );
  expect(new SpoolError('SESSION_NONE').message).toBe(ERROR_CODES.SESSION_NONE);
});

test('every code has a sentence, and every sentence is plain', () => {
  for (const [code, sentence] of Object.entries(ERROR_CODES)) {
    expect([code, /^[A-Z_]+$/.test(code), /^[a-z].*[^.]$/.test(sentence)]).toEqual([code, true, true]);
  }
});

test('an error keeps its code and details over the wire', () => {
  const error = new SpoolError('NAME_TAKEN', { name: 'web' });
  expect(fromWireError(JSON.parse(JSON.stringify(toWireError(error))))).toEqual(error);
});

test('an error of ours is known by its name, in whichever copy of the package it was made', () => {
  const foreign = Object.assign(new Error('x'), { name: 'SpoolError', code: 'NAME_TAKEN', details: {} });
  expect([
    SpoolError.is(foreign),
    SpoolError.is(foreign, 'NAME_TAKEN'),
    SpoolError.is(foreign, 'TOO_MANY'),
    SpoolError.is(new Error('x')),
    SpoolError.is({ name: 'SpoolError', code: 'NAME_TAKEN' }),
    SpoolError.is(null),
  ]).toEqual([true, true, false, false, false, false]);
});

test('what is not ours travels as INTERNAL, with its message', () => {
  expect(toWireError(new RangeError('out'))).toEqual({ code: 'INTERNAL', details: { message: 'out' } });
  expect(toWireError('thrown')).toEqual({ code: 'INTERNAL', details: { message: 'thrown' } });
});

test('a code that this client does not know yet is shown as it is', () => {
  expect(fromWireError({ code: 'MOON_FULL' as never, details: {} }).message).toBe('MOON_FULL');
});
