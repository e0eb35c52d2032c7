/**
 * Finds control characters in a text for an input line. There they act as keys: they interrupt programs, end shells and run lines.
 */

/** Matches every control character except new line and tab. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Returns the first control character and its place; null if the text has none. */
export function findControlCharacter(text: string): { readonly character: string; readonly at: number } | null {
  const found = CONTROL.exec(text);
  return found === null ? null : { character: found[0], at: found.index };
}
