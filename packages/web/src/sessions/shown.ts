/**
 * Names and commands of sessions as the page shows them. What would change the direction of text, or cannot be seen, is spelled
 * out: `\u202egnp.exe` must not read as a picture. Keeps that part of PAGE-8.
 */
import type { SessionInfo } from '@spool/client';
import { visible } from '@spool/render/visible-text';

const COMMAND_CHARACTERS_MAX = 2_000;

export function nameOf({ name }: { readonly name: string }): string {
  return visible(name);
}

/** As one would type it. The shell that the page puts around a line is left out. */
export function lineOf(command: readonly string[]): string {
  const [shell, flag, line] = command;
  const isOurs = shell === '/bin/sh' && flag === '-c' && line !== undefined && command.length === 3;
  return visible((isOurs ? line : command.map(quoted).join(' ')).slice(0, COMMAND_CHARACTERS_MAX));
}

/** What a session runs. The arguments with which a driver starts its agent say nothing to a user. */
export function commandOf({ command, driver }: Pick<SessionInfo, 'command' | 'driver'>): string {
  return driver === undefined ? lineOf(command) : `${driver.name}, as an agent without a terminal`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The end of a path says more than its beginning. */
export function folderOf(path: string): string {
  const names = path.split('/').filter(Boolean);
  return visible(names.length > 2 ? `…/${names.slice(-2).join('/')}` : path);
}
