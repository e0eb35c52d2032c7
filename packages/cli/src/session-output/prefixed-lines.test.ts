import { expect, test } from 'vitest';
import { colouredText } from './coloured-text.ts';
import { LinePrinter } from './line-printer.ts';
import { PrefixedLines } from './prefixed-lines.ts';

test('[PAST-42] each whole line begins with the name of its session, whatever the pieces are', async () => {
  let text = '';
  const lines = new PrefixedLines('api', 5, async (more) => void (text += more));
  for (const piece of ['one\ntw', 'o', '\n', '', 'three']) await lines.write(piece);
  expect(text).toBe('api   | one\napi   | two\n');
  await lines.end();
  await lines.end();
  expect(text).toBe('api   | one\napi   | two\napi   | three\n');
});

test('[PAST-41] a line is printed with its colours where they are known, and begins and ends plain', async () => {
  let text = '';
  const printer = new LinePrinter(async (more) => void (text += more), { textOf: colouredText });
  const red = { fg: 0x100_0001, bg: 0, underline: 0, underlineColour: 0, link: 0 };
  const runs = [{ text: 'red', cells: 3, style: {}, attributes: red }];
  await printer.print([
    { text: 'red', at: 0, rows: [{ isWrapped: false, runs }] },
    { text: 'plain', at: 0 },
  ]);
  await printer.end();
  expect(text).toBe('\x1b[31mred\x1b[m\nplain\n');
});
