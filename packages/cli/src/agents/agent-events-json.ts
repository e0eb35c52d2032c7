/**
 * Prints the stored events of an agent without a terminal, one per line: `spool events --agent --json`, `logs --json` and `attach
 * --json`.
 */
import type { Client } from '@spool/client/node';
import { jsonText } from '../output/json-text.ts';
import { writeText } from '../output/stdio.ts';

export interface AgentEventsOptions {
  /** Whether to continue until the agent has ended. */
  readonly follow: boolean;
  /** The time from which events are shown, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export async function printAgentEvents(
  client: Client,
  session: string,
  { follow, since = -Infinity, until = Infinity }: AgentEventsOptions,
): Promise<void> {
  await using events = client.watchEvents(session);
  for await (const item of events) {
    if (item.type === 'synced' && !follow) return;
    if (item.type === 'gap') await writeText(`${jsonText({ kind: 'gap', from: item.from, to: item.to })}\n`);
    if (item.type !== 'event' || item.event.at < since) continue;
    if (item.event.at > until) return;
    await writeText(`${jsonText(item.event)}\n`);
  }
}
