import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { exitCodeOfError, exitCodeOfSession, signalNumber } from './exit-code.ts';
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
  [new SpoolError('CWD_UNUSABLE'), 125],
  [new SpoolError('SESSION_UNKNOWN'), 125],
  [new SpoolError('DAEMON_UNREACHABLE'), 125],
  [new Error('anything'), 125],
  ['thrown text', 125],
])('%s ends us with %s', (error, code) => expect(exitCodeOfError(error)).toBe(code));

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
    new SpoolError('INPUT_BLOCKED', { session: 'x', reason: 'the screen shows "Sure?"', kind: '' }),
    'the session "x" is asking: the screen shows "Sure?"; answer it first (`spool attach`, `spool keys`) or use --force',
  ],
  [
    new SpoolError('WAIT_UNKNOWN', { until: 'foo' }),
    'unknown wait condition "foo"; use exit, idle, blocked, prompt, output or match:/PATTERN/',
  ],
  [
    new SpoolError('CWD_UNUSABLE', { cwd: '/x', reason: 'ENOENT' }),
    'cannot enter the working folder "/x": ENOENT; check that it exists and that you may enter it',
  ],
  [
    new SpoolError('INPUT_QUEUE_FULL', { queuedBytes: 7 }),
    'the session is not reading its input and the queue is full; none of this input was accepted, try again later (queuedBytes 7)',
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
