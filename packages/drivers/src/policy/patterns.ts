/** The patterns of rules: names of tools, words of a command, paths. */
import type { PolicyFiles } from './policy-files.ts';
import { expandHome, plainPath, realPath } from './real-path.ts';
import { baseName } from './wrappers.ts';

/**
 * Returns whether a text matches a pattern, in which `*` means any characters. The time is linear in both, whatever the pattern,
 * because no regular expression is built from it.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let from = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      from = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++from;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** A word of a pattern. In quotes, `*` is a star like any other character. */
export interface PatternWord {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** Returns the words of a rule's command: they are separated by blanks, with quotes around those that contain blanks. */
export function patternWords(pattern: string): PatternWord[] {
  const pieces = pattern.match(/'[^']*'(?=\s|$)|"[^"]*"(?=\s|$)|\S+/g) ?? [];
  return pieces.map((piece) => {
    const quoted = /^(['"])(.*)\1$/s.exec(piece);
    return quoted ? { text: quoted[2]!, isLiteral: true } : { text: piece, isLiteral: !piece.includes('*') };
  });
}

const matchesWord = ({ text, isLiteral }: PatternWord, word: string): boolean =>
  isLiteral ? text === word : matchesGlob(text, word);

/** Returns whether the words are those of the pattern, in number and order; `*` at the end stands for any further words. */
export function matchesCommand(pattern: readonly PatternWord[], words: readonly string[]): boolean {
  const isOpen = pattern.length > 1 && pattern.at(-1)!.text === '*' && !pattern.at(-1)!.isLiteral;
  const named = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? words.length < named.length : words.length !== named.length) return false;
  // The name is never a pattern, and a path to a program does not count as its name.
  return named.every((word, at) => (at === 0 ? word.text === words[0] : matchesWord(word, words[at]!)));
}

/** Returns the words of the command that a pattern with a folder covers: their real paths must be in that folder too. */
export function folderWords(
  pattern: readonly PatternWord[],
  words: readonly string[],
): [pattern: string, word: string][] {
  return pattern.flatMap(({ text, isLiteral }, at): [string, string][] =>
    at > 0 && !isLiteral && text.includes('/') && words[at] !== undefined ? [[text, words[at]!]] : [],
  );
}

/**
 * Returns whether a rule certainly applies: the program's name matches, in any folder, and its other words occur in this order,
 * with any words in between.
 */
export function meansCommand(pattern: readonly PatternWord[], words: readonly (string | undefined)[]): boolean {
  const [name, ...others] = pattern;
  const [first, ...rest] = words;
  if (!name || first === undefined || !(matchesWord(name, first) || matchesWord(name, baseName(first)))) return false;
  let at = 0;
  for (const word of others) {
    if (word.text === '*') continue;
    while (at < rest.length && !(rest[at] !== undefined && matchesWord(word, rest[at]!))) at++;
    if (at++ >= rest.length) return false;
  }
  return true;
}

/**
 * Returns whether a rule might apply to this command, whose words are all known: by another path to a program of this name, options
 * in one word, or a word inside another one.
 */
export function mightMeanCommand(pattern: readonly PatternWord[], words: readonly string[]): boolean {
  const [name, ...others] = pattern;
  const [first = '', ...rest] = words;
  if (!name || !matchesGlob(baseName(name.text).toLowerCase(), baseName(first).toLowerCase())) return false;
  return others.every(
    ({ text }) =>
      text === '*' ||
      rest.some((word) => (text.startsWith('-') && word.startsWith('-')) || matchesGlob(`*${text}*`, word)),
  );
}

/** Returns whether a command that runs others contains the program of a pattern somewhere in its words. */
export function mentionsProgram(pattern: readonly PatternWord[], words: readonly string[]): boolean {
  const name = baseName(pattern[0]?.text ?? '').toLowerCase();
  return words.some((word) => matchesGlob(`*${name}*`, word.toLowerCase()));
}

/** The target of a path, as it is written and as the kernel resolves it. */
export interface PathPlace {
  readonly plain: string;
  /** Returns all places that the path may refer to; undefined if they are unknown. */
  readonly real: readonly string[] | undefined;
}

export function locatePath(files: PolicyFiles, path: string, cwd: string): PathPlace {
  const real = realPath(files, path, cwd);
  const plain = plainPath(path, cwd);
  // If a link comes before `..`, a program that resolves `..` as text gets another place than the kernel.
  const realOfPlain = realPath(files, plain, '/');
  const isKnown = real !== undefined && realOfPlain !== undefined;
  return { plain, real: isKnown ? [...new Set([real, realOfPlain])] : undefined };
}

/** Returns whether an allowing pattern covers the path: it starts in the agent's folder, and every real place is in that folder. */
export function coversPath(files: PolicyFiles, pattern: string, place: PathPlace, folder: string): boolean {
  const expanded = expandHome(pattern, files.home);
  const base = realPath(files, folder, '/');
  if (expanded === undefined || base === undefined || !place.real) return false;
  const whole = plainPath(expanded, base).split('/');
  return place.real.every((real) => matchesParts(whole, real.split('/')));
}

/**
 * Returns whether a denying pattern covers the path: absolute patterns and those that begin with `**` apply everywhere, to any of
 * its names.
 */
export function meansPath(files: PolicyFiles, pattern: string, place: PathPlace, folder: string): boolean {
  const expanded = expandHome(pattern, files.home) ?? pattern;
  const whole = expanded.startsWith('**') ? `/${expanded}` : plainPath(expanded, folder);
  // The fixed start of the pattern may lead through links too.
  const parts = whole.split('/');
  const open = parts.findIndex((part) => part.includes('*'));
  const fixed = open < 0 ? parts : parts.slice(0, open);
  const realFixed = realPath(files, fixed.join('/') || '/', '/');
  const patterns = [parts];
  if (realFixed !== undefined)
    patterns.push([...(realFixed === '/' ? [''] : realFixed.split('/')), ...(open < 0 ? [] : parts.slice(open))]);
  return [place.plain, ...(place.real ?? [])].some((path) =>
    patterns.some((wanted) => matchesParts(wanted, path.split('/'))),
  );
}

/** `**` stands for any path, `*` for any name in a folder. */
function matchesParts(pattern: readonly string[], path: readonly string[]): boolean {
  // A row of the usual table: reached[n] is true if the pattern so far covers the first n names.
  let reached = [true, ...path.map(() => false)];
  for (const wanted of pattern) {
    const next = path.map(() => false);
    next.unshift(wanted === '**' && reached[0]!);
    for (let at = 0; at < path.length; at++)
      next[at + 1] = wanted === '**' ? reached[at + 1]! || next[at]! : reached[at]! && matchesGlob(wanted, path[at]!);
    reached = next;
  }
  return reached.at(-1)!;
}
