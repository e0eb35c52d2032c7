import { expect, test } from 'vitest';
import { held, heldName, NOT_STICKY, type Sticky, tapped, used } from './sticky.ts';

const CTRL: Sticky = { ctrl: 'once', alt: 'off' };
const ALT: Sticky = { ctrl: 'off', alt: 'once' };

test.each([
  [CTRL, 'c', '\x03'],
  [CTRL, 'C', '\x03'],
  [CTRL, '[', '\x1b'],
  [CTRL, ' ', '\x00'],
  [CTRL, 'é', 'é'],
  [CTRL, '1', '1'],
  [CTRL, 'a word', 'a word'],
  [ALT, 'x', '\x1bx'],
  [{ ctrl: 'locked', alt: 'locked' } as Sticky, 'x', '\x1b\x18'],
  [NOT_STICKY, 'x', 'x'],
])('%j and %j send %j', (sticky, text, expected) => expect(held(sticky, text)).toBe(expected));

test('one tap is for one key, two taps stay, a third ends it', () => {
  expect(used(CTRL)).toEqual(NOT_STICKY);
  const locked = tapped(tapped('off'));
  expect(used({ ctrl: locked, alt: 'off' }).ctrl).toBe('locked');
  expect(tapped(locked)).toBe('off');
  expect(heldName(CTRL, 'Up')).toBe('C-Up');
});
