import type { WatchItem } from '@spool/client/driver';
import { expect, test } from 'vitest';
import { type OutputItem, outputLines } from './output-lines.ts';

async function linesOf(items: readonly WatchItem[]): Promise<OutputItem[]> {
  const lines: OutputItem[] = [];
  async function* source(): AsyncGenerator<WatchItem> {
    yield* items;
  }
  for await (const line of outputLines(source())) lines.push(line);
  return lines;
}

function output(offset: number, text: string, stream: 'stdout' | 'stderr' = 'stdout'): WatchItem {
  return { type: 'output', offset, bytes: Buffer.from(text), stream };
}

test('lines of two streams that are mixed in the log are put together, in the order of their ends', async () => {
  const found = await linesOf([
    output(0, '{"a'),
    output(3, 'warn', 'stderr'),
    output(7, '":1}\n{"b":2}\n'),
    output(20, 'ing\n', 'stderr'),
    { type: 'exit', offset: 24, state: 'exited', exitCode: 0, signal: null },
  ]);
  expect(found).toEqual([
    { type: 'line', stream: 'stdout', text: '{"a":1}', offset: 0, length: 8, end: 12, isClean: false },
    { type: 'line', stream: 'stdout', text: '{"b":2}', offset: 12, length: 8, end: 20, isClean: false },
    { type: 'line', stream: 'stderr', text: 'warning', offset: 3, length: 8, end: 24, isClean: true },
    { type: 'exited', exitCode: 0, signal: null },
  ]);
});

test('every cut of the bytes gives the same lines; the last may lack its end', async () => {
  const text = 'é one\n\ntwo ✓\nlast';
  const bytes = Buffer.from(text);
  const end: WatchItem = { type: 'exit', offset: bytes.length, state: 'failed', exitCode: 1, signal: null };
  const whole = await linesOf([output(0, text), end]);
  expect(whole.map((line) => (line.type === 'line' ? line.text : line.type))).toEqual([
    'é one',
    '',
    'two ✓',
    'last',
    'exited',
  ]);
  for (let cut = 1; cut < bytes.length; cut++) {
    const parts: WatchItem[] = [
      { type: 'output', offset: 0, bytes: bytes.subarray(0, cut), stream: 'stdout' },
      { type: 'output', offset: cut, bytes: bytes.subarray(cut), stream: 'stdout' },
      end,
    ];
    expect(await linesOf(parts)).toEqual(whole);
  }
});

test('a gap drops what it has cut off', async () => {
  const found = await linesOf([
    output(0, 'begun'),
    { type: 'gap', from: 5, to: 90, reason: 'retention' },
    output(90, 'whole\n'),
  ]);
  expect(found).toEqual([
    { type: 'gap', from: 5, to: 90 },
    { type: 'line', stream: 'stdout', text: 'whole', offset: 90, length: 6, end: 96, isClean: true },
  ]);
});

test('[EVT-11] from the end of each clean line on, reading gives the lines that follow', async () => {
  const pieces = ['{"a', 'warn', '":1}\n', 'ing\n', '{"b":2}\n{"c":3}\n', 'x\n', '{"d"', 'y\n', ':4}\n'];
  const streams = ['stdout', 'stderr', 'stdout', 'stderr', 'stdout', 'stderr', 'stdout', 'stderr', 'stdout'] as const;
  let offset = 0;
  const items = pieces.map((text, at) => {
    const item = output(offset, text, streams[at]);
    offset += text.length;
    return item as Extract<WatchItem, { readonly type: 'output' }>;
  });
  const whole = await linesOf(items);
  const clean = whole.flatMap((line) => (line.type === 'line' && line.isClean ? [line.end] : []));
  expect(clean.length).toBeGreaterThan(3);
  for (const from of clean) {
    const rest = items.flatMap((item) => {
      const bytes = item.bytes.subarray(Math.max(0, from - item.offset));
      return bytes.length === 0 ? [] : [{ ...item, offset: Math.max(item.offset, from), bytes }];
    });
    expect(await linesOf(rest)).toEqual(whole.filter((line) => line.type === 'line' && line.end > from));
  }
});
