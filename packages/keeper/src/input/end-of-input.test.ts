import { beforeEach, expect, test, vi } from 'vitest';
import { EndOfInput } from './end-of-input.ts';

const CTRL_D = 4;

beforeEach(() => void vi.useFakeTimers());
/** Creates a terminal whose program rests, reads by line, and reads all input at once. */
function stage(over: { isCanonical?: boolean; hasUnread?: boolean; endOfFileKey?: number; name?: string } = {}) {
  const terminal = {
    isCanonical: true,
    endOfFileKey: CTRL_D,
    hasUnread: false,
    reader: {
      name: over.name ?? 'cat',
      words: [] as readonly string[],
      restMark: 'rests' as string | null,
      isReading: true,
      starvedMs: 0,
    },
    typed: [] as number[],
    type(key: number) {
      this.typed.push(key);
    },
    ...over,
  };
  const end = new EndOfInput(terminal);
  end.start();
  return { terminal, end };
}

test('[IN-44] the key is typed once the program rests, and again for the next read, less and less often', () => {
  const { terminal } = stage();
  vi.advanceTimersByTime(30);
  expect(terminal.typed).toEqual([]); // one look cannot show whether the program rests
  vi.advanceTimersByTime(30);
  expect(terminal.typed).toEqual([CTRL_D]);
  vi.advanceTimersByTime(60_000);
  expect(terminal.typed.length).toBeGreaterThan(50);
  expect(terminal.typed.length).toBeLessThan(70);
});

test('[IN-44] never more than one key is unread', () => {
  const { terminal } = stage();
  terminal.type = function (key) {
    this.typed.push(key);
    this.hasUnread = true;
  };
  vi.advanceTimersByTime(60_000);
  expect(terminal.typed).toEqual([CTRL_D]);
});

test.each([
  ['has unread input', { hasUnread: true }],
  ['is in raw mode', { isCanonical: false }],
  ['has no end-of-file key', { endOfFileKey: -1 }],
])('[IN-44] a terminal that %s gets nothing', (_what, over) => {
  const { terminal } = stage(over);
  vi.advanceTimersByTime(60_000);
  expect(terminal.typed).toEqual([]);
});

test('[IN-44] a program that runs is waited for, but not for ever', () => {
  const { terminal } = stage();
  terminal.reader = { name: 'node', words: ['node'], restMark: null, isReading: false, starvedMs: 0 };
  vi.advanceTimersByTime(4900);
  expect(terminal.typed).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(terminal.typed).toEqual([CTRL_D]);
});

test('[IN-44] a program that gets no processor is waited for longer', () => {
  const { terminal } = stage();
  const reader = { name: 'node', words: ['node'], restMark: null, isReading: false };
  let starvedMs = 0;
  Object.defineProperty(terminal, 'reader', { get: () => ({ ...reader, starvedMs: (starvedMs += 20) }) });
  vi.advanceTimersByTime(14_000); // the program ran for a third of this time
  expect(terminal.typed).toEqual([]);
  vi.advanceTimersByTime(1500);
  expect(terminal.typed).toEqual([CTRL_D]);
});

test('[IN-44] a program that rests without reading a line may still be starting: it gets more time', () => {
  const { terminal } = stage();
  terminal.reader = { name: 'node', words: ['node'], restMark: 'rests', isReading: false, starvedMs: 0 };
  vi.advanceTimersByTime(590);
  expect(terminal.typed).toEqual([]);
  vi.advanceTimersByTime(120);
  expect(terminal.typed).toEqual([CTRL_D]);
});

test.each([
  ['bash', 3],
  ['zsh', 3],
  ['-fish', 3],
  ['python3.12', 3],
  ['vim', 0],
  ['less', 0],
  ['node', 0],
  ['bashful', 0],
])('[IN-45] in raw mode, %s gets the key %i times', (name, times) => {
  const { terminal } = stage({ isCanonical: false, name });
  vi.advanceTimersByTime(60_000);
  expect(terminal.typed).toHaveLength(times);
});

test('[IN-46] a cancelled end types nothing', () => {
  const { terminal, end } = stage();
  end.cancel();
  vi.advanceTimersByTime(60_000);
  expect(terminal.typed).toEqual([]);
});
