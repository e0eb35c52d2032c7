/**
 * Creates the event of a command that is refused. The command may be anything, because a log can contain one that was never valid.
 */
import { AGENT_ID_CHARS_MAX, type AgentBody, type Command } from '@spool/protocol/agent';
import type { CommandInput } from '../dialect.ts';
import { objectOf, present, textOf } from '../json-value.ts';
import type { Ledger } from './ledger.ts';

type RefusedBody = Extract<AgentBody, { readonly kind: 'command.refused' }>;

export type CommandRefusal = Pick<RefusedBody, 'code' | 'message'>;

export function refuseCommand(ledger: Ledger, { command, id, by }: CommandInput, refusal: CommandRefusal): void {
  const said = objectOf(command);
  const word = (value: unknown): string | undefined => textOf(value)?.slice(0, AGENT_ID_CHARS_MAX);
  ledger.emit({
    kind: 'command.refused',
    command: word(id) ?? '',
    do: (word(said.do) ?? 'unknown') as Command['do'],
    ...refusal,
    ...present({ request: word(said.request), clientId: word(said.clientId), by: word(by) }),
  });
}
