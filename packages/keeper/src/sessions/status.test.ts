/** Tests waits for the status of one session. */
import type { Status, WaitUntil } from '@spool/protocol';
import { expect, test, vi } from 'vitest';
import { SessionStatus, type WaitQuery } from './status.ts';

/** Returns a status: idle at the prompt, as seen up to offset 100. */
function idleAt100(): SessionStatus {
  const status = new SessionStatus(0);
  status.current = { ...status.current, state: 'idle', kind: 'prompt', offset: 90 } satisfies Status;
  status.lookedTo(100);
  return status;
}

/** Starts a wait and returns its result; `ended` is undefined while it lasts. */
function wait(status: SessionStatus, wanted: WaitQuery, end = 100): { ended: WaitUntil | undefined } {
  const result: { ended: WaitUntil | undefined } = { ended: undefined };
  status.wait(wanted, end, (reason) => (result.ended = reason));
  return result;
}

test('[STATE-5] a state that holds ends a wait at once', () => {
  expect(wait(idleAt100(), { until: ['blocked', 'idle'] }).ended).toBe('idle');
});

test('[STATE-5] with `after`, a state of before does not count: not before something was seen beyond it', () => {
  const status = idleAt100();
  const idle = wait(status, { until: ['idle'], after: 100 });
  expect(idle.ended).toBeUndefined();
  // The echo of the input is not examined yet, then it is work, then the prompt is there again.
  status.grown(110);
  expect(idle.ended).toBeUndefined();
  status.current = { ...status.current, state: 'working', kind: null, offset: 110 };
  status.lookedTo(110);
  expect(idle.ended).toBeUndefined();
  status.current = { ...status.current, state: 'idle', kind: 'prompt', offset: 120 };
  expect(idle.ended).toBeUndefined(); // reported, but not visible on the screen yet
  status.lookedTo(120);
  expect(idle.ended).toBe('idle');
});

test('[STATE-5] output counts from where it was asked for, and an end ends every wait', () => {
  const status = idleAt100();
  const output = wait(status, { until: ['output'], after: 100 });
  const late = wait(status, { until: ['output'], outputAfter: 99 });
  const blocked = wait(status, { until: ['blocked'] });
  expect([output.ended, late.ended, blocked.ended]).toEqual([undefined, 'output', undefined]);
  status.grown(101);
  expect(output.ended).toBe('output');
  status.exited('exited', 0, null, 5, 101);
  expect(blocked.ended).toBe('exit');
  expect(wait(status, { until: ['idle'], after: 1000 }).ended).toBe('exit');
});

test('[STATE-5] a wait that is forgotten is told nothing', () => {
  const status = idleAt100();
  const told: WaitUntil[] = [];
  const forget = status.wait({ until: ['output'] }, 100, (reason) => told.push(reason));
  forget();
  status.grown(200);
  expect(told).toEqual([]);
});

test('[STATE-43] "starting" of a silent program decays: certain at first, half as certain after ten seconds', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const status = new SessionStatus(Date.now());
    const seen = [0, 4000, 6000, 60_000].map((ms) => {
      vi.advanceTimersByTime(ms);
      return [status.info.confidence, status.current.evidence[0]!.confidence];
    });
    expect(seen).toEqual([1, 0.8, 0.5, 0.5].map((confidence) => [confidence, confidence]));
    vi.setSystemTime(5); // the clock was set back
    expect(status.info.confidence).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('[STATE-8] a question that was reported ends a wait once the screen shows it, or after a while without it', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const reported = (): SessionStatus => {
      const status = idleAt100();
      const told = { state: 'blocked', kind: 'permission', source: 'program', since: Date.now(), offset: 100 } as const;
      status.current = { ...status.current, ...told };
      return status;
    };
    const drawn = reported();
    const first = wait(drawn, { until: ['blocked'] });
    expect(first.ended).toBeUndefined();
    drawn.current = { ...drawn.current, question: { text: 'Do you want to proceed?', options: [] } };
    expect(first.ended).toBe('blocked');
    const second = wait(reported(), { until: ['blocked'] });
    vi.advanceTimersByTime(2900);
    expect(second.ended).toBeUndefined();
    vi.advanceTimersByTime(200);
    expect(second.ended).toBe('blocked');
  } finally {
    vi.useRealTimers();
  }
});
