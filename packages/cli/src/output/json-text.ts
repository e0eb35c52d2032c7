/**
 * JSON that is safe on a terminal too: `JSON.stringify` escapes C0 controls, but leaves DEL, C1 controls and the marks that
 * reorder text as they are. Escaped, they are the same JSON.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
