import { expect, test } from 'vitest';
import { commandOfLine, tooLong } from './command-line.ts';

test('[PIPE-2] a line is a command, with its own id or that of the line; a prompt gets a client id', () => {
  expect(commandOfLine('{"id":"a","do":"interrupt"}', 3)).toEqual({ id: 'a', command: { do: 'interrupt' } });
  expect(commandOfLine('{"do":"prompt","content":[{"type":"text","text":"hi"}]}', 3)).toMatchObject({
    id: 'line 3',
    command: { clientId: 'line 3' },
  });
});

test.each([
  ['not JSON', 'nonsense', 'not JSON'],
  ['not an object', '[1]', 'a command is an object'],
  ['unknown', '{"do":"fly"}', 'no such command'],
  ['with a wrong field', '{"do":"prompt","content":null,"clientId":"c"}', 'content'],
  ['with a field too many', '{"do":"interrupt","now":true}', 'interrupt'],
])('[PIPE-2] a line that is %s is refused in words', (_, line, words) => {
  const parsed = commandOfLine(line, 7);
  expect(parsed).toMatchObject({ id: 'line 7', refused: { message: expect.stringContaining(words) } });
});

test('[PIPE-2] a line that is too long is refused with its length', () => {
  expect(tooLong(2, 5_000_000)).toMatchObject({
    id: 'line 2',
    refused: { message: expect.stringContaining('5000000') },
  });
});
