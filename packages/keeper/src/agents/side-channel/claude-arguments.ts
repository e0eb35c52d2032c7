/**
 * Decides whether a command line of Claude Code shows its full-screen terminal and can run with hooks of ours. It is pure. Keeps
 * the command-line part of CHAN-2: a command line with anything that is not listed here runs as typed.
 */
import { argumentsFault } from './argument-check.ts';

/** The options that change neither the hooks nor the kind of interface. Some have values, which are not read. */
const OPTIONS: ReadonlySet<string> = new Set([
  '--add-dir',
  '--agent',
  '--agents',
  '--allow-dangerously-skip-permissions',
  '--allowedTools',
  '--allowed-tools',
  '--append-system-prompt',
  '--autocompact',
  '-c',
  '--continue',
  '--dangerously-skip-permissions',
  '--disable-slash-commands',
  '--disallowedTools',
  '--disallowed-tools',
  '--effort',
  '--fallback-model',
  '--fork-session',
  '--ide',
  '--mcp-config',
  '--model',
  '-n',
  '--name',
  '--permission-mode',
  '-r',
  '--resume',
  '--session-id',
  '--strict-mcp-config',
  '--system-prompt',
  '--tools',
  '--verbose',
]);

/** Returns the reason why this command line gets no hooks; null if it gets them. */
export function claudeArgumentsFault(words: readonly string[]): string | null {
  return argumentsFault({ program: 'claude', options: OPTIONS, channel: 'hooks' }, words);
}
