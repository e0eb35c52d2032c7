/** Tests that Markdown in pieces is the same as Markdown at once, and that complete blocks are not read again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleLines } from '../visible-lines.ts';
import { blocksOf } from './blocks.ts';
import { StreamedMarkdown } from './streamed-markdown.ts';

const line = fc.constantFrom(
  '',
  '# Title',
  'text',
  'a | b',
  '--- | ---',
  '- item',
  '  - inner',
  '    indented',
  '> quote',
  '```js',
  '```',
  '===',
  '\ttab',
  '1. one',
);
const text = fc
  .array(line, { maxLength: 25 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

test('[SHOW-2] Markdown that arrives in any pieces has the same blocks as at once, after every piece', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 20 }), (whole, cuts) => {
      const streamed = new StreamedMarkdown();
      for (const cut of [...cuts.toSorted((a, b) => a - b), whole.length]) {
        const part = whole.slice(0, cut);
        // A carriage return at the end may become the half of a line end.
        if (part.endsWith('\r')) continue;
        expect(streamed.take(part)).toEqual(blocksOf(visibleLines(part)));
      }
    }),
    { numRuns: 500 },
  );
});

test('[SHOW-2] a block that is complete stays the same object while more text arrives', () => {
  const streamed = new StreamedMarkdown();
  let so = '';
  let before: readonly unknown[] = [];
  for (let at = 0; at < 200; at++) {
    so += `Paragraph ${at} with words.\n\n\`\`\`js\nlet a = ${at};\n\`\`\`\n\n`;
    const blocks = streamed.take(so);
    const kept = before.slice(0, -1);
    expect(kept.filter((block, place) => blocks[place] !== block)).toEqual([]);
    before = blocks;
  }
});

test('a text that does not continue the last one is read from its beginning', () => {
  const streamed = new StreamedMarkdown();
  streamed.take('# One\n\ntext');
  expect(streamed.take('# Two')).toEqual(blocksOf(['# Two']));
});
