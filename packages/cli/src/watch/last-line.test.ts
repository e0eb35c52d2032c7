import { expect, test } from 'vitest';
import { lastLineOf } from './last-line.ts';

test.each([
  ['a plain program', 'compiling part 1\ncompiling part 2\n\n\n', 'compiling part 2'],
  ['a shell', 'done\nuser@host:~/x$ ', 'user@host:~/x$'],
  [
    'an agent with lines around its input',
    '● I fixed the parser.\n\n──────────────────\n❯ Try "refactor"\n──────────────────\n  ? for shortcuts\n\n  ctx 40 %',
    '● I fixed the parser.',
  ],
  [
    'an agent with a box',
    '✦ All tests pass.\n\n╭────────────────╮\n│ >   Type here  │\n╰────────────────╯\n ~/x   no sandbox',
    '✦ All tests pass.',
  ],
  ['an agent with a sign', '• Ran npm test\n\n› Explain this codebase\n\n  gpt-5 · 80% left', '• Ran npm test'],
  ['an agent with a bar', 'All done.\n\n  ┃\n  ┃  Ask anything\n  ┃\n  ctrl+x help', 'All done.'],
  ['an empty agent', '──────────────────\n❯ \n──────────────────\n', ''],
  ['a quotation', '> quoted text\nand the answer', 'and the answer'],
  ['blanks in the middle', 'left                right', 'left  right'],
  ['nothing', '\n\n', ''],
])('[WATCH-2] %s: the last line above the input box', (_what, text, line) => {
  expect(lastLineOf(text)).toBe(line);
});
