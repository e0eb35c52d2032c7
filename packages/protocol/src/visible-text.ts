/**
 * Makes text from an untrusted source (an agent, a model, a file, another user) safe to show. Characters that act on a terminal
 * or a page, have no shape, or look like a plain space are spelled out, never obeyed: `\e`, `\n`, `\u{200b}`. Only characters
 * that are listed as harmless pass. Keeps SHOW-1, REQ-2.
 */

declare const visibleMark: unique symbol;

/** Text that was returned by `visible`, or that the program itself has written. A plain string is not assignable to it. */
export type VisibleText = string & { readonly [visibleMark]: true };

/** The maximum of combining marks after one character. Languages need two or three; more of them would paint over other lines. */
const MARKS_MAX = 4;

/** Plain ASCII, which needs no further check. */
const PLAIN = /^[\u0020-\u007e]*$/;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Joiners that scripts need: inside an emoji, and between letters of scripts whose letters join. */
const JOINER = /[\u200c\u200d]/;
/** A variation selector that turns the previous sign into an emoji. */
const EMOJI_SIGN = '\ufe0f';

/**
 * Created when the first text needs them: their Unicode tables take 4 ms, which every command that prints a plain line would pay.
 */
let patterns: ReturnType<typeof patternsOfUnicode> | undefined;

function patternsOfUnicode() {
  const scripts = 'Arabic Syriac Devanagari Bengali Tamil Malayalam Sinhala Kannada Telugu'.split(' ');
  const joining = `\\p{Extended_Pictographic}${scripts.map((script) => `\\p{Script=${script}}`).join('')}`;
  return {
    /**
     * The characters that are spelled out: control and format characters, surrogates, private and unassigned code points; every
     * space except the plain one; everything that Unicode allows to be left out of the display; the blank of Braille.
     */
    spelled: /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800]/gu,
    joinsBefore: new RegExp(`[\\p{Emoji_Modifier}\\ufe0f${joining}]$`, 'u'),
    joinsAfter: new RegExp(`^[${joining}]`, 'u'),
    takesEmojiSign: /[\p{Extended_Pictographic}\u0023\u002a\u0030-\u0039]$/u,
    marks: new RegExp(`^\\p{M}|(?<=\\p{M}{${MARKS_MAX}})\\p{M}`, 'gu'),
  };
}

/** Returns one line in which every character is visible. Line breaks are spelled out too. */
export function visible(text: string): VisibleText {
  if (PLAIN.test(text)) return text as VisibleText;
  const { spelled, marks } = (patterns ??= patternsOfUnicode());
  // Half a character at the end of a truncated text is spelled out like any other.
  return text
    .replaceAll(spelled, (character, at: number) => (isWriting(character, at, text) ? character : spell(character)))
    .replaceAll(marks, spell) as VisibleText;
}

/** Returns whether a character without a shape belongs to the text around it. */
function isWriting(character: string, at: number, text: string): boolean {
  const { takesEmojiSign, joinsBefore, joinsAfter } = (patterns ??= patternsOfUnicode());
  const before = text.slice(Math.max(0, at - 4), at);
  if (character === EMOJI_SIGN) return takesEmojiSign.test(before);
  if (!JOINER.test(character)) return false;
  return joinsBefore.test(before) && joinsAfter.test(text.slice(at + 1, at + 3));
}

function spell(character: string): string {
  const code = character.codePointAt(0)!;
  if (NAMED[character] !== undefined) return NAMED[character];
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Returns a title or a subject: one line without blanks around it. A line break inside is the sign `⏎`, so that two commands never
 * read as one. A longer text ends with the exact number of characters that are left out.
 */
export function visibleTitle(text: string, charactersMax: number): VisibleText {
  const line = text.trim();
  const kept = line.length > charactersMax ? cutAt(line, charactersMax) : line;
  const shown = kept
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((part) => visible(part.replaceAll('\t', ' ')))
    .join(' ⏎ ');
  const rest = line.length - kept.length;
  return (rest === 0 ? shown : `${shown}… (+${rest} characters)`) as VisibleText;
}

/** Returns the beginning of a text without half a character at its end. */
function cutAt(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** Joins visible texts: the words of the program itself, with visible values in them. */
export function say(words: TemplateStringsArray, ...values: readonly (VisibleText | number)[]): VisibleText {
  return words.map((word, at) => (at === 0 ? word : `${values[at - 1]}${word}`)).join('') as VisibleText;
}
