/**
 * Questions that have just been answered, and by whom, so that a user sees why a card has disappeared. The daemon knows the client
 * that typed last; an agent's own log names the one that decided. Keeps PAGE-32.
 */
import type { SessionInfo } from '@spool/client';
import { create } from 'zustand';
import { client } from '../link/daemon.ts';
import { useSessions } from '../sessions/store.ts';
import { answererOf } from './answerer.ts';

/** The time for which it is shown: long enough to read, short enough not to be in the way. */
const SHOWN_MS = 12_000;

export interface AnsweredRequest {
  readonly session: SessionInfo;
  readonly question: string;
  /** The client that answered; null if the daemon does not know it. */
  readonly by: string | null;
  readonly at: number;
}

export const useAnswered = create<{ readonly latest: readonly AnsweredRequest[] }>(() => ({ latest: [] }));

/** The questions that were answered here, by session and by the time of their start. */
const ours = new Map<string, number>();

export function noteOurs({ id, status }: SessionInfo): void {
  ours.set(id, status.since);
}

export function followAnswers(): void {
  let waiting = waitingOf(useSessions.getState().byId);
  useSessions.subscribe(({ byId, link }, before) => {
    if (byId === before.byId) return;
    const now = waitingOf(byId);
    // After a broken link all sessions are listed again: changes in between were not seen.
    if (link.type === 'live' && before.isLoaded)
      for (const session of waiting.values()) if (!isStillAsked(session, now)) void note(session, byId.get(session.id));
    waiting = now;
  });
}

function waitingOf(byId: ReadonlyMap<string, SessionInfo>): ReadonlyMap<string, SessionInfo> {
  return new Map(
    [...byId].filter(([, { state, status }]) => state === 'running' && status.state === 'blocked' && status.question),
  );
}

const isStillAsked = ({ id, status }: SessionInfo, now: ReadonlyMap<string, SessionInfo>): boolean =>
  dialogOf(now.get(id)?.status) === dialogOf(status);

/** Returns the identity of a dialog: for a request of an agent its digest, because two requests may have the same words. */
const dialogOf = (status: SessionInfo['status'] | undefined): string | undefined =>
  status?.requests?.[0]?.digest ?? status?.question?.text;

async function note(session: SessionInfo, now: SessionInfo | undefined): Promise<void> {
  if (now === undefined || now.state !== 'running') return; // the session ended: the question was not answered
  const by =
    ours.get(session.id) === session.status.since ? 'you' : await answererOf(client, session).catch(() => null);
  const entry = { session, question: session.status.question?.text ?? '', by, at: Date.now() };
  useAnswered.setState(({ latest }) => ({ latest: [...latest.filter((one) => one.session.id !== session.id), entry] }));
  setTimeout(() => {
    useAnswered.setState(({ latest }) => ({ latest: latest.filter((one) => one !== entry) }));
  }, SHOWN_MS);
}
