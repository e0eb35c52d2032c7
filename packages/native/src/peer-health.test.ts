import { spawn } from 'node:child_process';
import { beforeEach, expect, test, vi } from 'vitest';
import { fakeAlarm } from '@spool/testkit/fake-alarm';
import { native } from './index.ts';
import {
  ANSWER_WITHIN_MS,
  PeerHealth,
  type ProcessProgress,
  progressOf,
  QUIET_AT_START_MS,
  QUIET_MS,
} from './peer-health.ts';

const TICK_MS = 100;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(native, 'createAlarm').mockImplementation(fakeAlarm);
});

/** Watches a peer whose condition the test decides. `events` records the actions and their times. */
function watched(progress: () => ProcessProgress | null): {
  health: PeerHealth;
  events: string[];
  since: () => number;
} {
  const events: string[] = [];
  const startedAt = Date.now();
  const since = (): number => Date.now() - startedAt;
  const health = new PeerHealth({
    pid: 1,
    ask: () => events.push(`asked at ${since()}`),
    onHung: () => events.push(`hung at ${since()}`),
    progressOf: progress,
  });
  return { health, events, since };
}

const ASLEEP: ProcessProgress = { isRunnable: false, usedMs: 0 };

test('[LIFE-2] one that sleeps through a question is hung within 5 s of its last word', () => {
  const { health, events } = watched(() => ASLEEP);
  health.heard();
  vi.advanceTimersByTime(20_000);
  expect(events).toEqual([`asked at ${QUIET_MS}`, `hung at ${QUIET_MS + ANSWER_WITHIN_MS}`]);
  expect(QUIET_MS + ANSWER_WITHIN_MS).toBeLessThan(5000);
});

test('[LIFE-7] after a pause of our own the peer is asked, and has time to answer', () => {
  const { health, events } = watched(() => ASLEEP);
  health.heard();
  // The clock jumps, as it does for a process that was stopped: all timers are due, and each runs once.
  vi.setSystemTime(Date.now() + 60_000);
  vi.advanceTimersByTime(QUIET_MS);
  expect(events).toHaveLength(1);
  // Another pause while ticks are counted is one tick.
  vi.setSystemTime(Date.now() + 60_000);
  vi.advanceTimersByTime(ANSWER_WITHIN_MS - TICK_MS);
  expect(events).toHaveLength(1);
  health.heard();
  vi.advanceTimersByTime(QUIET_MS - TICK_MS);
  expect(events).toHaveLength(1);
});

test('[LIFE-7] one that wants to run and gets no processor time is not hung, however long that takes', () => {
  const { health, events } = watched(() => ({ isRunnable: true, usedMs: 1 }));
  health.heard();
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual([`asked at ${QUIET_MS}`]);
});

test('[LIFE-2] one in an endless loop is hung, also when it shares the processor with two others', () => {
  let usedMs = 0;
  const { health, events, since } = watched(() => ({ isRunnable: true, usedMs }));
  health.heard();
  const clock = setInterval(() => (usedMs = since() / 3), TICK_MS / 2);
  vi.advanceTimersByTime(5000);
  clearInterval(clock);
  expect(events).toEqual([`asked at ${QUIET_MS}`, expect.stringMatching(/^hung at 4[5-9]\d\d$/)]);
});

test('where the kernel keeps no count, silence alone decides', () => {
  const { health, events } = watched(() => null);
  health.heard();
  vi.advanceTimersByTime(5000);
  expect(events).toEqual([`asked at ${QUIET_MS}`, `hung at ${QUIET_MS + ANSWER_WITHIN_MS}`]);
});

test('one that is only starting has longer, until its first word', () => {
  const { health, events } = watched(() => ASLEEP);
  vi.advanceTimersByTime(QUIET_AT_START_MS - 1);
  expect(events).toEqual([]);
  health.stop();
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual([]);
});

test('the kernel reports whether a process is runnable and its processor time; null for no process', async () => {
  vi.useRealTimers();
  const busy = spawn('sh', ['-c', 'while :; do :; done']);
  const idle = spawn('sleep', ['100']);
  try {
    await vi.waitFor(() => expect(progressOf(busy.pid!)?.usedMs).toBeGreaterThan(20), { timeout: 20_000, interval: 5 });
    expect(progressOf(busy.pid!)?.isRunnable).toBe(true);
    await vi.waitFor(() => expect(progressOf(idle.pid!)?.isRunnable).toBe(false), { timeout: 20_000, interval: 5 });
    expect(progressOf(2 ** 22 + 1)).toBeNull();
  } finally {
    busy.kill('SIGKILL');
    idle.kill('SIGKILL');
  }
});

test('[EVT-12] one that is rarely asked is asked soon when it was handed something, also after words that prove nothing', () => {
  const events: string[] = [];
  const startedAt = Date.now();
  const note = (what: string) => (): void => void events.push(`${what} at ${Date.now() - startedAt}`);
  const health = new PeerHealth({
    pid: 1,
    ask: note('asked'),
    onHung: note('hung'),
    quietMs: 10_000,
    answerWithinMs: 5000,
    progressOf: () => ASLEEP,
  });
  health.heard();
  vi.advanceTimersByTime(1000);
  health.expect();
  vi.advanceTimersByTime(1000);
  health.heard();
  health.expect();
  vi.advanceTimersByTime(QUIET_MS);
  expect(events).toEqual([`asked at ${2000 + QUIET_MS}`]);
  health.heard(); // its answer: the peer is idle now
  vi.advanceTimersByTime(60_000);
  expect(events.slice(1)).toEqual([`asked at ${12_000 + QUIET_MS}`, `hung at ${17_000 + QUIET_MS}`]);
});
