/**
 * JSON that is safe to print on a terminal: `JSON.stringify` escapes C0 controls, but not DEL, C1 controls and characters
 * that reorder text. Escaping these too does not change the value.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
