/** `spool watch --json`: one line of JSON for each row that appears, changes or disappears. */
import type { Client } from '@spool/client';
import { recentSessions } from '../output/recent-sessions.ts';
import { jsonText } from '../output/json-text.ts';
import { sessionJson } from '../output/session-json.ts';
import { writeText } from '../output/stdio.ts';
import { doingOf, LIST_EVENTS, type Row, sinceOf, WatchList } from './list.ts';

/** Runs until the connection or the reader is gone. */
export async function tellRows(client: Client): Promise<void> {
  const list = new WatchList();
  /** The last printed state of each row, because many events do not change it. */
  const told = new Map<string, string>();
  const names = new Map<string, string>();
  // Subscribes before listing, so that no event in between is missed.
  const events = client.events({ types: LIST_EVENTS });
  await tellAll();
  for await (const event of events) {
    if (event.type === 'events-missed') {
      await tellAll();
      continue;
    }
    const change = list.handle(event);
    if (change) await tell(change.id, change.row);
  }

  async function tellAll(): Promise<void> {
    list.replace(await recentSessions(client));
    for (const id of [...told.keys()]) if (!list.get(id)) await tell(id, null);
    for (const row of list.all) await tell(row.id, row);
  }

  async function tell(id: string, row: Row | null): Promise<void> {
    const line = jsonText(
      row === null ? { type: 'row-removed', id, name: names.get(id) ?? id } : { type: 'row', ...rowJson(row) },
    );
    if (row !== null) names.set(id, row.name);
    if (told.get(id) === line) return;
    if (row === null) told.delete(id);
    else told.set(id, line);
    await writeText(`${line}\n`);
  }
}

function rowJson(row: Row): object {
  const { state, kind, agent, activity, progress } = row.status;
  return {
    ...sessionJson(row),
    // Its offset and confidence are left out, because they change without a visible change.
    status: { state, kind, agent, activity, progress },
    since: sinceOf(row),
    milestone: row.milestone,
    title: row.title,
    doing: doingOf(row),
  };
}
