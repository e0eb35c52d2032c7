import { expect, onTestFinished, test, vi } from 'vitest';
import { PromptActivity } from './activity.ts';

const PROMPT = 'POST /session/ses_1/prompt_async';
const status = (type: string): string =>
  `{"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"${type}"}}}`;

test('[HTTP-3] a prompt that was refused is not waited for; one that was taken is, until its turn has ended', () => {
  const activity = new PromptActivity();
  activity.called(PROMPT, 400);
  activity.called(PROMPT, 502);
  expect(activity.isIdle([])).toBe(true);
  activity.called('GET /session/status', 200);
  expect(activity.isIdle([])).toBe(true);
  activity.called(PROMPT, 204);
  expect(activity.isIdle([])).toBe(false); // the turn may begin at any moment
  activity.event(status('busy'));
  expect(activity.isIdle(['ses_1'])).toBe(false);
  activity.event(status('idle'));
  expect(activity.isIdle([])).toBe(true);
});

test('[HTTP-3] who waits is woken by the next event of a session', async () => {
  const activity = new PromptActivity();
  const { changed } = activity;
  activity.event(status('busy'));
  await expect(changed).resolves.toBeUndefined();
});

test('[HTTP-3] a prompt that was taken and never begun is given up after 10 s; one that was begun is not', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const activity = new PromptActivity();
  activity.called(PROMPT, 204);
  vi.advanceTimersByTime(10_000);
  expect(activity.isIdle([])).toBe(false);
  vi.advanceTimersByTime(1);
  expect(activity.isIdle(['ses_1'])).toBe(false); // the agent itself says that it works
  expect(activity.isIdle([])).toBe(true);
});
