/** Control characters in a text that is meant for an input line. There they are keys: they interrupt programs, end shells and run lines. */

/** Every control character but new line and tab. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Returns the first control character and its place; null if the text has none. */
export function findControlCharacter(text: string): { readonly character: string; readonly at: number } | null {
  const found = CONTROL.exec(text);
  return found === null ? null : { character: found[0], at: found.index };
}
