/** `spool events --agent`: the stored events of agents without a terminal, from the beginning. */
import type { Client } from '@spool/client/node';
import { jsonText } from '../output/json-text.ts';
import { writeText } from '../output/stdio.ts';
import { eventText } from './event-text.ts';

/** With `follow`, until the agent has ended. */
export async function printAgentEvents(
  client: Client,
  session: string,
  { follow, asJson }: { readonly follow: boolean; readonly asJson: boolean },
): Promise<void> {
  const agent = await client.openAgent(session);
  await using events = client.watchEvents(agent.id);
  for await (const item of events) {
    if (item.type === 'synced' && !follow) return;
    if (item.type === 'gap' && asJson) await writeText(`${jsonText({ kind: 'gap', from: item.from, to: item.to })}\n`);
    if (item.type !== 'event') continue;
    const text = asJson ? jsonText(item.event) : eventText(item.event);
    if (text !== null) await writeText(`${text}\n`);
  }
}
