import { expect, test } from 'vitest';
import { type EndingProcess, dueStep, HANGUP_AFTER_MS, nextStepInMs } from './termination.ts';

const SCHEDULE = { askedAt: 1000, killAt: 6000 };
const LATER = SCHEDULE.askedAt + HANGUP_AFTER_MS;

function process(toTerm: EndingProcess['toTerm'], given: Partial<EndingProcess> = {}): EndingProcess {
  return { toTerm, isLeaderOfTerminal: false, isForeground: true, done: new Set(), ...given };
}

const leader = { isLeaderOfTerminal: true };
const asked = { done: new Set(['ask'] as const) };
const held = { done: new Set(['hold'] as const) };
const waitsForJob = { isLeaderOfTerminal: true, isForeground: false };

test.each<[string, EndingProcess, EndingProcess[], number, ReturnType<typeof dueStep>]>([
  ['whoever handles SIGTERM is asked at once', process('handles'), [], 1000, 'ask'],
  ['and then has all of the grace', process('handles', asked), [], 5999, null],
  ['and no more', process('handles', asked), [], 6000, 'kill'],
  ['whoever dies of it is asked at once', process('dies'), [], 1000, 'ask'],
  ['a shell is asked too, and given a moment', process('ignores', asked), [], 1000, null],
  ['then it is hung up on', process('ignores', asked), [], LATER, 'hang-up'],
  ['once', process('ignores', { done: new Set(['ask', 'hang-up'] as const) }), [], 5999, null],
  ['but not while its job handles SIGTERM', process('ignores', asked), [process('handles', asked)], 5999, null],
  ['a job that dies of it does not count', process('ignores', asked), [process('dies', asked)], LATER, 'hang-up'],
  [
    'a leader that would leave the others without a terminal is held',
    process('dies', leader),
    [process('handles')],
    1000,
    'hold',
  ],
  ['for as long as they need', process('dies', { ...leader, ...held }), [process('handles')], 5999, null],
  ['and asked when they are gone', process('dies', { ...leader, ...held }), [process('dies')], 1500, 'ask'],
  [
    'so is a shell that handles SIGTERM and waits for a job',
    process('handles', waitsForJob),
    [process('handles')],
    1000,
    'hold',
  ],
  ['but not a server that leads its workers', process('handles', leader), [process('handles')], 1000, 'ask'],
  ['nor an interactive shell, which stays anyway', process('ignores', waitsForJob), [process('handles')], 1000, 'ask'],
  ['whoever leads no terminal is never held', process('dies'), [process('handles')], 1000, 'ask'],
])('[RUN-5, RUN-40, RUN-41] %s', (_name, one, others, now, step) => {
  const handle = others.some(({ toTerm }) => toTerm === 'handles');
  expect(dueStep(one, { handle, fearHangup: handle }, SCHEDULE, now)).toBe(step);
});

test('[RUN-5] a leader is not stopped for processes that ignore a hang-up', () => {
  expect(dueStep(process('dies', leader), { handle: true, fearHangup: false }, SCHEDULE, 1000)).toBe('ask');
});

test('the clock is looked at when the next step is due, and not before', () => {
  expect([1000, LATER, 6000].map((now) => nextStepInMs(SCHEDULE, now))).toEqual([
    HANGUP_AFTER_MS,
    6000 - LATER,
    Infinity,
  ]);
});
