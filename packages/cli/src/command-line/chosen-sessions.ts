/**
 * The sessions that `stop`, `kill` and `rm` act on: those that were named, or those of `--all`, `--ended` and `--older-than`. They
 * never act on "the latest": verbs that end or delete sessions need a choice. Several at once are confirmed [RUN-20, RUN-43].
 */
import type { RequestClient } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { printable } from '../output/printable.ts';
import { isEnded } from '../output/session-words.ts';
import { isTerminal, notice } from '../output/stdio.ts';
import { confirm } from './confirm.ts';
import { UsageError } from './usage-error.ts';

export interface SessionSelection {
  readonly verb: 'stop' | 'kill' | 'rm';
  /** The kind of session that the verb acts on. */
  readonly kind: 'running' | 'ended' | 'any';
  readonly all: boolean;
  readonly olderThan: number | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const DOING = { stop: 'Stop', kill: 'Kill', rm: 'Remove' } as const;
const NAMES_MAX = 5;

/** Checks the choice before anything is done, and before a daemon is started. */
export function checkChoice(operands: readonly string[], { verb, all, olderThan }: SessionSelection): void {
  const isBulk = all || olderThan !== undefined;
  if (isBulk && operands.length > 0)
    throw new UsageError('use IDs, or a flag that selects several sessions, not both', verb);
  if (isBulk || operands.length > 0) return;
  const others = verb === 'rm' ? '--ended for all ended sessions' : '--all for all running sessions';
  throw new UsageError(`which session? Use: spool ${verb} ID (spool ls lists them), or ${others}`, verb);
}

/** Returns the sessions; null if the user declined, empty if there are none. */
export async function chosenSessions(
  client: RequestClient,
  operands: readonly string[],
  choice: SessionSelection,
): Promise<readonly string[] | null> {
  if (operands.length > 0) return operands;
  const { verb, kind, olderThan, yes, json } = choice;
  const chosen = chosenFrom(await client.list(), choice, Date.now());
  if (chosen.length === 0) {
    const which = olderThan === undefined ? '' : ' that is old enough';
    if (!json) notice(`There is no ${kind === 'any' ? '' : `${kind} `}session${which}; nothing to do.`);
    return [];
  }
  if (yes) return chosen.map(({ id }) => id);
  const names = chosen.slice(0, NAMES_MAX).map(({ name }) => printable(name));
  const more = chosen.length > NAMES_MAX ? ` and ${chosen.length - NAMES_MAX} more` : '';
  const what = `${DOING[verb]} ${chosen.length} session${chosen.length === 1 ? '' : 's'} (${names.join(', ')}${more})`;
  if (!isTerminal(0) || !isTerminal(2)) throw new UsageError(`${what}? Without a terminal, confirm with --yes`, verb);
  if (await confirm(`${what}?`)) return chosen.map(({ id }) => id);
  notice('Nothing was done.');
  return null;
}

export function chosenFrom(
  sessions: readonly SessionInfo[],
  { kind, olderThan }: Pick<SessionSelection, 'kind' | 'olderThan'>,
  now: number,
): readonly SessionInfo[] {
  return sessions.filter((session) => {
    if (kind !== 'any' && isEnded(session) !== (kind === 'ended')) return false;
    const since = session.endedAt ?? session.startedAt;
    return olderThan === undefined || now - since >= olderThan;
  });
}
