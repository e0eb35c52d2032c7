import type { Client, WatchItem } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { lastLines } from './last-lines.ts';

/** A log of this text; what it is read from is noted. */
async function last(text: string, lines: number, firstOffset = 0): Promise<string> {
  const bytes = Buffer.from(text);
  const client = {
    async *watch(_: string, { from }: { from: number }): AsyncGenerator<WatchItem> {
      for (let at = from; at < bytes.length; at += 1000)
        yield { type: 'output', offset: at, bytes: bytes.subarray(at, at + 1000), stream: 'stdout' };
      yield { type: 'synced', offset: bytes.length };
    },
  } as unknown as Client;
  const session = { id: 's', offset: bytes.length, firstOffset } as unknown as SessionInfo;
  return bytes.subarray(await lastLines(client, session, lines)).toString();
}

test.each([
  ['a\nb\nc\n', 2, 'b\nc\n'],
  ['a\nb\nc', 2, 'b\nc'],
  ['a\nb\nc\n', 9, 'a\nb\nc\n'],
  ['a\nb\nc\n', 0, ''],
  ['', 5, ''],
  ['\n\n\n', 1, '\n'],
])('of %j the last %s are %j', async (text, lines, expected) => {
  expect(await last(text, lines)).toBe(expected);
});

test('it reads from further back until there are enough', async () => {
  const long = Array.from({ length: 40 }, (_, at) => `${at}${'x'.repeat(10_000)}`).join('\n');
  expect((await last(long, 30)).split('\n').map((line) => Number.parseInt(line, 10))).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 10),
  );
});
