import { expect, test } from 'vitest';
import { clipboardKey } from './clipboard-keys.ts';

const key = (code: string, ...held: readonly ('ctrl' | 'shift' | 'alt' | 'meta')[]) => ({
  code,
  ctrlKey: held.includes('ctrl'),
  shiftKey: held.includes('shift'),
  altKey: held.includes('alt'),
  metaKey: held.includes('meta'),
});

test('[PAGE-73] Ctrl C copies while text is selected and interrupts otherwise; Ctrl V pastes', () => {
  expect(clipboardKey(key('KeyC', 'ctrl'), true)).toBe('copy');
  expect(clipboardKey(key('KeyC', 'ctrl'), false)).toBe(null);
  expect(clipboardKey(key('KeyC', 'ctrl', 'shift'), false)).toBe('copy');
  expect(clipboardKey(key('KeyC'), true)).toBe(null);
  expect(clipboardKey(key('KeyC', 'meta'), true)).toBe(null);
  expect(clipboardKey(key('KeyV', 'ctrl'), false)).toBe('paste');
  expect(clipboardKey(key('KeyV', 'ctrl', 'shift'), false)).toBe('paste');
  expect(clipboardKey(key('KeyV', 'ctrl', 'alt'), false)).toBe('literal');
  expect(clipboardKey(key('KeyX', 'ctrl'), true)).toBe(null);
});
