/** Patterns of rules: words of a command, names of tools, paths. */
import { baseName } from './wrappers.ts';

/** `*` stands for any characters. Linear in both, whatever the pattern: no regular expression is built from it. */
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

const wordsOf = (pattern: string): string[] => pattern.trim().split(/\s+/);

/** Whether a rule allows exactly this: every word is known and named; `*` at the end stands for any further words. */
export function allows(pattern: string, words: readonly (string | undefined)[]): boolean {
  const wanted = wordsOf(pattern);
  const isOpen = wanted.length > 1 && wanted.at(-1) === '*';
  const named = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? words.length < named.length : words.length !== named.length) return false;
  // The name is never a pattern, and a path to a program is not its name.
  if (named[0] !== words[0]) return false;
  if (words.some((word) => word === undefined)) return false;
  return named.every((word, at) => at === 0 || matchesGlob(word, words[at]!));
}

/** Whether a rule denies this: by the program's name, wherever it lies, and its other words in this order, with any between. */
export function denies(pattern: string, words: readonly (string | undefined)[]): boolean {
  const [name = '', ...others] = wordsOf(pattern);
  const [first, ...rest] = words;
  if (first === undefined || !(matchesGlob(name, first) || matchesGlob(name, baseName(first)))) return false;
  let at = 0;
  for (const word of others) {
    if (word === '*') continue;
    while (at < rest.length && !(rest[at] !== undefined && matchesGlob(word, rest[at]!))) at++;
    if (at++ >= rest.length) return false;
  }
  return true;
}

/** The path with `.` and `..` resolved; undefined if it has characters that no path should have. */
export function plainPath(path: string, cwd: string): string | undefined {
  if (path === '' || /[\u0000-\u001f\u007f]/.test(path) || path.startsWith('~')) return undefined;
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** `**` stands for any path, `*` for any name in a folder. A relative pattern begins in the working folder. */
export function matchesPath(pattern: string, path: string, cwd: string): boolean {
  const whole = pattern.startsWith('/') ? pattern : plainPath(pattern, cwd);
  if (whole === undefined) return false;
  return pathParts(whole.split('/'), path.split('/'));
}

function pathParts(pattern: readonly string[], path: readonly string[]): boolean {
  // One row of the usual table: reached[n] says that the pattern so far covers the first n names.
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
