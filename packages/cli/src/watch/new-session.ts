/** The session that the key `n` of `spool watch` starts: a command, or an agent with its first prompt, with name and folder. */
import { resolve } from 'node:path';

export interface NewSession {
  /** The agent without a terminal that is started; null for a command. */
  readonly agent: string | null;
  /** The command line, or the agent's first prompt. */
  readonly line: string;
  /** The name; if it is empty, that of the program. */
  readonly name: string;
  readonly folder: string;
}

/** Parses the typed lines: `npm test` is a command, and `@claude fix the tests` an agent with a prompt. */
export function parseNew(line: string, name: string, folder: string): NewSession {
  const [, agent, prompt] = /^\s*@([\w.-]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  const rest = { name: name.trim(), folder: folder.trim() };
  return agent === undefined ? { agent: null, line, ...rest } : { agent, line: (prompt ?? '').trim(), ...rest };
}

/** Returns the folder that is offered: the current one; on another machine none, which means the home folder there. */
export function folderAt(isRemote: boolean): string {
  return isRemote ? '' : process.cwd();
}

/** Returns the absolute path of a typed folder: `~` is the home folder, and an empty text the current one. */
export function localFolder(typed: string): string {
  const home = process.env['HOME'];
  return resolve(home === undefined ? typed : typed.replace(/^~(?=\/|$)/, home));
}
