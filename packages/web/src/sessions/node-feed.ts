/** Keeps the nodes and their sessions in the store up to date. After a broken link they stay as they were last seen. */
import type { Client } from '@spool/client';
import { pageId } from '../link/session-place.ts';
import { type PageSession, setNodes } from './store.ts';

export async function followNodes(client: Pick<Client, 'nodes'>): Promise<void> {
  for await (const { nodes } of client.nodes.watch()) {
    const sessions: PageSession[] = [];
    for (const { info, sessions: own } of nodes.values())
      for (const session of own.values())
        sessions.push({
          ...session,
          id: pageId(info.name, session.id),
          node: info.name,
          ...(info.state === 'away' && { nodeAwaySince: info.since }),
        });
    setNodes(
      [...nodes.values()].map(({ info }) => info),
      sessions,
    );
  }
}
