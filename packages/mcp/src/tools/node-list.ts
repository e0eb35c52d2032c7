/** The nodes and their sessions, for spool_list. */
import type { Client, NodeSession } from '@spool/client/node';
import { listLine, oneLine, sessionData } from '../session-words.ts';

/** The maximum of sessions of all nodes together. */
const SHOWN_MAX = 100;

type Data = Readonly<Record<string, unknown>>;

export interface NodeList {
  readonly lines: readonly string[];
  readonly sessions: readonly Data[];
  readonly nodes: readonly Data[];
}

/** Lists the nodes, and their running sessions; with `all`, those that have ended too. */
export async function listNodes(client: Client, all: boolean): Promise<NodeList> {
  const [nodes, known] = await Promise.all([
    client.nodes.list(),
    client.nodes.sessions(all ? {} : { states: ['running'] }),
  ]);
  const afar = known.filter(({ node }) => node !== undefined);
  const shown = afar.slice(-SHOWN_MAX);
  return {
    lines: [
      ...nodes.map(({ name, state, since, version }) => {
        const when = new Date(since).toISOString();
        return `node ${oneLine(name)}: ${state} since ${when}, version ${oneLine(version ?? 'unknown')}`;
      }),
      ...shown.map((session) => `${session.node}/${listLine(session)}${awayWords(session)}`),
      ...(afar.length > shown.length ? [`${afar.length - shown.length} older sessions of nodes are not listed`] : []),
    ],
    sessions: shown.map((session) => ({
      ...sessionData(session),
      node: session.node,
      ...(session.nodeAwaySince !== undefined && { nodeAwaySince: session.nodeAwaySince }),
    })),
    nodes: nodes.map(({ name, state, since, version }) => ({
      name,
      state,
      since,
      ...(version !== null && { version }),
    })),
  };
}

function awayWords({ nodeAwaySince }: NodeSession): string {
  return nodeAwaySince === undefined ? '' : '; its node is away, so this is its last known state';
}
