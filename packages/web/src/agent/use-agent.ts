/**
 * Follows the messages and actions of an agent without a terminal. The events come from a cursor, each once, so a broken link
 * does not change the page.
 */
import { AgentHandle, type SessionInfo } from '@spool/client';
import { Transcript } from '@spool/render';
import { useEffect, useMemo, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';

/** The interval of rendering: a streaming agent is not rendered with each piece. */
const SHOW_EVERY_MS = 100;

export interface AgentNow {
  readonly agent: AgentHandle;
  readonly transcript: Transcript;
  /** Whether all earlier events are loaded. */
  readonly isLoaded: boolean;
  readonly trouble: string | null;
}

export function useAgent(session: SessionInfo): AgentNow {
  const { id } = session;
  // A handle needs only the id.
  const agent = useMemo(() => new AgentHandle(client, session), [id]);
  const [now, setNow] = useState<Omit<AgentNow, 'agent'>>(NOTHING);

  useEffect(() => {
    const transcript = new Transcript();
    let shown: Omit<AgentNow, 'agent'> = { transcript, isLoaded: false, trouble: null };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopping = new AbortController();
    const show = (part: Partial<AgentNow>): void => {
      shown = { ...shown, ...part };
      timer ??= setTimeout(() => {
        timer = undefined;
        setNow({ ...shown });
      }, SHOW_EVERY_MS);
    };
    const follow = async (): Promise<void> => {
      await using events = client.watchEvents(id, { signal: stopping.signal });
      for await (const item of events) {
        if (item.type === 'event') transcript.take(item.event);
        if (item.type === 'driver-failed') show({ trouble: `The driver failed: ${item.reason}` });
        else show({ isLoaded: shown.isLoaded || item.type !== 'event' });
      }
    };
    follow().catch((error: unknown) => {
      if (!stopping.signal.aborted) show({ trouble: sentenceOf(error) });
    });
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [id]);

  return { agent, ...now };
}

const NOTHING: Omit<AgentNow, 'agent'> = { transcript: new Transcript(), isLoaded: false, trouble: null };
