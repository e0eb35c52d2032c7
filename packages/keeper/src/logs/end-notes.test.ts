import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EndNotes } from './end-notes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('[LOG-12] a session that pauses is noted once, one that prints steadily is not, and then no timer runs', () => {
  const notes = new EndNotes();
  const noted: string[] = [];
  const steady = { noteEnd: () => void noted.push('steady') };
  const short = { noteEnd: () => void noted.push('short') };
  notes.grown(short);
  for (let tick = 0; tick < 10; tick++) {
    notes.grown(steady);
    vi.advanceTimersByTime(500);
  }
  expect(noted).toEqual(['short']);
  vi.advanceTimersByTime(2000);
  expect(noted).toEqual(['short', 'steady']);
  expect(vi.getTimerCount()).toBe(0);
});
