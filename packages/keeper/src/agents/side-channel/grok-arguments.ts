/**
 * Decides whether a command line of Grok shows its full-screen terminal and can run with a leader in its session. It is pure. Keeps
 * the command-line part of CHAN-2 for Grok: a command line with anything that is not listed here runs as typed.
 */

/** The options without a value. */
const SWITCHES: ReadonlySet<string> = new Set(['-c', '--continue', '--fullscreen', '--minimal', '--no-alt-screen']);
/** The options with one value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-m', '--model']);
/** Matches a word that may be the name of a subcommand. */
const ONE_WORD = /^[a-z][a-z0-9-]*$/;

/** Returns the reason why this command line gets no side channel; null if it gets one. */
export function grokArgumentsFault(words: readonly string[]): string | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [name = ''] = word.split('=');
    if (word === '--') return null;
    if (SWITCHES.has(word)) continue;
    if (!word.startsWith('-')) {
      if (ONE_WORD.test(word)) return `\`${word}\` may be a subcommand of grok`;
    } else if (!WITH_VALUE.has(name)) return `\`${name}\` is not known to work with a leader that Spool starts`;
    else if (name === word && words[++at] === undefined) return `\`${name}\` has no value`;
  }
  return null;
}
