import { expect, test } from 'vitest';
import { promptText, refuseLines } from './prompt-text.ts';

test.each([
  ['\x03', '\\x03'],
  ['ls\rrm -rf x', '\\x0d'],
  ['bye\x04', '\\x04'],
  ['\x1a', '\\x1a'],
  ['\x1b[201~rm', '\\x1b'],
  ['a\x7f', '\\x7f'],
  ['a\x00b', '\\x00'],
  ['a\u009b2J', '\\x9b'],
])('[IN-22] %j presses a key, and is refused with the byte', (text, byte) => {
  expect(() => promptText('sh', text)).toThrow(
    expect.objectContaining({ code: 'PROMPT_NOT_TEXT', details: expect.objectContaining({ byte }) as object }) as Error,
  );
});

test('[IN-22] every other character is text; line ends of Windows are new lines, and those at the end are dropped', () => {
  expect(promptText('sh', 'ein Käse 🧀\n\tzwei\r\ndrei\n\n')).toBe('ein Käse 🧀\n\tzwei\ndrei');
  for (let code = 0x20; code < 0x3000; code++) {
    const character = String.fromCharCode(code);
    if (code < 0x7f || code > 0x9f) expect(promptText('sh', character)).toBe(character);
  }
});

test('[IN-22] several lines are refused where each of them would be run', () => {
  const refused = expect.objectContaining({ code: 'PROMPT_HAS_LINES', details: { session: 'sh', lines: 2 } }) as Error;
  expect(() => refuseLines('sh', 'one\ntwo', { bracketedPaste: false })).toThrow(refused);
  expect(() => refuseLines('sh', 'one\ntwo', { bracketedPaste: true })).not.toThrow();
  expect(() => refuseLines('sh', 'one', { bracketedPaste: false })).not.toThrow();
});
