/** What an agent without a terminal asks, for the card on the front page. */
import type { SessionInfo } from '@spool/client';
import { useRef } from 'react';
import { AgentAsks } from './AgentAsks.tsx';
import { useAgent } from './use-agent.ts';
import { useCells } from './use-cells.ts';

export function AgentAskBody({ session }: { readonly session: SessionInfo }) {
  const { agent, transcript, isLoaded, trouble } = useAgent(session);
  const box = useRef<HTMLDivElement>(null);
  const width = useCells(box);
  return (
    <div ref={box} className="agent-ask-body">
      {isLoaded ? (
        <AgentAsks agent={agent} pending={transcript.pending} width={width} />
      ) : (
        <p className="question">{session.status.question?.text ?? session.status.why}</p>
      )}
      {trouble !== null && <p role="alert">{trouble}</p>}
    </div>
  );
}
