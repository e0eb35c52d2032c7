/**
 * Decides whether a command line of OpenCode shows its full-screen terminal in the folder of the session, and can run with a port
 * of ours. It is pure. Keeps the command-line part of CHAN-2 for OpenCode: a command line with anything that is not listed here
 * runs as typed.
 */

/** The options without a value. */
const SWITCHES: ReadonlySet<string> = new Set(['--print-logs', '--pure', '-c', '--continue', '--fork', '--auto']);
/** The options with one value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '--log-level',
  '-m',
  '--model',
  '-s',
  '--session',
  '--prompt',
  '--agent',
]);
/** The variables that set the password of the user's own server. */
const OWN_SERVER = ['OPENCODE_SERVER_PASSWORD', 'OPENCODE_SERVER_USERNAME'];

/** Returns the reason why this command line gets no side channel; null if it gets one. */
export function opencodeArgumentsFault(words: readonly string[], env: Readonly<Record<string, string>>): string | null {
  const own = OWN_SERVER.find((name) => env[name] !== undefined);
  if (own !== undefined) return `${own} is set`;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [name = ''] = word.split('=');
    if (SWITCHES.has(word)) continue;
    if (!word.startsWith('-')) return `\`${word}\` may be a subcommand of opencode, or another folder`;
    if (!WITH_VALUE.has(name)) return `\`${name}\` is not known to work with a port that Spool connects to`;
    if (name === word && words[++at] === undefined) return `\`${name}\` has no value`;
  }
  return null;
}
