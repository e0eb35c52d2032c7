import { expect, test } from 'vitest';
import { type Lifecycle, step } from './lifecycle.ts';

const RUNNING: Lifecycle = { phase: 'running', ending: null };
const stop = { type: 'end', by: 'stop', at: 1000, graceMs: 5000 } as const;
const kill = { type: 'end', by: 'kill', at: 2000, graceMs: 0 } as const;

test.each([
  ['by itself, 0', [], { code: 0, signal: null }, 'exited', null],
  ['by itself, not 0', [], { code: 3, signal: null }, 'failed', null],
  ['by a signal from elsewhere', [], { code: null, signal: 'SIGSEGV' }, 'failed', null],
  ['asked to stop, tidily', [stop], { code: 0, signal: null }, 'stopped', 'stop'],
  ['asked to stop, by force', [stop], { code: null, signal: 'SIGKILL' }, 'stopped', 'stop'],
  ['killed', [kill], { code: null, signal: 'SIGKILL' }, 'killed', 'kill'],
  ['stopped, then killed', [stop, kill], { code: null, signal: 'SIGKILL' }, 'killed', 'kill'],
  ['killed, then asked to stop', [kill, stop], { code: null, signal: 'SIGKILL' }, 'killed', 'kill'],
  ['out of time', [{ ...stop, by: 'timeout' }], { code: null, signal: 'SIGTERM' }, 'stopped', 'timeout'],
] as const)('[RUN-42] an end %s reads as what it was', (_name, inputs, exit, state, endedBy) => {
  const before = inputs.reduce<Lifecycle>(step, RUNNING);
  expect(step(before, { type: 'exit', exit, at: 9000 })).toEqual({
    phase: 'ended',
    state,
    exit,
    endedAt: 9000,
    endedBy,
  });
});

test('an end is final', () => {
  const ended = step(RUNNING, { type: 'exit', exit: { code: 0, signal: null }, at: 1 });
  expect(step(ended, kill)).toBe(ended);
  expect(step(ended, { type: 'exit', exit: { code: 9, signal: null }, at: 2 })).toBe(ended);
  expect(step(ended, { type: 'lost', at: 3 })).toBe(ended);
});

test('[LIFE-5] a session that no process holds any more is lost', () => {
  expect(step(RUNNING, { type: 'lost', at: 7 })).toMatchObject({ phase: 'ended', state: 'lost', endedAt: 7 });
});

test('[RUN-5] a kill overrides a stop, even when the clock was set forward since; `isAsked` is kept', () => {
  const stopped = [stop, { type: 'asked' } as const].reduce<Lifecycle>(step, RUNNING);
  expect(step(stopped, { ...kill, at: 9_999_999 })).toEqual({
    phase: 'running',
    ending: { by: 'kill', askedAt: 1000, killAt: 9_999_999, isAsked: true },
  });
});
