/** Tests lines of any length, in any chunks. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FramedLine, LineFraming } from './line-framing.ts';

const facts = ({ text, offset, length, isDropped }: FramedLine) => ({
  text,
  offset,
  length,
  ...(isDropped && { isDropped }),
});

test('any chunks of any text give the same lines, and their lengths cover every byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(40)), (text, cuts) => {
      const data = new TextEncoder().encode(`${text}\nlast ${text}`);
      const whole = new LineFraming({ bytesMax: 1000 });
      const expected = [...whole.push(data), ...whole.end()].map(facts);
      const framing = new LineFraming({ bytesMax: 1000 });
      const lines = [];
      let at = 0;
      for (const cut of cuts) lines.push(...framing.push(data.subarray(at, (at = Math.min(data.length, at + cut)))));
      lines.push(...framing.push(data.subarray(at)), ...framing.end());
      expect(lines.map(facts)).toEqual(expected);
      expect(lines.reduce((sum, { length }) => sum + length, 0)).toBe(data.length);
    }),
  );
});

test('[HTTP-2] lines come whole from any pieces, also within a character; one that is too long is left out and named', () => {
  const bytes = Buffer.from(`é one\n${'x'.repeat(50)}\ntwo\n\nrest`);
  for (const size of [1, 3, 7, 1000]) {
    const framing = new LineFraming({ bytesMax: 20 });
    const lines = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...framing.push(bytes.subarray(at, at + size)));
    lines.push(...framing.end());
    expect(lines.map(facts)).toEqual([
      { text: 'é one', offset: 0, length: 7 },
      { text: '', offset: 7, length: 51, isDropped: true },
      { text: 'two', offset: 58, length: 4 },
      { text: '', offset: 62, length: 1 },
      { text: 'rest', offset: 63, length: 4 },
    ]);
  }
});

test('an unfinished line does not change with the memory that it was read into', () => {
  const framing = new LineFraming({ bytesMax: 20 });
  const room = Buffer.from('ab');
  framing.push(room);
  room.write('c\n');
  expect(framing.push(room).map(facts)).toEqual([{ text: 'abc', offset: 0, length: 4 }]);
});

test('chunks may lie apart; a line that lost its end or its beginning is not given', () => {
  const framing = new LineFraming({ bytesMax: 20 });
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const places = (lines: readonly FramedLine[]) => lines.map(({ text, offset, end }) => [text, offset, end]);
  expect(framing.push(bytes('on'), 10)).toEqual([]);
  expect(framing.isOpen).toBe(true);
  expect(places(framing.push(bytes('e\ntw'), 50))).toEqual([['one', 10, 52]]);
  framing.drop();
  expect(places(framing.push(bytes('whole\nha'), 90))).toEqual([['whole', 90, 96]]);
  framing.skip();
  expect(places(framing.push(bytes('lf\nnext\n'), 200))).toEqual([['next', 203, 208]]);
  expect([framing.isOpen, framing.end()]).toEqual([false, []]);
});
