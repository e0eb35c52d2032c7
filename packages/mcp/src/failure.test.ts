import { ERROR_CODES, type ErrorCode, SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { failureText } from './failure.ts';
import { CallError } from './tool.ts';

test('[MCP-4] an error is a sentence that names what it is about, and the tool that helps', () => {
  expect(failureText(new SpoolError('SESSION_UNKNOWN', { session: 'x' }))).toBe(
    'SESSION_UNKNOWN: no such session "x"; spool_list lists them',
  );
  expect(failureText(new CallError('do this instead'))).toBe('do this instead');
  expect(failureText(new Error('boom'))).toBe('boom');
});

/** Errors of the daemon and of its gateway, which no tool can fix: the user has to run a command. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  'REQUEST_UNKNOWN',
  'VERSION_UNSUPPORTED',
  'SUCCESSOR_REFUSED',
  'DAEMON_UNREACHABLE',
  'HOST_UNREACHABLE',
  'TOKEN_REFUSED',
  'CONTEXT_UNKNOWN',
  'DAEMON_START_FAILED',
  'SPAWN_FAILED',
  'LOG_UNREADABLE',
  'GATEWAY_START_FAILED',
  'TOKEN_MISSING',
  'TOKEN_UNKNOWN',
  'CODE_REFUSED',
  'HOST_REFUSED',
  'NODE_UNKNOWN',
  'NODE_AWAY',
  'NODE_NAME_TAKEN',
  'INVITE_REFUSED',
]);

test('[MCP-4] no sentence tells an agent to type a command where there is a tool for it', () => {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => !FOR_PEOPLE.has(code));
  expect(codes.filter((code) => /`spool |--force/.test(failureText(new SpoolError(code))))).toEqual([]);
});
