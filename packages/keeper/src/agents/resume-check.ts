/**
 * Checks an agent that resumes a session from its own history. Keeps EVT-10: no two running sessions resume the same agent session,
 * because both would write to it; and a session cannot resume it while its earlier session still runs.
 */
import { type RunRequest, SpoolError } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';

interface ResumeContext {
  readonly registry: { all(): Iterable<KeeperSession>; find(reference: string): KeeperSession };
  /** Returns the agent sessions that children other than `id` are about to resume. */
  agentSessionsUnderWay(id: string): readonly string[];
}

export function checkResumed(known: ResumeContext, { id, agent }: Pick<RunRequest, 'id' | 'agent'>): void {
  if (!agent?.resumes) return;
  const { agentSession, session } = agent.resumes;
  const before = session === undefined ? null : known.registry.find(session);
  if (before?.isRunning) throw new SpoolError('SESSION_RUNNING', { session: before.name });
  if (known.agentSessionsUnderWay(id).includes(agentSession)) throw new SpoolError('AGENT_RUNS', {});
  for (const other of known.registry.all())
    if (other.isRunning && other.run.agent?.resumes?.agentSession === agentSession)
      throw new SpoolError('AGENT_RUNS', { session: other.name });
}
