import type { Client, LogMarkInfo, WatchItem } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { timedOutput } from './timed-output.ts';

async function timed(
  items: readonly WatchItem[],
  marks: readonly LogMarkInfo[],
  { state = 'exited', from = { offset: 0, at: 100 } } = {},
): Promise<unknown[]> {
  async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
    yield* list;
  }
  const client = { watch: () => each(items), marks: () => each(marks) } as unknown as Client;
  const found: unknown[] = [];
  const session = { id: 's', startedAt: 100, endedAt: 900, state } as unknown as SessionInfo;
  for await (const item of timedOutput(client, session, from))
    found.push('bytes' in item ? [item.at, Buffer.from(item.bytes).toString()] : [item.at, item.type]);
  return found;
}

const output = (offset: number, text: string): WatchItem => ({
  type: 'output',
  offset,
  bytes: Buffer.from(text),
  stream: 'stdout',
});
const exit: WatchItem = { type: 'exit', offset: 0, state: 'exited', exitCode: 0, signal: null };

test('output is cut where the time changes, and a resize is told in its place', async () => {
  const marks: LogMarkInfo[] = [
    { type: 'time', offset: 0, at: 200 },
    { type: 'time', offset: 2, at: 300 },
    { type: 'resize', offset: 4, at: 350, cols: 1, rows: 1 },
    { type: 'time', offset: 4, at: 400 },
    { type: 'resize', offset: 6, at: 500, cols: 2, rows: 2 },
  ];
  expect(await timed([output(0, 'abc'), output(3, 'def'), exit], marks)).toEqual([
    [200, 'ab'],
    [300, 'c'],
    [300, 'd'],
    [350, 'resize'],
    [400, 'ef'],
    [500, 'resize'],
    [900, 'exit'],
  ]);
});

test('without marks all of it is from the beginning; a running session ends where it stands', async () => {
  const synced: WatchItem = { type: 'synced', offset: 3 };
  expect(await timed([output(0, 'abc'), synced, output(3, 'later')], [], { state: 'running' })).toEqual([[100, 'abc']]);
});

test('what is read from the middle on has the time of what stands before it, up to the next mark', async () => {
  const from = { offset: 5, at: 700 };
  expect(await timed([output(5, 'abc'), exit], [{ type: 'time', offset: 7, at: 800 }], { from })).toEqual([
    [700, 'ab'],
    [800, 'c'],
    [900, 'exit'],
  ]);
});

test('a gap is told, and time never runs backwards', async () => {
  const marks: LogMarkInfo[] = [
    { type: 'time', offset: 0, at: 200 },
    { type: 'time', offset: 10, at: 150 },
  ];
  const gap: WatchItem = { type: 'gap', from: 2, to: 10, reason: 'retention' };
  expect(await timed([output(0, 'ab'), gap, output(10, 'c'), exit], marks)).toEqual([
    [200, 'ab'],
    [200, 'gap'],
    [200, 'c'],
    [900, 'exit'],
  ]);
});
