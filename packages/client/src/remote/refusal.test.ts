import { expect, test } from 'vitest';
import { refusalOf } from './refusal.ts';

test.each([
  [401, 'TOKEN_REFUSED'],
  [403, 'NOT_ALLOWED'],
  [404, 'GATEWAY_NOT_FOUND'],
  [421, 'GATEWAY_NOT_FOUND'],
  [200, 'GATEWAY_NOT_FOUND'],
  [302, 'GATEWAY_NOT_FOUND'],
  [426, 'HOST_UNREACHABLE'],
  [429, 'HOST_UNREACHABLE'],
  [502, 'HOST_UNREACHABLE'],
  [503, 'HOST_UNREACHABLE'],
])('[REM-3] status %i is %s', (status, code) => {
  expect(refusalOf(status, 'https://host').code).toBe(code);
});

test('a gateway that lets us in with a plain request is tried again', () => {
  expect(refusalOf(200, 'https://host', true).code).toBe('CONNECTION_LOST');
});
