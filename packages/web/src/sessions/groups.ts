/** Groups the sessions of the wall: by their state, by folder, or by a label. Pinned sessions come first. */
import type { SessionInfo } from '@spool/client';
import type { PageSession } from './store.ts';

/** The grouping. `label KEY`: by the value of that label. */
export type Arrangement = 'state' | 'folder' | 'machine' | `label ${string}`;

export interface SessionGroup {
  readonly title: string;
  readonly sessions: readonly SessionInfo[];
}

export interface ArrangeOptions {
  readonly arrangement: Arrangement;
  readonly pinned: ReadonlySet<string>;
}

/** Returns the groups; the order within each is that of `sessions`. */
export function groupsOf(
  sessions: readonly PageSession[],
  { arrangement, pinned }: ArrangeOptions,
): readonly SessionGroup[] {
  const groups = new Map<string, SessionInfo[]>();
  const rest: SessionInfo[] = [];
  for (const session of sessions) {
    const title = titleOf(session, arrangement);
    if (pinned.has(session.id)) (groups.get(PINNED) ?? put(groups, PINNED)).push(session);
    else if (title === null) rest.push(session);
    else (groups.get(title) ?? put(groups, title)).push(session);
  }
  const entries = [...groups].filter(([title]) => title !== PINNED);
  if (arrangement === 'state') entries.sort(([a], [b]) => STATES.indexOf(a) - STATES.indexOf(b));
  else entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [[PINNED, groups.get(PINNED) ?? []] as const, ...entries, [OTHERS, rest] as const];
  return all.filter(([, members]) => members.length > 0).map(([title, members]) => ({ title, sessions: members }));
}

const PINNED = 'Pinned';
const OTHERS = 'Others';
const STATES: readonly string[] = ['Running', 'Ended'];

function put(groups: Map<string, SessionInfo[]>, title: string): SessionInfo[] {
  const made: SessionInfo[] = [];
  groups.set(title, made);
  return made;
}

function titleOf(session: PageSession, arrangement: Arrangement): string | null {
  if (arrangement === 'state') return session.state === 'running' ? 'Running' : 'Ended';
  if (arrangement === 'folder') return session.cwd === '' ? null : session.cwd;
  if (arrangement === 'machine') return session.node ?? 'This machine';
  return session.labels[arrangement.slice('label '.length)] ?? null;
}

/** Returns the labels that sessions have, for a choice. */
export function labelKeys(sessions: Iterable<SessionInfo>): readonly string[] {
  return [...new Set([...sessions].flatMap(({ labels }) => Object.keys(labels)))].sort();
}
