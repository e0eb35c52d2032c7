import { expect, test } from 'vitest';
import { TextTail } from './text-tail.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function tailOf(text: string, options: Partial<ConstructorParameters<typeof TextTail>[0]> = {}): object {
  const tail = new TextTail({ from: 0, textBytesMax: 1024, isInside: false, ...options });
  tail.feed(bytesOf(text));
  return tail.end();
}

test.each([
  ['all, when it is short', 'one\r\n\x1b[31mtwo\x1b[m\r\n', {}, { text: 'one\ntwo\n', from: 0, nextCursor: 18 }],
  ['a line without an end, as it is', 'one\n$ ', {}, { text: 'one\n$ ', from: 0, nextCursor: 6 }],
  [
    'not the rest of a line whose beginning is missing',
    'ne\ntwo\n',
    { from: 50, isInside: true },
    { text: 'two\n', from: 53 },
  ],
  ['but that, when there is nothing else', 'still the same line', { isInside: true }, { text: 'still the same line' }],
  ['the last lines', 'one\ntwo\nthree\n', { textBytesMax: 10 }, { text: 'two\nthree\n', from: 4 }],
  ['the end of a line that is too long', `${'x'.repeat(5000)}end`, { textBytesMax: 10 }, { text: 'xxxxxxxend' }],
  ['up to half a sequence', 'one\x1b[3', {}, { text: 'one', nextCursor: 3 }],
  ['nothing of a full-screen program', 'menu', { isFullScreen: true }, { text: '', isFullScreen: true, nextCursor: 4 }],
])('[MCP-2] the end of an output is %s', (_, text, options, expected) =>
  expect(tailOf(text, options)).toMatchObject(expected),
);
