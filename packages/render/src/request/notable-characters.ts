/**
 * Lists the characters about which a reader of a request must be warned: characters without a shape, which are spelled out, and
 * letters of another alphabet among Latin ones. Keeps REQ-2.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';

const LISTED_MAX = 12;

/** Words as a reader sees them, in which a Latin letter may be next to a letter that looks like one. */
const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /[A-Za-z]/;
/** Alphabets with letters that look like Latin ones. */
const ALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Osage}]/u;
const NOT_ASCII = /[^\u0000-\u007f]/gu;
/**
 * Matches a character of ASCII. Unicode defines some other characters as forms of these: full-width letters, a Greek question mark
 * that is a semicolon.
 */
const ASCII_SIGN = /^[!-~]$/;

/** Returns one line for each kind of notable character, or an empty list. */
export function characterNotes(texts: readonly string[]): VisibleText[] {
  const spelled = new Set<string>();
  const alike = new Set<string>();
  for (const text of texts) {
    for (const character of spelledIn(text)) spelled.add(character);
    for (const character of alikeIn(text)) alike.add(character);
  }
  return [
    ...(spelled.size === 0 ? [] : [say`characters that cannot be seen are spelled out: ${listText(spelled)}`]),
    ...(alike.size === 0 ? [] : [say`contains look-alike letters: ${listText(alike)}`]),
  ];
}

/**
 * Returns the characters that are spelled out: all that `visible` changes, except line breaks and tabs, which have a place in the
 * rows.
 */
function spelledIn(text: string): readonly string[] {
  const shown = visible(text);
  if (shown === text) return [];
  const characters = new Set(text);
  return [...characters].filter(
    (character) =>
      character !== '\n' && character !== '\t' && isSpelled(character) && shown.includes(visible(character)),
  );
}

const isSpelled = (character: string): boolean => visible(character) !== character;

function alikeIn(text: string): readonly string[] {
  const characters = new Set(text.match(NOT_ASCII));
  if (characters.size === 0) return [];
  const found = [...characters].filter((character) => ASCII_SIGN.test(character.normalize('NFKC')));
  for (const [word] of text.matchAll(WORDS))
    if (LATIN.test(word)) for (const character of new Set(word)) if (ALIKE.test(character)) found.push(character);
  return found;
}

function listText(characters: ReadonlySet<string>): VisibleText {
  const listed = [...characters].slice(0, LISTED_MAX).map((character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return say`${visible(character)} ${visible(`U+${code}`)}`;
  });
  const more = characters.size - listed.length;
  return visible(`${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
}
