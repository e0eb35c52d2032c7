/**
 * The list of sessions, updated by events: what each one does, since when, and their order. It does not draw and sends no
 * requests.
 */
import type { EventItem } from '@spool/client';
import { questionLine, type SessionInfo } from '@spool/protocol';
import { commandWords } from '../output/session-command.ts';
import { byNeed, type StateGroup, groupOf } from '../output/session-order.ts';
import { isEnded } from '../output/session-words.ts';

/** A session as the latest events describe it. */
export type Row = SessionInfo;

/** The events that change the list. */
export const LIST_EVENTS: readonly string[] = [
  'session-started',
  'session-exited',
  'session-status',
  'session-removed',
  'session-osc',
  'milestone',
];

export interface ListChoice {
  readonly filter: string;
  readonly showsEnded: boolean;
  readonly order?: (a: Row, b: Row) => number;
}

export class WatchList {
  readonly #rows = new Map<string, Row>();
  /** The rows that were shown last, until something changes. */
  #shown: { readonly choice: ListChoice; readonly rows: readonly Row[] } | null = null;

  /** Replaces all rows, after events were missed. */
  replace(sessions: readonly SessionInfo[]): void {
    this.#shown = null;
    this.#rows.clear();
    for (const session of sessions) this.#rows.set(session.id, session);
  }

  /** Returns the changed row, or undefined. Events of unknown sessions are older than the list and ignored. */
  handle(event: EventItem): { readonly id: string; readonly row: Row | null } | undefined {
    switch (event.type) {
      case 'session-started':
        if (this.#rows.has(event.session.id)) return undefined;
        return this.#set(event.session);
      case 'session-exited':
        return this.#set(event.session);
      case 'session-removed':
        this.#shown = null;
        return this.#rows.delete(event.id) ? { id: event.id, row: null } : undefined;
      case 'session-status':
        return this.#change(event.id, (session) => (isEnded(session) ? undefined : { status: event.status }));
      case 'milestone': {
        const { type: _type, at: _at, id, ...milestone } = event;
        return this.#change(id, () => ({ milestone }));
      }
      case 'session-osc': {
        const { fact } = event;
        if (fact.type !== 'title-changed' || typeof fact.title !== 'string') return undefined;
        const { title } = fact;
        return this.#change(event.id, (row) => (row.title === title ? undefined : { title }));
      }
      default:
        return undefined;
    }
  }

  /** Applies a change that no event reports. */
  update(session: SessionInfo): void {
    if (this.#rows.has(session.id)) this.#set(session);
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  get all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** The visible rows in order. `filter` is searched in all text of a row, ignoring case. */
  shown(choice: ListChoice): readonly Row[] {
    const { filter, showsEnded, order = byNeed } = choice;
    const last = this.#shown;
    if (last?.choice.filter === filter && last.choice.showsEnded === showsEnded && last.choice.order === choice.order)
      return last.rows;
    const wanted = filter.toLowerCase();
    const rows = this.all
      .filter((row) => (showsEnded || groupOf(row) !== 'ended') && (wanted === '' || textOf(row).includes(wanted)))
      .sort(order);
    this.#shown = { choice, rows };
    return rows;
  }

  /** The number of sessions in each group. */
  counts(): ReadonlyMap<StateGroup, number> {
    const counts = new Map<StateGroup, number>();
    for (const row of this.#rows.values()) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1);
    return counts;
  }

  #set(row: Row): { readonly id: string; readonly row: Row } {
    this.#shown = null;
    this.#rows.set(row.id, row);
    return { id: row.id, row };
  }

  #change(id: string, change: (row: Row) => Partial<Row> | undefined): ReturnType<WatchList['handle']> {
    const row = this.#rows.get(id);
    const changed = row && change(row);
    return changed && this.#set({ ...row, ...changed });
  }
}

/** Returns the time at which the current state began. */
export function sinceOf({ endedAt, status }: Row): number {
  return endedAt ?? status.since;
}

/** Returns the session's question, its activity, its last milestone or its title; for an agent its first prompt. */
export function doingOf({ status, milestone, title, driver }: Row): string {
  if (status.question) return questionLine(status.question);
  if (driver) return status.activity ?? driver.prompt ?? '';
  return status.activity ?? milestone?.title ?? withoutSpinner(title);
}

function textOf(row: Row): string {
  const { id, name, state, status, cwd } = row;
  return [id, name, groupOf(row), state, status.kind ?? '', doingOf(row), commandWords(row), cwd]
    .join('\n')
    .toLowerCase();
}

/** Removes spinners from titles, because they would make the list flicker. */
function withoutSpinner(title: string): string {
  return title.replace(/^[\u2800-\u28ff✳✶✻✽✢·∗*◐◓◑◒◴◷◶◵|/\\-]+\s+/u, '');
}
