/**
 * A pattern of a rule file, restricted so that no screen can hang it. Keeps the last part of STATE-3.
 *
 * V8 backtracks, and falls back to its linear engine only where the process has enabled that
 * (`--enable-experimental-regexp-engine-on-excessive-backtracks`) and the pattern has nothing that the engine does not
 * support: look-around, back-references, counted repeats. So those are refused. Patterns that backtrack exponentially
 * even without them, a repeat or an alternative inside a repeated group, are refused as well: then a process without
 * the flag is slow at worst.
 */
export const PATTERN_CHARACTERS_MAX = 200;
/** In front of a pattern: capital and small letters are the same. */
const ANY_CASE = '(?i)';

/** The pattern, or the reason why it is refused. */
export function rulePattern(source: unknown): RegExp | string {
  if (typeof source !== 'string' || source === '') return 'a pattern must be text that is not empty';
  if (source.length > PATTERN_CHARACTERS_MAX) return `a pattern has at most ${PATTERN_CHARACTERS_MAX} characters`;
  const isAnyCase = source.startsWith(ANY_CASE);
  const body = isAnyCase ? source.slice(ANY_CASE.length) : source;
  if (body === '') return 'a pattern must be text that is not empty';
  const refused = refusal(body);
  if (refused !== undefined) return refused;
  try {
    return new RegExp(body, isAnyCase ? 'i' : '');
  } catch (error) {
    return (error as Error).message;
  }
}

interface Group {
  /** Whether some part can match in several ways: a repeat, or an alternative. */
  isManifold: boolean;
}

/** One pass over the source; what it cannot parse, the constructor of RegExp refuses later. */
function refusal(source: string): string | undefined {
  const open: Group[] = [{ isManifold: false }];
  let closed: Group | undefined;
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    const last = closed;
    closed = undefined;
    if (character === '\\') {
      const next = source[++at] ?? '';
      if (/[1-9k]/.test(next)) return 'back-references are not supported';
    } else if (character === '[') {
      at = classEnd(source, at);
    } else if (character === '(') {
      if (/^\(\?<?[=!]/.test(source.slice(at, at + 4))) return 'look-around is not supported';
      open.push({ isManifold: false });
      if (source[at + 1] === '?') at++; // not a repeat, but (?: or (?<name>
    } else if (character === ')') {
      closed = open.length > 1 ? open.pop()! : undefined;
      if (closed?.isManifold) open.at(-1)!.isManifold = true;
    } else if (character === '|') {
      open.at(-1)!.isManifold = true;
    } else if (character === '{') {
      return 'counted repeats are not supported: write the characters out, or escape the brace';
    } else if (character === '*' || character === '+' || character === '?') {
      if (character !== '?' && last?.isManifold)
        return 'a repeated group may hold neither a repeat nor an alternative: it could run forever';
      open.at(-1)!.isManifold = true;
      if (source[at + 1] === '?') at++; // lazy
    }
  }
  return undefined;
}

function classEnd(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at;
}
