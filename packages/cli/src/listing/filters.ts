/**
 * `ls --filter KEY=VALUE`: selects the sessions that are listed. The daemon filters. Of several filters with one key, one must
 * match (of labels, all must); filters with different keys must all match. Keeps LIST-6 with `order.ts` and `template.ts`.
 */
import { ENDED_STATES, type ListFilter, type SessionState, type StatusState } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';

/** Returns the filters for the daemon; null if nothing can match. */
export interface ListQuery {
  readonly running: ListFilter | null;
  readonly ended: ListFilter | null;
}

const STATUSES: readonly StatusState[] = ['blocked', 'working', 'idle', 'starting'];
const ENDED: readonly SessionState[] = ENDED_STATES;
const KEYS = 'label=KEY[=VALUE], state=STATE, name=TEXT or agent=NAME';

export function askedFor(
  filters: readonly string[],
  { running, ended }: { readonly running: boolean; readonly ended: boolean },
): ListQuery {
  const states = new Set<string>();
  const names: string[] = [];
  const agents: string[] = [];
  const labels: Record<string, string> = {};
  const labelKeys: string[] = [];
  for (const text of filters) {
    const [, key, value] = /^(\w+)=(.+)$/s.exec(text) ?? [];
    if (key === 'state') for (const word of value!.split(',')) states.add(checkedState(word));
    else if (key === 'name') names.push(value!);
    else if (key === 'agent') agents.push(value!);
    else if (key === 'label') {
      const equals = value!.indexOf('=');
      if (equals === -1) labelKeys.push(value!);
      else labels[value!.slice(0, equals)] = value!.slice(equals + 1);
    } else throw new UsageError(`--filter ${JSON.stringify(text)} is invalid; use ${KEYS}`, 'ls');
  }
  const common: ListFilter = {
    ...(names.length > 0 && { nameContains: names }),
    ...(agents.length > 0 && { agents }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(labelKeys.length > 0 && { labelKeys }),
  };
  const statuses = STATUSES.filter((state) => states.has(state));
  const endings = states.has('ended') ? ENDED : ENDED.filter((state) => states.has(state));
  const isAnyState = states.size === 0;
  const isAnyRunning = isAnyState || states.has('running');
  const wantsRunning = (running || !ended) && (isAnyRunning || statuses.length > 0);
  const wantsEnded = (ended || !running) && (isAnyState || endings.length > 0);
  return {
    running: wantsRunning ? { ...common, states: ['running'], ...(!isAnyRunning && { statuses }) } : null,
    ended: wantsEnded ? { ...common, states: isAnyState ? ENDED : endings } : null,
  };
}

function checkedState(word: string): string {
  const known: readonly string[] = ['running', ...STATUSES, 'ended', ...ENDED];
  if (!known.includes(word))
    throw new UsageError(`--filter state=${word}: unknown state; use ${known.join(', ')}`, 'ls');
  return word;
}
