import { ERROR_CODES, type ErrorCode, SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { EXIT_CODES, EXIT_OF_ERROR, exitCodeOfError, exitCodeOfSession, signalNumber } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { UsageError } from './usage-error.ts';

test.each<[exitCode: number | null, signal: string | null, code: number]>([
  [0, null, 0],
  [3, null, 3],
  [255, null, 255],
  [null, 'SIGTERM', 143],
  [null, 'SIGKILL', 137],
  [null, 'SIGHUP', 129],
  [null, 'SIGRTMIN+2', 164],
  [null, null, 125],
])('a session with exit code %s and signal %s ends us with %s', (exitCode, signal, code) => {
  expect(exitCodeOfSession({ exitCode, signal })).toBe(code);
});

test.each<[error: unknown, code: number]>([
  [new UsageError('no'), 2],
  [new SpoolError('NOT_ALLOWED'), 4],
  [new SpoolError('FOLDER_REFUSED'), 4],
  [new SpoolError('COMMAND_NOT_FOUND'), 127],
  [new SpoolError('COMMAND_NOT_EXECUTABLE'), 126],
  [new SpoolError('CWD_UNUSABLE'), 2],
  [new SpoolError('SESSION_UNKNOWN'), 3],
  [new SpoolError('SESSION_AMBIGUOUS'), 3],
  [new SpoolError('SESSION_RUNNING'), 4],
  [new SpoolError('NOT_A_CODE_WE_KNOW' as ErrorCode), 125],
  [Object.assign(new Error('x'), { errno: -2, code: 'ENOENT' }), 3],
  [Object.assign(new Error('x'), { errno: -13, code: 'EACCES' }), 4],
  [Object.assign(new Error('x'), { errno: -28, code: 'ENOSPC' }), 1],
  [Object.assign(new Error('x'), { code: 'ERR_INVALID_STATE' }), 125],
  [new SpoolError('DAEMON_UNREACHABLE'), 125],
  [new Error('anything'), 125],
  ['thrown text', 125],
])('%s ends us with %s', (error, code) => expect(exitCodeOfError(error)).toBe(code));

/** The codes that only a failure of ours, of the daemon or of the machine can cause. Everything else is up to the user. */
const OURS: readonly ErrorCode[] = [
  'REQUEST_UNKNOWN',
  'SPAWN_FAILED',
  'TOO_MANY_FILES',
  'INPUT_UNCONFIRMED',
  'FRAME_UNKNOWN',
  'FRAME_TOO_LARGE',
  'FRAME_INVALID',
  'ANSWER_TOO_LARGE',
  'HELLO_EXPECTED',
  'VERSION_UNSUPPORTED',
  'SUCCESSOR_REFUSED',
  'TOO_MANY',
  'DAEMON_UNREACHABLE',
  'HOST_UNREACHABLE',
  'NODE_AWAY',
  'DAEMON_START_FAILED',
  'DAEMON_STOPPING',
  'TOO_MANY_CONNECTIONS',
  'TOO_MANY_VISITS',
  'NODE_TOO_OLD',
  'CONNECTION_LOST',
  'INTERNAL',
];

test('[SAY-1] every error code has an exit code of the manual, and only our own failures are 125', () => {
  const known = new Set(EXIT_CODES.map(({ code }) => code));
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    const exitCode = EXIT_OF_ERROR[code];
    expect([code, known.has(`${exitCode}`), exitCode === 125]).toEqual([code, true, OURS.includes(code)]);
    expect(exitCodeOfError(new SpoolError(code))).toBe(exitCode);
  }
});

test('signals have numbers, other words have none', () => {
  expect([signalNumber('SIGINT'), signalNumber('SIGRTMIN'), signalNumber('SIGNOPE'), signalNumber('toString')]).toEqual(
    [2, 34, undefined, undefined],
  );
});

test.each<[error: unknown, message: string]>([
  [new SpoolError('SESSION_UNKNOWN', { session: 'x' }), 'no such session "x"; `spool ls` lists them'],
  [new SpoolError('SESSION_EXITED', { session: 'x' }), 'the session "x" has ended; `spool logs` shows its output'],
  [new SpoolError('SESSION_NONE', { session: '' }), 'there are no sessions yet; start one with `spool run -- COMMAND`'],
  [
    new SpoolError('INPUT_BLOCKED', { session: 'x', reason: 'the screen shows "Sure?"', kind: 'confirm' }),
    'the session "x" is asking: the screen shows "Sure?"; answer it first (`spool attach`, `spool keys`) or use --force',
  ],
  [
    new SpoolError('WAIT_UNKNOWN', { until: 'foo' }),
    'unknown wait condition "foo"; use exit, idle, blocked, prompt, output or match:/PATTERN/',
  ],
  [
    new SpoolError('CWD_UNUSABLE', { cwd: '/x', reason: 'ENOENT' }),
    'cannot enter the working folder "/x": no such file or directory; check that it exists and that you may enter it',
  ],
  [
    new SpoolError('INPUT_QUEUE_FULL', { queuedBytes: 7 }),
    'the session does not read its input, and the queue is full; nothing was accepted: try again later (queued bytes: 7)',
  ],
  [new UsageError('no'), 'no'],
  [new Error('oh'), 'oh'],
])('%s reads as a sentence', (error, message) => expect(failureOf(error).message).toBe(message));

test('a failure for programs has code, sentence and details', () => {
  expect(failureOf(new SpoolError('NAME_TAKEN', { name: 'api' }))).toEqual({
    code: 'NAME_TAKEN',
    message: 'the name "api" is used by a running session; choose another name, or attach to that session',
    details: { name: 'api' },
  });
});
