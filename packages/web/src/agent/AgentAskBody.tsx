/** The request of an agent without a terminal, for the card on the front page. Only the request itself is read. */
import { AgentHandle, type SessionInfo } from '@spool/client';
import { useMemo } from 'react';
import { client } from '../link/daemon.ts';
import { AgentAsks } from './AgentAsks.tsx';

export function AgentAskBody({ session }: { readonly session: SessionInfo }) {
  // A handle needs only the id.
  const agent = useMemo(() => new AgentHandle(client, session), [session.id]);
  return (
    <div className="agent-ask-body">
      <AgentAsks {...{ agent, session }} />
    </div>
  );
}
