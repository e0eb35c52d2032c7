/**
 * An agent that goes on with a session of its own. Keeps EVT-10: no two running sessions go on with the same one, because both
 * would write to it, and none does while the session that had it before still runs.
 */
import { type RunRequest, SpoolError } from '@spool/protocol';
import type { Session } from '../session/session.ts';

interface Known {
  readonly registry: { all(): Iterable<Session>; find(reference: string): Session };
  /** What children other than `id` are about to go on with. */
  agentSessionsUnderWay(id: string): readonly string[];
}

export function checkResumed(known: Known, { id, agent }: Pick<RunRequest, 'id' | 'agent'>): void {
  if (!agent?.resumes) return;
  const { agentSession, session } = agent.resumes;
  const before = session === undefined ? null : known.registry.find(session);
  if (before?.isRunning) throw new SpoolError('SESSION_RUNNING', { session: before.name });
  if (known.agentSessionsUnderWay(id).includes(agentSession)) throw new SpoolError('AGENT_RUNS', {});
  for (const other of known.registry.all())
    if (other.isRunning && other.run.agent?.resumes?.agentSession === agentSession)
      throw new SpoolError('AGENT_RUNS', { session: other.name });
}
