/**
 * Names and commands of sessions as the page shows them. Characters that change the direction of text, or are invisible, are
 * spelled out: `\u202egnp.exe` must not read as a picture. Keeps the last sentence of PAGE-8: such characters are spelled out.
 */
import type { SessionInfo } from '@spool/client';
import { visible } from '@spool/protocol/visible-text';

const COMMAND_CHARACTERS_MAX = 2_000;

/** Returns the name, preceded by that of its node. */
export function displayName({ name, node }: { readonly name: string; readonly node?: string }): string {
  return visible(node === undefined ? name : `${node}/${name}`);
}

/** Returns the command line as a user would type it. The shell that the page adds around a line is left out. */
export function lineOf(command: readonly string[]): string {
  const [shell, flag, line] = command;
  const isOurs = shell === '/bin/sh' && flag === '-c' && line !== undefined && command.length === 3;
  return visible((isOurs ? line : command.map(quoteWord).join(' ')).slice(0, COMMAND_CHARACTERS_MAX));
}

/** The agents, by the name that the daemon uses. */
export const AGENT_TITLES = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  grok: 'Grok',
  opencode: 'OpenCode',
} as const;

/**
 * Returns the command of a session. The arguments that a driver adds for its agent are left out, because they do not help a user.
 */
export function commandOf({ command, driver, size }: Pick<SessionInfo, 'command' | 'driver' | 'size'>): string {
  if (driver === undefined || size !== null) return lineOf(command);
  const { name } = driver;
  const title = Object.hasOwn(AGENT_TITLES, name) ? AGENT_TITLES[name as keyof typeof AGENT_TITLES] : visible(name);
  return `${title}, headless`;
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the end of a path, which is more informative than its beginning. */
export function folderOf(path: string): string {
  const names = path.split('/').filter(Boolean);
  return visible(names.length > 2 ? `…/${names.slice(-2).join('/')}` : path);
}
