import { expect, test } from 'vitest';
import { COMMAND_CHARACTERS_MAX, shownCommand } from './shown-command.ts';

test('a command of usual length is shown as it is', () => {
  expect(shownCommand(['git', 'commit', '-m', 'x'])).toEqual(['git', 'commit', '-m', 'x']);
});

test('a book is cut in the middle of a word, and what follows it is left out', () => {
  const shown = shownCommand(['claude', 'x'.repeat(COMMAND_CHARACTERS_MAX), 'after']);
  expect(shown).toHaveLength(2);
  expect(shown[1]!.endsWith('x…')).toBe(true);
  expect(shown.join(' ').length).toBeLessThanOrEqual(COMMAND_CHARACTERS_MAX + 1);
});
