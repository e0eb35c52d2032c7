/** The name of a session that was started without one: its program, with a number where that name is taken. Keeps NAME-1. */
import type { RunRequest } from '@spool/protocol';

const NAME_CHARACTERS_MAX = 100;

/** `claude`, `claude-2`, `claude-3`: the first that no running session has. */
export function freeName({ command }: Pick<RunRequest, 'command'>, taken: ReadonlySet<string>): string {
  const program = programName(command);
  let name = program;
  for (let number = 2; taken.has(name); number++) name = `${program}-${number}`;
  return name;
}

export function programName(command: readonly string[]): string {
  return command[0]!.split('/').at(-1)!.slice(0, NAME_CHARACTERS_MAX);
}
