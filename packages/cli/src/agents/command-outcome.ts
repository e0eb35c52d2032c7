/**
 * Finds the outcome of a command: the driver accepts or refuses it, and the agent may react. Keeps EVT-13 in the verbs: none
 * reports more than is known.
 */
import type { AgentEvent, AgentHandle, Client } from '@spool/client/node';

type SentCommand = Awaited<ReturnType<AgentHandle['command']>>;

export interface CommandOutcome {
  /** Whether the driver has accepted it. */
  readonly isTaken: boolean;
  /** The reason why the driver did not carry it out. */
  readonly refusal: string | null;
  /** The first event, from that record on, for which `isReaction` was true. */
  readonly reaction: AgentEvent | null;
}

/** Waits for the driver to accept the command and, if requested, for a reaction; at most `withinMs`. */
export async function commandOutcome(
  client: Client,
  session: string,
  { id, offset, isRepeated }: SentCommand,
  options: { readonly withinMs: number; readonly isReaction?: (event: AgentEvent) => boolean },
): Promise<CommandOutcome> {
  const { withinMs, isReaction } = options;
  const records = client.watchRecords(session, isRepeated ? {} : { from: offset });
  const timer = setTimeout(() => records.close(), withinMs);
  let place = isRepeated ? -1 : offset;
  let isTaken = false;
  try {
    for await (const item of records) {
      if (item.type === 'exit') break;
      if (item.type !== 'record') continue;
      const { record } = item;
      if (record.type === 'command' && record.id === id) place = item.offset;
      if (record.type !== 'batch') continue;
      isTaken ||= record.inputs.some((input) => 'command' in input && input.command === place);
      for (const event of record.events)
        if (event.kind === 'command.refused' && event.command === id)
          return { isTaken, refusal: event.message, reaction: null };
      const reaction = isTaken ? record.events.find((event) => isReaction?.(event)) : undefined;
      if (reaction) return { isTaken, refusal: null, reaction };
      if (isTaken && !isReaction) break;
    }
  } finally {
    clearTimeout(timer);
    records.close();
  }
  return { isTaken, refusal: null, reaction: null };
}

/** Returns the words of a status about an input that is closed or not read; null if the input works. */
export function inputTrouble({ why }: { readonly why: string }): string | null {
  return /the agent (?:has closed|does not read) its input(?: since \S+)?/.exec(why)?.[0] ?? null;
}
