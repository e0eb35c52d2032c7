/**
 * Parses a shell line that consists only of simple commands of literal words, joined by `|`, `&&`, `||` and `;`. Any other line is
 * refused with the reason. The accepted characters are listed; those with a meaning for a shell are not among them. Keeps POL-2.
 */

export interface LiteralCommand {
  readonly words: readonly string[];
  /** Whether its input comes from the command before it. */
  readonly isPiped: boolean;
}

export type LiteralLine =
  | { readonly commands: readonly LiteralCommand[] }
  /** The reason why the line is not understood, as the end of a sentence that begins with "the line". */
  | { readonly doubt: string };

/** The length beyond which a person would not read a line before allowing it. */
const LINE_CHARS_MAX = 4096;

/** Matches characters that no shell replaces, wherever they are in a word (except `=` as the first: zsh replaces `=ls`). */
const PLAIN = /^[A-Za-z0-9_./,:@%+=-]+/;
/** `HEAD~1`: every shell takes a tilde inside a word literally. */
const INNER_TILDE = /[A-Za-z0-9_@]$/;
/** The letters of scripts without invisible or look-alike blanks. Text in quotes may contain them. */
const LETTER = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\uac00-\ud7a3`;
/** A text in single quotes, without a backslash before the closing quote: fish takes the quote as text. */
const SINGLE = new RegExp(String.raw`^'((?:[ -&(-~${LETTER}]*[ -&(-\[\]-~${LETTER}])?)'`, 'u');
/** A text in double quotes, without `$`, backquote, backslash and `!`. */
const DOUBLE = new RegExp(String.raw`^"([ #%-\[\]-_a-~${LETTER}]*)"`, 'u');

const NAME = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;

/** The words with which bash, zsh, ksh or fish begin something other than a simple command. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'if then elif else fi for foreach in while until do done case esac select function time coproc repeat end nocorrect noglob ' +
    'begin switch and or not'
  ).split(' '),
);

export function readLiteralLine(text: string): LiteralLine {
  if (text.length > LINE_CHARS_MAX) return { doubt: 'is too long' };
  const commands: LiteralCommand[] = [];
  let words: string[] = [];
  let isPiped = false;
  let rest = text;
  for (;;) {
    rest = rest.replace(/^ +/, '');
    const joint = /^(?:&&|\|\||[|;])(?![&|;])/.exec(rest)?.[0];
    if (joint !== undefined || rest === '') {
      const doubt = faultOf(words);
      if (doubt !== undefined) return { doubt };
      commands.push({ words, isPiped });
      if (joint === undefined) return { commands };
      isPiped = joint === '|';
      words = [];
      rest = rest.slice(joint.length);
      continue;
    }
    const word = readWord(rest);
    if (typeof word === 'string') return { doubt: word };
    // The name must not be quoted: a plain name needs no second look.
    if (words.length === 0 && !NAME.test(word.source)) return { doubt: 'has a command whose name is not a plain word' };
    words.push(word.value);
    rest = rest.slice(word.source.length);
  }
}

function faultOf([name]: readonly string[]): string | undefined {
  if (name === undefined) return 'has an empty command';
  return KEYWORDS.has(name) ? `has the shell's word ${JSON.stringify(name)}` : undefined;
}

interface LiteralWord {
  readonly value: string;
  /** The word as written in the line. */
  readonly source: string;
}

/** Returns the word at the start of the text, or the fault in it. */
function readWord(text: string): LiteralWord | string {
  let value = '';
  let at = 0;
  while (at < text.length && !/[ |&;]/.test(text[at]!)) {
    const rest = text.slice(at);
    const plain = PLAIN.exec(rest)?.[0];
    if (plain !== undefined && !(at === 0 && plain.startsWith('='))) {
      value += plain;
      at += plain.length;
      continue;
    }
    if (rest[0] === '~' && INNER_TILDE.test(text.slice(0, at))) {
      value += '~';
      at += 1;
      continue;
    }
    const quoted = SINGLE.exec(rest) ?? DOUBLE.exec(rest);
    if (!quoted) return describeRest(rest);
    // Builtins evaluate some of their arguments: `test -v 'a[$(rm x)]'`.
    if (/\$[({]|`/.test(quoted[1]!)) return 'has a quoted text that a command may evaluate';
    value += quoted[1]!;
    at += quoted[0].length;
  }
  return at === 0 ? describeRest(text) : { value, source: text.slice(0, at) };
}

function describeRest(rest: string): string {
  const character = String.fromCodePoint(rest.codePointAt(0)!);
  if (character === "'" || character === '"') return 'has a quoted text that the shell may change';
  const shown = /[!-~]/.test(character)
    ? character
    : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return `has ${shown}, which is not part of a literal word`;
}
