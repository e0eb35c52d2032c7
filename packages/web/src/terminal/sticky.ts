/** Ctrl and Alt on a phone: one tap applies to the next key, two taps hold the modifier until a third. Keeps PAGE-12. */

export type Stickiness = 'off' | 'once' | 'locked';

export interface Sticky {
  readonly ctrl: Stickiness;
  readonly alt: Stickiness;
}

export const NOT_STICKY: Sticky = { ctrl: 'off', alt: 'off' };

export function tapped(now: Stickiness): Stickiness {
  return now === 'off' ? 'once' : now === 'once' ? 'locked' : 'off';
}

/** Returns the state after a key. */
export function used(sticky: Sticky): Sticky {
  const left = (now: Stickiness): Stickiness => (now === 'once' ? 'off' : now);
  return { ctrl: left(sticky.ctrl), alt: left(sticky.alt) };
}

/**
 * Returns typed text with the held modifiers. Only a single character is a key; a paste or a word of a keyboard's suggestion is
 * not.
 */
export function held(sticky: Sticky, text: string): string {
  if ([...text].length !== 1) return text;
  const character = sticky.ctrl === 'off' ? text : controlOf(text);
  return sticky.alt === 'off' ? character : `\x1b${character}`;
}

/** Returns the name of a key with the held modifiers, as `keys` takes it. */
export function heldName(sticky: Sticky, name: string): string {
  return `${sticky.ctrl === 'off' ? '' : 'C-'}${sticky.alt === 'off' ? '' : 'M-'}${name}`;
}

function controlOf(character: string): string {
  const code = character.toUpperCase().codePointAt(0)!;
  if (character === ' ') return '\x00';
  if (character === '?') return '\x7f';
  return code >= 0x40 && code < 0x60 ? String.fromCodePoint(code & 0x1f) : character;
}
