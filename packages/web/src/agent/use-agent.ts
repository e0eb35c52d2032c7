/** Follows the conversation with an agent, for the page. A streaming agent is not rendered with each piece. */
import { AgentHandle, type SessionInfo } from '@spool/client';
import { useEffect, useMemo, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { AgentConversation } from './conversation.ts';

/** The interval of rendering while an agent writes. */
const SHOW_EVERY_MS = 100;

export interface AgentNow {
  readonly agent: AgentHandle;
  readonly conversation: AgentConversation;
  readonly trouble: string | null;
}

export function useAgent(session: SessionInfo): AgentNow {
  const { id } = session;
  // A handle needs only the id.
  const agent = useMemo(() => new AgentHandle(client, session), [id]);
  const [now, setNow] = useState<Omit<AgentNow, 'agent'>>(() => ({
    conversation: new AgentConversation(client, id, () => {}),
    trouble: null,
  }));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = false;
    let trouble: string | null = null;
    const show = (): void => {
      timer = undefined;
      isShown = conversation.state.isLoaded;
      setNow({ conversation, trouble });
    };
    const conversation = new AgentConversation(client, id, () => {
      // The first rendering is immediate.
      if (!isShown && conversation.state.isLoaded) {
        clearTimeout(timer);
        show();
      } else timer ??= setTimeout(show, SHOW_EVERY_MS);
    });
    conversation.follow().catch((error: unknown) => {
      if (conversation.isClosed) return;
      trouble = sentenceOf(error);
      show();
    });
    return () => {
      conversation.close();
      clearTimeout(timer);
    };
  }, [id]);
  return { agent, ...now };
}
