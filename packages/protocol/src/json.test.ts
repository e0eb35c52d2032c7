import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, FrameType } from './frame.ts';
import { decodeInput, decodeJson, encodeInput, encodeJson } from './json.ts';

const invalid = expect.objectContaining({ name: 'SpoolError', code: 'FRAME_INVALID' });

test('any JSON value comes back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      new FrameReader().push(encodeJson(FrameType.reply, 1, value), ({ payload }) => {
        expect(decodeJson(payload)).toEqual(JSON.parse(JSON.stringify(value)));
      });
    }),
  );
});

test.each([
  ['nothing', ''],
  ['half of it', '{"op":'],
  ['two of them', '{}{}'],
  ['a word', 'list'],
])('a control frame that holds %s is a typed error', (_what, text) => {
  expect(() => decodeJson(new TextEncoder().encode(text))).toThrow(invalid);
});

test('a control frame that is not UTF-8 is a typed error, and nothing is replaced in silence', () => {
  expect(() => decodeJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(invalid);
});

test('[IN-3] input keeps every byte, for a session of any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.uint8Array({ maxLength: 500 }), (session, bytes) => {
      fc.pre(new TextEncoder().encode(session).length <= 255);
      const { session: name, bytes: found } = decodeInput(encodeInput(session, bytes));
      expect([name, [...found]]).toEqual([session, [...bytes]]);
    }),
  );
});

test('a name too long for an input frame is refused, not cut', () => {
  expect(() => encodeInput('é'.repeat(128), new Uint8Array(1))).toThrow(
    expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
  );
  expect(decodeInput(encodeInput('é'.repeat(127), new Uint8Array(1))).session).toBe('é'.repeat(127));
});

test.each([
  ['nothing', []],
  ['a name cut short', [4, 0x77, 0x65, 0x62]],
  ['a name that is not UTF-8', [1, 0xff, 0x61]],
])('an input frame that holds %s is a typed error', (_what, bytes) => {
  expect(() => decodeInput(Uint8Array.from(bytes))).toThrow(invalid);
});
