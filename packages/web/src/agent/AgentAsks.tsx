/**
 * The longest waiting request of an agent, whole, with buttons that answer it. The first answer wins, and the second user sees
 * who was first. Keeps PAGE-15 and REQ-1 on the page.
 */
import type { AgentHandle, Decided, SessionInfo } from '@spool/client';
import { visibleTitle } from '@spool/protocol';
import { useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { OneRequest } from './OneRequest.tsx';
import { useRequest } from './use-request.ts';

const WHO_CHARACTERS_MAX = 120;

interface AsksProps {
  readonly agent: AgentHandle;
  readonly session: SessionInfo;
  /** Called when this client's answer was accepted. */
  readonly onAnswered?: () => void;
}

export function AgentAsks({ agent, session, onAnswered }: AsksProps) {
  const [told, setTold] = useState<string | null>(null);
  const shown = useRequest(session);
  const decide = (decided: Promise<Decided>): void => {
    setTold(null);
    decided.then(
      (how) => {
        setTold(how.isOurs ? null : lateWords(how));
        if (how.isOurs) onAnswered?.();
      },
      (error: unknown) => setTold(sentenceOf(error)),
    );
  };
  return (
    <>
      {shown !== null && (
        // Each request has its own element, so that a button of one never becomes a button of the next.
        <OneRequest
          key={shown.open.digest}
          {...{ agent, shown }}
          title={session.status.question?.text ?? session.status.why}
          others={(session.status.requests?.length ?? 1) - 1}
          hasKeys={onAnswered !== undefined}
          onDecided={decide}
        />
      )}
      {told !== null && (
        <p className="answering" role="status">
          {told}
        </p>
      )}
    </>
  );
}

function lateWords({ outcome, reason }: Decided): string {
  if (outcome === null) return reason ?? 'It is gone.';
  const who = outcome.who === undefined ? '' : ` by ${visibleTitle(outcome.who, WHO_CHARACTERS_MAX)}`;
  return `It was decided before${who}: ${outcome.decision}.`;
}
