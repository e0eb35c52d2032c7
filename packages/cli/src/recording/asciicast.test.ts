import { expect, test } from 'vitest';
import { Asciicast } from './asciicast.ts';
import type { TimedItem } from '../session-output/timed-output.ts';

const ITEMS: readonly TimedItem[] = [
  { type: 'output', at: 1000, offset: 0, bytes: Uint8Array.of(0x68, 0x69, 0xe2, 0x82), stream: 'stdout' },
  { type: 'output', at: 1250, offset: 4, bytes: Uint8Array.of(0xac), stream: 'stdout' },
  { type: 'resize', at: 2000, offset: 5, cols: 100, rows: 30 },
  { type: 'output', at: 1900, offset: 5, bytes: Uint8Array.of(0x1b, 0x5b, 0x6d, 0xff, 0xc3), stream: 'stdout' },
  { type: 'gap', at: 2500, from: 10, to: 20 },
  { type: 'exit', at: 3000, exitCode: 3, signal: null },
];

function cast(version: 2 | 3, items = ITEMS, hasTerminal = true): unknown[] {
  const cast = new Asciicast({ version, size: { cols: 80, rows: 24 }, startedAt: 500, hasTerminal });
  const text = cast.header({ command: ['sh', '-c', 'x'], name: 'n' }) + items.map((item) => cast.event(item)).join('');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const REST = { timestamp: 0, command: 'sh -c x', title: 'n', env: { TERM: 'xterm-256color' } };

test('version 3 counts from the event before; characters that are cut stay whole; broken ones are replaced', () => {
  expect(cast(3)).toEqual([
    { version: 3, term: { cols: 80, rows: 24, type: 'xterm-256color' }, ...REST },
    [0.5, 'o', 'hi'],
    [0.25, 'o', '€'],
    [0.75, 'r', '100x30'],
    [0, 'o', '\x1b[m\ufffd'],
    [0.5, 'm', '10 bytes are missing'],
    [0.5, 'o', '\ufffd'],
    [0, 'x', '3'],
  ]);
});

test('version 2 counts from the beginning, and knows no exit', () => {
  expect(cast(2)).toEqual([
    { version: 2, width: 80, height: 24, ...REST },
    [0.5, 'o', 'hi'],
    [0.75, 'o', '€'],
    [1.5, 'r', '100x30'],
    [1.5, 'o', '\x1b[m\ufffd'],
    [2, 'm', '10 bytes are missing'],
    [2.5, 'o', '\ufffd'],
  ]);
});

test('without a terminal, a line begins at its left all the same; with one, what it made of the line ends stays', () => {
  const items: TimedItem[] = [
    { type: 'output', at: 500, offset: 0, bytes: Buffer.from('one\ntwo\n'), stream: 'stdout' },
  ];
  expect(cast(3, items, false)[1]).toEqual([0, 'o', 'one\r\ntwo\r\n']);
  expect(cast(3, items, true)[1]).toEqual([0, 'o', 'one\ntwo\n']);
});
