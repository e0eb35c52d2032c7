import { expect, test } from 'vitest';
import { AlisEncoder, leb128 } from './alis.ts';

/** Decodes a message, independently written after the public description of the protocol and the player's reader. */
function decode(message: Uint8Array): unknown[] {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const text = (): string => {
    const length = number();
    at += length;
    return Buffer.from(message.subarray(at - length, at)).toString();
  };
  const kind = message[at++]!;
  switch (kind) {
    case 0x01: {
      const [id, time, cols, rows] = [number(), number(), number(), number()];
      return ['init', id, time, cols, rows, message[at++], text()];
    }
    case 0x04:
      return ['eot', number()];
    case 0x6f:
      return ['o', number(), number(), text()];
    case 0x72:
      return ['r', number(), number(), number(), number()];
    case 0x78:
      return ['x', number(), number(), number()];
    default:
      return ['?', kind];
  }
}

test.each([0, 1, 127, 128, 300, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER])('%i is read back', (value) => {
  expect(decode(Buffer.from([0x04, ...leb128(value)]))).toEqual(['eot', value]);
});

test('[REM-10] screen, output, sizes and the end are events with their times', () => {
  let now = 5_000_000;
  const encoder = new AlisEncoder(() => now);
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
  const messages = [
    ...encoder.encode({ type: 'resized', offset: 0, cols: 100, rows: 30 }),
    ...encoder.encode({ type: 'snapshot', offset: 7, bytes: bytes('screen') }),
    ...((now += 250), encoder.encode({ type: 'output', offset: 7, bytes: bytes('a\xc3'), stream: 'stdout' })),
    ...((now += 50), encoder.encode({ type: 'output', offset: 9, bytes: bytes('\xa9'), stream: 'stdout' })),
    ...((now += 1000), encoder.encode({ type: 'resized', offset: 10, cols: 90, rows: 20 })),
    ...((now += 5), encoder.encode({ type: 'exit', offset: 10, state: 'failed', exitCode: 3, signal: null })),
  ];
  expect(messages.map(decode)).toEqual([
    ['init', 0, 0, 100, 30, 0, 'screen'],
    ['o', 1, 250, 'a'],
    ['o', 2, 50, 'é'],
    ['r', 3, 1000, 90, 20],
    ['x', 4, 5, 3],
    ['eot', 0],
  ]);
});

test('[REM-10] a later screen starts over, and half a character before it is not shown', () => {
  const encoder = new AlisEncoder(() => 0);
  encoder.encode({ type: 'snapshot', offset: 0, bytes: Buffer.from('one') });
  encoder.encode({ type: 'output', offset: 0, bytes: Buffer.of(0xc3), stream: 'stdout' });
  const messages = [
    ...encoder.encode({ type: 'snapshot', offset: 9, bytes: Buffer.from('two') }),
    ...encoder.encode({ type: 'output', offset: 9, bytes: Buffer.from('x'), stream: 'stdout' }),
  ];
  expect(messages.map(decode)).toEqual([
    ['init', 0, 0, 80, 24, 0, 'two'],
    ['o', 1, 0, 'x'],
  ]);
});
