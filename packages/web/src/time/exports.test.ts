import { expect, test, vi } from 'vitest';

vi.mock('../link/daemon.ts', () => ({ client: {}, pageUrl: (path: string) => path }));
const { castOf } = await import('./exports.ts');

test('a recording has its output at its times, its sizes, and no broken characters', () => {
  const bytes = new TextEncoder().encode('one é two');
  const cast = castOf(
    { size: { cols: 90, rows: 30 }, startedAt: 10_000, name: 'x' },
    [
      { type: 'time', offset: 3, at: 11_000 },
      { type: 'resize', offset: 3, at: 11_500, cols: 80, rows: 24 },
      { type: 'resize', offset: 5, at: 12_000, cols: 100, rows: 20 },
      { type: 'time', offset: 10, at: 13_000 },
    ],
    [
      { offset: 0, bytes: bytes.subarray(0, 5) },
      { offset: 5, bytes: bytes.subarray(5) },
    ],
  );
  expect(
    cast
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { version: 2, width: 80, height: 24, timestamp: 10, title: 'x' },
    [1, 'o', 'one'],
    [1.5, 'o', ' '],
    [2, 'r', '100x20'],
    [3, 'o', 'é two'],
  ]);
});
