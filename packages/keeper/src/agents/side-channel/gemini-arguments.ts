/**
 * Decides whether a command line of Gemini shows its terminal interface with a new chat, whose id can be chosen. It is pure. Keeps
 * the command-line part of CHAN-31: a command line with anything that is not listed here runs as typed.
 */
import { argumentsFault } from './argument-check.ts';

/** Options without a value that change neither the chat nor the kind of interface. */
const SWITCHES: ReadonlySet<string> = new Set(['--skip-trust', '-y', '--yolo', '--screen-reader']);
/** Such options with a value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-m',
  '--model',
  '-i',
  '--prompt-interactive',
  '--approval-mode',
  '--policy',
  '--allowed-mcp-server-names',
  '--allowed-tools',
  '-e',
  '--extensions',
  '--include-directories',
]);

/** Returns the reason why this command line gets no side channel; null if it gets one. */
export function geminiArgumentsFault(words: readonly string[]): string | null {
  const known = { program: 'gemini', switches: SWITCHES, withValue: WITH_VALUE, channel: 'a chat that Spool reads' };
  return argumentsFault(known, words);
}
