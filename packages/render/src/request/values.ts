/** Writes the keys and values of a request, each so that it cannot be mistaken for another one. */
import { type VisibleText, visible } from '@spool/protocol/visible-text';

export const INDENT_CELLS = 2;

/** Matches a key that needs no quotes. Such a key contains none of the signs with which rows begin. */
const PLAIN_KEY = /^[\w$@./-]{1,60}$/;
/** Matches a word that a shell does not change. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Matches texts that would look like another kind of value, or whose ends would be invisible. */
const NEEDS_QUOTES = /^(?:|true|false|null|undefined|[-+.]?\d.*|["[{].*|\s.*|.*\s)$/su;

export function keyText(key: string): VisibleText {
  return PLAIN_KEY.test(key) ? visible(key) : quoteText(key);
}

/** Returns a text of one line: unchanged, or in quotes, as JSON. */
export function stringText(text: string): string {
  return NEEDS_QUOTES.test(text) ? JSON.stringify(text) : text;
}

/** Returns a path or a label for use in a sentence. */
export function wordOf(text: string): string {
  return PLAIN_WORD.test(text) ? text : JSON.stringify(text);
}

export function quoteText(text: string): VisibleText {
  return visible(JSON.stringify(text));
}

/** Returns the words of a command, each in quotes where a shell needs them: the limits between words are part of the command. */
export function joinCommand(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
