/** Lines of any length, in any chunks. */
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { LINE_BYTES_MAX, LineFraming } from './lines.ts';
import { SseFraming } from './sse.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('any chunks of any text give the same lines, and their lengths cover every byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(40)), (text, cuts) => {
      const data = bytes(`${text}\nlast ${text}`);
      const whole = new LineFraming();
      const expected = [...whole.push(data), ...whole.end()];
      const framing = new LineFraming();
      const lines = [];
      let at = 0;
      for (const cut of cuts) lines.push(...framing.push(data.subarray(at, (at = Math.min(data.length, at + cut)))));
      lines.push(...framing.push(data.subarray(at)), ...framing.end());
      expect(lines).toEqual(expected);
      expect(lines.reduce((sum, { length }) => sum + length, 0)).toBe(data.length);
    }),
  );
});

test('[DRV-6] a line of 50 MB keeps its shape: its long string is cut with a mark, and the lines after it are whole', () => {
  const framing = new LineFraming();
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
  expect(second).toEqual({ text: '{"next":1}', offset: first!.length, length: 11 });
  expect(grown).toBeLessThan(3 * LINE_BYTES_MAX);
});

test('a long line without long strings is cut off', () => {
  const framing = new LineFraming();
  const [line] = framing.push(bytes(`[${'1,'.repeat(LINE_BYTES_MAX)}1]\n`));
  expect(line!.isCut).toBe(true);
  expect(line!.text.length).toBe(LINE_BYTES_MAX);
});

test.each([0, 1, 2, 3, 4, 5, 6, 7])('a string is cut between characters and escapes (%s)', (shift) => {
  const framing = new LineFraming();
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
