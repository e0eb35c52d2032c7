/** Which permission or question a verb means: of a session, or of the session that has waited longest. */
import { AgentHandle, type AgentEvent, type Client } from '@spool/client/node';
import { UsageError } from '../command-line/usage-error.ts';
import type { VerbName } from '../command-line/verb-table.ts';

export type Asked = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

export interface Found {
  readonly agent: AgentHandle;
  readonly ask: Asked;
}

/** Throws when nothing of this kind waits. */
export async function findAsk(
  client: Client,
  verb: VerbName,
  kind: Asked['kind'],
  { session, request }: { readonly session: string | undefined; readonly request: string | undefined },
): Promise<Found> {
  const agents = session === undefined ? await blockedAgents(client) : [await client.openAgent(session)];
  for (const agent of agents) {
    const asks = (await agent.pending()).filter((ask) => ask.kind === kind);
    const ask = request === undefined ? asks[0] : asks.find((each) => each.request === request);
    if (ask) return { agent, ask };
  }
  const what = kind === 'question.asked' ? 'question' : 'permission';
  const which = request === undefined ? `no ${what} is waiting` : `no ${what} ${JSON.stringify(request)} is waiting`;
  const [agent] = agents;
  throw new UsageError(
    session === undefined || !agent ? which : `${which} in ${JSON.stringify(agent.info.name)}`,
    verb,
  );
}

/** The one that has waited longest first. */
async function blockedAgents(client: Client): Promise<readonly AgentHandle[]> {
  const sessions = await client.list({ states: ['running'], statuses: ['blocked'] });
  return sessions
    .filter(({ driver }) => driver !== undefined)
    .toSorted((a, b) => a.status.since - b.status.since)
    .map((info) => new AgentHandle(client, info));
}

/** The id of the option that the user means. */
export function optionOf(ask: Asked, text: string | undefined, verb: VerbName): string | undefined {
  if (text === undefined || ask.kind !== 'permission.requested') return undefined;
  const found = ask.options.find(({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase());
  if (found) return found.id;
  const known = ask.options.map(({ id, label }) => `${id} (${label})`).join(', ');
  throw new UsageError(`unknown option ${JSON.stringify(text)}; use one of: ${known}`, verb);
}
