/**
 * Decides whether a command line of Gemini shows its terminal interface with a new chat, whose id can be chosen. It is pure. Keeps
 * the command-line part of CHAN-31: a command line with anything that is not listed here runs as typed.
 */
import { argumentsFault } from './argument-check.ts';

/** The options that change neither the chat nor the kind of interface. Some have values, which are not read. */
const OPTIONS: ReadonlySet<string> = new Set([
  '-m',
  '--model',
  '-i',
  '--prompt-interactive',
  '--skip-trust',
  '-y',
  '--yolo',
  '--approval-mode',
  '--policy',
  '--allowed-mcp-server-names',
  '--allowed-tools',
  '-e',
  '--extensions',
  '--include-directories',
  '--screen-reader',
]);

/** Returns the reason why this command line gets no side channel; null if it gets one. */
export function geminiArgumentsFault(words: readonly string[]): string | null {
  return argumentsFault({ program: 'gemini', options: OPTIONS, channel: 'a chat that Spool reads' }, words);
}
