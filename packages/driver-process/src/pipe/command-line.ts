/**
 * Reads lines of the input as commands. A command is one of the vocabulary (`protocol/agent/commands.ts`), with an `id` if the
 * program wants to find its refusal; a prompt without a `clientId` gets one. Keeps PIPE-2: any other line is refused with an
 * explanation.
 */
import { AGENT_COMMAND_SCHEMA } from '@spool/protocol/agent/command-schema';
import type { Command } from '@spool/protocol/agent';

/** The limit of a command, as in a session. */
export const COMMAND_BYTES_MAX = 1024 * 1024;
const ID_CHARACTERS_MAX = 200;

export type PipeInput =
  | { readonly id: string; readonly command: Command }
  | { readonly id: string; readonly refused: { readonly do: string; readonly message: string } };

export function commandOfLine(line: string, number: number): PipeInput {
  const unnamed = `line ${number}`;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: unnamed, refused: { do: '', message: 'this line is not JSON; send one command a line' } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: unnamed, refused: { do: '', message: 'a command is an object: {"do": "prompt", …}' } };
  const { id: named, ...asked } = value as { id?: unknown; do?: unknown; clientId?: unknown };
  const id = typeof named === 'string' && named !== '' ? named.slice(0, ID_CHARACTERS_MAX) : unnamed;
  const what = typeof asked.do === 'string' ? asked.do.slice(0, ID_CHARACTERS_MAX) : '';
  const command = what === 'prompt' && asked.clientId === undefined ? { ...asked, clientId: id } : asked;
  const result = AGENT_COMMAND_SCHEMA.safeParse(command);
  if (result.success) return { id, command: result.data };
  const [issue] = result.error.issues;
  const place = issue!.path.join('.');
  const message =
    place === 'do' || what === ''
      ? 'there is no such command; docs/agents.md has the list'
      : `${place === '' ? what : place}: ${issue!.message}`;
  return { id, refused: { do: what, message } };
}

export function tooLong(number: number, bytes: number): PipeInput {
  const message = `a command of ${bytes} bytes; at most ${COMMAND_BYTES_MAX} are possible`;
  return { id: `line ${number}`, refused: { do: '', message } };
}
