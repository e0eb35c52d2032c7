/**
 * Questions that have just left, and who answered them: a card that vanishes under the eyes of a user says where it went. The
 * daemon knows the client that typed last; an agent's own log knows who decided. Keeps PAGE-32.
 */
import type { SessionInfo } from '@spool/client';
import { create } from 'zustand';
import { client } from '../link/daemon.ts';
import { useSessions } from '../sessions/store.ts';

/** Long enough to be read, short enough not to be in the way. */
const SHOWN_MS = 12_000;

export interface Answered {
  readonly session: SessionInfo;
  readonly question: string;
  /** Null: nobody that the daemon knows of. */
  readonly by: string | null;
  readonly at: number;
}

export const useAnswered = create<{ readonly latest: readonly Answered[] }>(() => ({ latest: [] }));

/** By session: the question that was answered here, by the time that it began. */
const ours = new Map<string, number>();

export function noteOurs({ id, status }: SessionInfo): void {
  ours.set(id, status.since);
}

export function followAnswers(): void {
  let waiting = waitingOf(useSessions.getState().byId);
  useSessions.subscribe(({ byId, link }, before) => {
    if (byId === before.byId) return;
    const now = waitingOf(byId);
    // After a broken link everything is listed anew: nobody saw what has happened meanwhile.
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
  now.get(id)?.status.question?.text === status.question?.text;

async function note(session: SessionInfo, now: SessionInfo | undefined): Promise<void> {
  if (now === undefined || now.state !== 'running') return; // it ended: nobody answered
  const by = ours.get(session.id) === session.status.since ? 'you' : await answererOf(session).catch(() => null);
  const entry = { session, question: session.status.question?.text ?? '', by, at: Date.now() };
  useAnswered.setState(({ latest }) => ({ latest: [...latest.filter((one) => one.session.id !== session.id), entry] }));
  setTimeout(() => {
    useAnswered.setState(({ latest }) => ({ latest: latest.filter((one) => one !== entry) }));
  }, SHOWN_MS);
}

async function answererOf(session: SessionInfo): Promise<string | null> {
  if (session.driver !== undefined) return await deciderOf(session);
  const { typed } = await client.get(session.id);
  return typed !== null && typed.at >= session.status.since ? typed.who : null;
}

/** The last one that the agent's log names. */
async function deciderOf(session: SessionInfo): Promise<string | null> {
  let who: string | null = null;
  await using events = client.watchEvents(session.id, { from: session.driver?.offset });
  for await (const item of events) {
    if (item.type !== 'event') break; // what has happened so far was read
    const { event } = item;
    if (event.kind === 'permission.resolved' || event.kind === 'question.resolved') who = event.who ?? null;
  }
  return who;
}
