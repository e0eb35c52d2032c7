/**
 * Finds sessions that were named without a node. Sessions of this machine come first, so that a node can neither take over nor
 * disturb a name that is used here; the nodes are asked only about other names. Keeps NODE-40.
 */
import { askNodes } from '@spool/client/nodes';
import { ENDED_STATES, ID_PREFIX_CHARS_MIN, type NodeSessions, SpoolError } from '@spool/protocol';
import { openForRequests, type ProgramLocation } from '../program.ts';

/** The time for which a gateway that is being replaced is awaited. */
const GATEWAY_MS = 2000;

/** The maximum of candidates that an error lists. */
const CANDIDATES_MAX = 10;

/** Returns the node of each session; null means this machine, and also stands for a session that no machine knows. */
export async function findNodes(
  program: ProgramLocation,
  references: readonly string[],
): Promise<readonly (string | null)[]> {
  const isHere = await knownHere(program, references);
  if (isHere.every(Boolean)) return references.map(() => null);
  const everything = { running: { states: ['running'] }, ended: { states: ENDED_STATES } } as const;
  const answer = await askNodes('sessions', everything, { waitMs: GATEWAY_MS }).catch(() => null);
  return references.map((reference, at) => (isHere[at] ? null : nodeWith(answer?.nodes ?? [], reference)));
}

/** Returns the only node that has such a session; null if none has. Throws SESSION_AMBIGUOUS with the candidates. */
export function nodeWith(nodes: readonly NodeSessions[], reference: string): string | null {
  const sessions = nodes.flatMap(({ node, sessions: own }) => own.map((session) => ({ node, session })));
  const pick = (isMeant: (session: { readonly id: string; readonly name: string }) => boolean): string | null => {
    const found = sessions.filter(({ session }) => isMeant(session));
    const running = found.filter(({ session }) => session.state === 'running');
    const candidates = running.length > 0 ? running : found;
    const places = new Set(candidates.map(({ node }) => node));
    if (places.size <= 1) return [...places][0] ?? null;
    throw new SpoolError('SESSION_AMBIGUOUS', {
      session: reference,
      candidates: candidates
        .slice(0, CANDIDATES_MAX)
        .map(({ node, session }) => `${node}/${session.id}`)
        .join(', '),
    });
  };
  return (
    pick(({ id }) => id === reference) ??
    pick(({ name }) => name === reference) ??
    (reference.length < ID_PREFIX_CHARS_MIN ? null : pick(({ id }) => id.startsWith(reference)))
  );
}

async function knownHere(program: ProgramLocation, references: readonly string[]): Promise<readonly boolean[]> {
  try {
    await using client = await openForRequests(program, { start: false });
    return await Promise.all(
      references.map(async (reference) => {
        try {
          await client.get(reference);
          return true;
        } catch (error) {
          return !SpoolError.is(error, 'SESSION_UNKNOWN'); // the verb itself reports other errors
        }
      }),
    );
  } catch {
    return references.map(() => true); // no daemon, so no gateway either: the verb itself reports it, or starts the daemon
  }
}
