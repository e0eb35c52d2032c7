/** Lines of agents: long ones are shortened, events of a stream are put together. */
import { expect, test } from 'vitest';
import { agentLines, LINE_BYTES_MAX } from './long-line.ts';
import { SseFraming } from './sse.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[DRV-6] a line of 50 MB keeps its shape: its long string is cut with a mark, and the lines after it are whole', () => {
  const framing = agentLines();
  const before = process.memoryUsage().arrayBuffers;
  const long = bytes('x\\n\\u00e9é'.repeat(1000));
  const lines = [...framing.push(bytes('{"type":"user","text":"'))];
  for (let sent = 0; sent < 50_000_000; sent += long.length) lines.push(...framing.push(long));
  const grown = process.memoryUsage().arrayBuffers - before;
  lines.push(...framing.push(bytes('","end":true}\n{"next":1}\n')));
  const [first, second] = lines;
  const message = JSON.parse(first!.text);
  expect(message).toMatchObject({ type: 'user', end: true });
  expect(message.text).toMatch(/^x\né.*\[… \d+ bytes, cut by spool\]$/s);
  expect(first!.text.length).toBeLessThan(100_000);
  expect(first).toMatchObject({ isCut: true, offset: 0 });
  expect(second).toMatchObject({ text: '{"next":1}', offset: first!.length, length: 11 });
  expect(grown).toBeLessThan(3 * LINE_BYTES_MAX);
});

test('a long line without long strings is cut off', () => {
  const framing = agentLines();
  const [line] = framing.push(bytes(`[${'1,'.repeat(LINE_BYTES_MAX)}1]\n`));
  expect(line!.isCut).toBe(true);
  expect(line!.text.length).toBe(LINE_BYTES_MAX);
});

test.each([0, 1, 2, 3, 4, 5, 6, 7])('a string is cut between characters and escapes (%s)', (shift) => {
  const framing = agentLines();
  const text = `${'a'.repeat(shift)}${'\\ud83d\\ude00é\\\\'.repeat(300_000)}`;
  const [line] = framing.push(bytes(`{"a":"${text}","b":"${'é'.repeat(10)}"}\n`));
  const { a, b } = JSON.parse(line!.text) as { a: string; b: string };
  expect(a).not.toContain('\ufffd');
  expect(b).toBe('é'.repeat(10));
});

test('events of a stream are their data, whatever the lines around', () => {
  const sse = new SseFraming();
  const lines = [': comment', 'event: x', 'data: {"a":1}', '', 'data: two', 'data:lines', '', '{"b":2}', ''];
  expect(lines.map((line) => sse.line(line)).filter((text) => text !== undefined)).toEqual([
    '{"a":1}',
    'two\nlines',
    '{"b":2}',
  ]);
});
