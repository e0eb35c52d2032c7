/** The items of the palette: the actions on the open session, every session, and the pages. Keeps PAGE-72. */
import type { SessionInfo } from '@spool/client';
import { goToNextWaiting } from '../inbox/next-waiting.ts';
import { inOrder } from '../sessions/order.ts';
import { commandOf, displayName } from '../sessions/session-words.ts';
import { CONDITION_WORDS, conditionOf, type SessionCondition } from '../state/condition.ts';
import { fuzzyScore } from './fuzzy.ts';
import type { PageAct } from './page-acts.ts';
import { go } from './route.ts';
import { toggleTheme } from './theme.ts';

/** The sessions that are shown before the user types, and the results that are shown afterwards. */
const FIRST_SESSIONS = 6;
const FOUND_MAX = 14;

export interface PaletteItem {
  readonly key: string;
  readonly label: string;
  readonly condition?: SessionCondition;
  readonly hint?: string;
  readonly run: () => void;
}

const PAGES: readonly PaletteItem[] = [
  { key: 'waiting', label: 'Next session that waits for you', hint: 'w', run: goToNextWaiting },
  { key: 'start', label: 'Start a session', hint: 'n', run: () => go({ page: 'start', what: 'command' }) },
  { key: 'agent', label: 'Start an agent', hint: 'a', run: () => go({ page: 'start', what: 'agent' }) },
  { key: 'home', label: 'All sessions', hint: 'g', run: () => go({ page: 'home' }) },
  { key: 'settings', label: 'Settings', hint: ',', run: () => go({ page: 'settings' }) },
  { key: 'theme', label: 'Switch between light and dark', run: toggleTheme },
];

/** Returns the items, the best first; `acts` are the actions on the open session, and `subject` is its name. */
export function paletteItems(
  search: string,
  sessions: Iterable<SessionInfo>,
  acts: readonly PageAct[],
  subject: string | null,
): readonly PaletteItem[] {
  const own = acts.map(({ label, run }) => ({
    key: `act ${label}`,
    label,
    ...(subject !== null && { hint: subject }),
    run,
  }));
  const all = inOrder(sessions).map((session) => ({ item: itemOf(session), text: textOf(session) }));
  if (search.trim() === '') return [...all.slice(0, FIRST_SESSIONS).map(({ item }) => item), ...own, ...PAGES];
  const found = [
    ...own.map((item) => ({ item, score: fuzzyScore(search, item.label) })),
    ...PAGES.map((item) => ({ item, score: fuzzyScore(search, item.label) })),
    // The name counts more than the rest.
    ...all.map(({ item, text }) => ({ item, score: fuzzyScore(search, item.label) ?? half(fuzzyScore(search, text)) })),
  ];
  return found
    .filter((each): each is { item: PaletteItem; score: number } => each.score !== null)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_MAX)
    .map(({ item }) => item);
}

const half = (score: number | null): number | null => (score === null ? null : score / 2);

function itemOf(session: SessionInfo): PaletteItem {
  return {
    key: session.id,
    label: displayName(session),
    condition: conditionOf(session),
    hint: commandOf(session),
    run: () => go({ page: 'session', id: session.id, view: 'terminal' }),
  };
}

function textOf(session: SessionInfo): string {
  const labels = Object.entries(session.labels).map(([key, value]) => `${key}=${value}`);
  const condition = CONDITION_WORDS[conditionOf(session)];
  return [session.name, commandOf(session), session.cwd, condition, ...labels].join(' ');
}
