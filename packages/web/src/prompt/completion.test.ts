/** Tests the completion of prompts. */
import { expect, test } from 'vitest';
import { completed, completionPlace, matching } from './completion.ts';

test('a slash at the beginning is a command, an at sign after a space a file, anything else nothing', () => {
  expect(completionPlace('/mo', 3)).toEqual({ type: 'command', word: 'mo', from: 0 });
  expect(completionPlace('see @src/ca', 11)).toEqual({ type: 'file', word: 'src/ca', from: 4 });
  expect(completionPlace('/model opus', 11)).toBeNull();
  expect(completionPlace('a/b', 3)).toBeNull();
  expect(completionPlace('mail@example.com', 16)).toBeNull();
  expect(completionPlace('see @src then', 13)).toBeNull();
});

test('candidates that begin with the word come first', () => {
  expect(matching(['remodel', 'model', 'compact'], 'MO', 9)).toEqual(['model', 'remodel']);
  expect(matching(['a', 'ab', 'abc'], 'a', 2)).toEqual(['a', 'ab']);
});

test('the chosen candidate replaces the word before the caret; a folder can be continued', () => {
  const place = completionPlace('see @sr, please', 7)!;
  expect(completed('see @sr, please', 7, place, 'src/')).toEqual({ text: 'see @src/, please', caret: 9 });
  expect(completed('/mo', 3, completionPlace('/mo', 3)!, 'model')).toEqual({ text: '/model ', caret: 7 });
});
