/**
 * Decides whether a command line of Claude Code shows its full-screen terminal and can run with hooks of ours. Pure. Keeps the
 * command-line part of CHAN-2: everything that is not listed here runs as it was typed.
 */

/** Options that change neither the hooks nor the kind of interface. Some have values, which are not read. */
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

/** A word that may be the name of a subcommand. */
const ONE_WORD = /^[a-z][a-z0-9-]*$/;

/** Returns the reason why this command line gets no hooks; null if it gets them. */
export function claudeArgumentsFault(words: readonly string[]): string | null {
  let isAfterOption = false;
  for (const word of words) {
    if (word === '--') return null;
    if (word.startsWith('-')) {
      const [name = ''] = word.split('=');
      if (!OPTIONS.has(name)) return `\`${name}\` is not known to work with hooks`;
      isAfterOption = name === word;
    } else {
      if (!isAfterOption && ONE_WORD.test(word)) return `\`${word}\` may be a subcommand of claude`;
      isAfterOption = false;
    }
  }
  return null;
}
