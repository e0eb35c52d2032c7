/** A session's command as lists and events show it. The length above which a command is truncated: a prompt may be a book. */
export const COMMAND_CHARACTERS_MAX = 16 * 1024;

export function shownCommand(command: readonly string[]): readonly string[] {
  let left = COMMAND_CHARACTERS_MAX;
  const end = command.findIndex((word) => (left -= word.length + 1) < 0);
  return end === -1 ? command : [...command.slice(0, end), `${command[end]!.slice(0, left + command[end]!.length)}…`];
}
