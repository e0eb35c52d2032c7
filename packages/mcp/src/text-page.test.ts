import { LineText } from '@spool/vt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PAGE_BYTES_MIN, TextPage } from './text-page.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Returns all pages of an output, read as an agent would: each from the cursor of the last one. */
function pagesOf(
  bytes: Uint8Array,
  { textBytesMax = PAGE_BYTES_MIN, pieceBytes = 1 << 20, isLast = true } = {},
): string[] {
  const texts: string[] = [];
  for (let cursor = 0; cursor < bytes.length;) {
    const page = new TextPage({ from: cursor, textBytesMax });
    for (let at = cursor; at < bytes.length && !page.isFull; at += pieceBytes)
      page.feed(bytes.subarray(at, at + pieceBytes), at);
    const { text, nextCursor } = page.end({ isLast });
    if (nextCursor <= cursor) break;
    texts.push(text);
    cursor = nextCursor;
  }
  return texts;
}

/** Returns the whole output, read at once. */
function wholeOf(bytes: Uint8Array): string {
  const text = new LineText({ skipAlternate: true });
  const lines = text.feed(bytes).map((line) => `${line.text.trimEnd()}\n`);
  return `${lines.join('')}${text.current}`;
}

const piece = fc.oneof(
  fc.constantFrom(
    'word ',
    '\r\n',
    '\n',
    '\x1b[31m',
    '\x1b[0m',
    'größe',
    '漢字',
    '👩‍🚀',
    '\x1b]0;title\x07',
    'x'.repeat(700),
    'ä'.repeat(600),
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
);

test('[MCP-2] pages read one after the other are the whole text, none larger than was asked for, at any cut', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: PAGE_BYTES_MIN, max: 3000 }),
      (pieces, pieceBytes, textBytesMax) => {
        const bytes = bytesOf(pieces.join(''));
        const pages = pagesOf(bytes, { textBytesMax, pieceBytes });
        expect(pages.join('')).toBe(wholeOf(bytes));
        for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(textBytesMax);
      },
    ),
    { numRuns: 200 },
  );
});

test('[MCP-2] a page ends behind a line where it can, and inside a line that is longer than a page', () => {
  const lines = bytesOf(Array.from({ length: 300 }, (_, at) => `line ${at}\r\n`).join(''));
  const pages = pagesOf(lines);
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) expect(page).toMatch(/^line \d+\n(?:line \d+\n)*$/);
  const long = pagesOf(bytesOf('ä'.repeat(20_000)));
  expect(long.join('')).toBe('ä'.repeat(20_000));
  expect(long.length).toBeGreaterThan(30);
});

test.each([
  ['a character', 'grün', bytesOf('grün').length - 2, 'gr'],
  ['an escape sequence', 'red: \x1b[31mhot', 7, 'red: '],
])('[MCP-2] the cursor never stands inside %s: its half is left for the next page', (_, text, cut, before) => {
  const bytes = bytesOf(text);
  const first = new TextPage({ from: 0, textBytesMax: 4096 });
  first.feed(bytes.subarray(0, cut), 0);
  const page = first.end();
  expect(page.text).toBe(before);
  const second = new TextPage({ from: page.nextCursor, textBytesMax: 4096 });
  second.feed(bytes.subarray(page.nextCursor), page.nextCursor);
  expect(page.text + second.end().text).toBe(wholeOf(bytes));
});

test('[MCP-2] a progress bar is its last state, however often it was drawn', () => {
  const bar = Array.from({ length: 1000 }, (_, at) => `\r${at / 10} % \x1b[K`).join('');
  expect(pagesOf(bytesOf(`begin\n${bar}\r100 %\x1b[K\ndone\n`))).toEqual(['begin\n100 %\ndone\n']);
});

test.each([
  ['goes on', 'ls\r\nfile\r\n', 'ls\nfile\n'],
  ['moves back to where it began, and writes again', 'lx\r\x1b[2Cls -l\r\n', 'ls -l\n'],
  ['is rewritten from its beginning', '\r100 %', '100 %'],
  ['ends at once', '\r\nnext', '\nnext'],
])('[MCP-2] a page that begins inside a line which %s', (_, output, expected) => {
  const page = new TextPage({ from: 2, textBytesMax: 4096, column: 2 });
  page.feed(bytesOf(output), 2);
  expect(page.end()).toMatchObject({ text: expected, nextCursor: 2 + bytesOf(output).length });
});

test('[MCP-2] a gap is told where it is', () => {
  const page = new TextPage({ from: 0, textBytesMax: 4096 });
  page.feed(bytesOf('one\ntw'), 0);
  page.gap(6, 1000);
  page.feed(bytesOf('three\n'), 1000);
  expect(page.end()).toMatchObject({
    text: 'one\ntw\n[the bytes from 6 to 1000 were already deleted]\nthree\n',
    nextCursor: 1006,
  });
});

test.each([
  ['plain text', 'a\nb\n', false, { isFullScreen: false, isRepainting: false }],
  ['a full-screen program that is on', '\x1b[?1049h\x1b[Hmenu', false, { text: '', isFullScreen: true }],
  ['one that was on and has ended', 'menu\x1b[?1049lback\n', true, { text: 'back\n', isFullScreen: false }],
  ['a program that draws over itself', 'a\nb\n\x1b[2Ac\nd\n\x1b[2Ae\nf\n\x1b[2Ag\n', false, { isRepainting: true }],
])('[MCP-2] %s is told as what it is', (_, output, isFullScreen, expected) => {
  const page = new TextPage({ from: 100, textBytesMax: 4096, isFullScreen });
  page.feed(bytesOf(output), 100);
  expect(page.end()).toMatchObject({ ...expected, nextCursor: 100 + bytesOf(output).length });
});

test('a few bytes that move far to the right do not make a page that is far too large', () => {
  const page = new TextPage({ from: 0, textBytesMax: PAGE_BYTES_MIN });
  for (let at = 0; at < 200 && !page.isFull; at++) page.feed(bytesOf('\x1b[16000Gx\n'), at * 10);
  expect(page.end().text.length).toBeLessThan(2 * PAGE_BYTES_MIN + 10);
});
