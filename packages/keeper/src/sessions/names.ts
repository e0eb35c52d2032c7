/**
 * Chooses the name of a session that was started without one: its program, with a number if that name is taken. Keeps NAME-1 and
 * NAME-40. Keeps TASK-10: tasks may have equal names, so the session of the second one gets a number.
 */
import type { RunRequest } from '@spool/protocol';

const NAME_CHARACTERS_MAX = 100;

/** Returns the first of `claude`, `claude-2`, `claude-3` that no running session has. The name of a task may be taken too. */
export function freeName(
  { command, name: asked, agent }: Pick<RunRequest, 'command' | 'name' | 'agent'>,
  taken: ReadonlySet<string>,
): string {
  const base = asked ?? agent?.name ?? programName(command);
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
  return name;
}

export function programName(command: readonly string[]): string {
  return command[0]!.split('/').at(-1)!.slice(0, NAME_CHARACTERS_MAX);
}
