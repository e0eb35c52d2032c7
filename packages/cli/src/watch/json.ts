/** `spool watch --json`: one line of JSON for each row that appears, changes or disappears. */
import type { Client } from '@spool/client';
import { recentSessions } from '../output/recent-sessions.ts';
import { jsonText } from '../output/json-text.ts';
import { isEnded } from '../output/session-words.ts';
import { writeText } from '../output/stdio.ts';
import { doingOf, LIST_EVENTS, type Row, sinceOf, WatchList } from './list.ts';

/** Runs until the connection or the reader is gone. */
export async function tellRows(client: Client): Promise<void> {
  const list = new WatchList();
  /** The last printed state of each row, because many events do not change it. */
  const told = new Map<string, string>();
  // Subscribe before listing, so that no event in between is missed.
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
    const line = jsonText(row === null ? { type: 'row-removed', id } : { type: 'row', ...rowJson(row) });
    if (told.get(id) === line) return;
    if (row === null) told.delete(id);
    else told.set(id, line);
    await writeText(`${line}\n`);
  }
}

function rowJson(row: Row): object {
  const { id, name, status } = row;
  const isRunning = !isEnded(row);
  return {
    id,
    name,
    state: isRunning ? status.state : row.state,
    kind: isRunning ? status.kind : null,
    since: sinceOf(row),
    exitCode: row.exitCode,
    signal: row.signal,
    activity: status.activity,
    milestone: row.milestone,
    title: row.title,
    doing: doingOf(row),
  };
}
