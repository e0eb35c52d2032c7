/** The sessions of nodes, for lists. It is loaded only if there are nodes, or one was chosen. */
import { askNodes } from '@spool/client/nodes';
import type { ListOptions, NodeSession, SessionInfo } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import type { ListQuery } from '../listing/filters.ts';

/** The time for which a list waits for a gateway that is being replaced. */
const GATEWAY_MS = 2000;

/** Returns the sessions of all nodes; null if no gateway runs that could list them. */
export async function sessionsOfNodes(
  asked: ListQuery,
  limit: number | undefined,
  asSeen: boolean,
): Promise<{ readonly sessions: readonly NodeSession[]; readonly matching: number } | null> {
  const ended: ListOptions | null =
    asked.ended === null || limit === 0
      ? null
      : { ...asked.ended, ...(limit !== undefined && { limit, order: 'newest' }) };
  const ask = { running: asked.running, ended, asSeen };
  const answer = await askNodes('sessions', ask, { waitMs: GATEWAY_MS }).catch(() => null);
  if (answer === null) return null;
  const sessions = answer.nodes.flatMap(({ node, state, since, sessions: own }) =>
    own.map((session) => ({ ...session, node, ...(state === 'away' && { nodeAwaySince: since }) })),
  );
  return { sessions, matching: answer.nodes.reduce((sum, { ended: matching }) => sum + matching, 0) };
}

/** Returns a session in the form for a table: each name can be copied into a command, and an offline node is shown as a trouble. */
export function asShown(session: NodeSession, now: number): SessionInfo {
  const { node, nodeAwaySince } = session;
  if (node === undefined) return session;
  const away = nodeAwaySince === undefined ? {} : { trouble: `away since ${shortDuration(now - nodeAwaySince)}` };
  return { ...session, id: `${node}/${session.id}`, name: `${node}/${session.name}`, ...away };
}
