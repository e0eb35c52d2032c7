/**
 * Decides whether a command line of Claude Code shows its full-screen terminal and can run with hooks of ours. It is pure. Keeps
 * the command-line part of CHAN-2: a command line with anything that is not listed here runs as typed.
 */
import { argumentsFault } from './argument-check.ts';

/** Options without a value that change neither the hooks nor the kind of interface. */
const SWITCHES: ReadonlySet<string> = new Set([
  '--allow-dangerously-skip-permissions',
  '-c',
  '--continue',
  '--dangerously-skip-permissions',
  '--disable-slash-commands',
  '--fork-session',
  '--ide',
  '--strict-mcp-config',
  '--verbose',
]);
/** Such options with a value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '--add-dir',
  '--agent',
  '--agents',
  '--allowedTools',
  '--allowed-tools',
  '--append-system-prompt',
  '--autocompact',
  '--disallowedTools',
  '--disallowed-tools',
  '--effort',
  '--fallback-model',
  '--mcp-config',
  '--model',
  '-n',
  '--name',
  '--permission-mode',
  '-r',
  '--resume',
  '--session-id',
  '--system-prompt',
  '--tools',
]);

/** Returns the reason why this command line gets no hooks; null if it gets them. */
export function claudeArgumentsFault(words: readonly string[]): string | null {
  return argumentsFault({ program: 'claude', switches: SWITCHES, withValue: WITH_VALUE, channel: 'hooks' }, words);
}
