/**
 * Yields summaries of a session as events: now, at intervals if requested, and at its end. Keeps STATE-10. The caller chooses the
 * triggers; each summary is made from the present data.
 */
import { SpoolError } from '@spool/protocol';
import type { Client } from '../../index.ts';
import { sleep } from '../sleep.ts';
import type { Summary } from '../../summary/summary.ts';
import { summarize } from './summarize.ts';

export interface SummaryEvent {
  readonly type: 'session-summary';
  readonly at: number;
  readonly id: string;
  /** The trigger: `now` at the beginning, `interval`, or `end` when the session has ended; the last summary has `end`. */
  readonly reason: 'now' | 'interval' | 'end';
  readonly summary: Summary;
}

export interface SummariesOptions {
  /** The interval of further summaries, if the session has written output since the last (default: none). */
  readonly everyMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* summaries(
  client: Client,
  session: string,
  { everyMs, signal }: SummariesOptions = {},
): AsyncGenerator<SummaryEvent, void> {
  const { id } = await client.get(session);
  let told = await eventOf(client, id, 'now');
  let toldTo = (await client.get(id)).offset;
  yield told;
  while (told.reason !== 'end') {
    const isOver = await endedWithin(client, id, everyMs, signal);
    if (signal?.aborted) return;
    const { offset } = await client.get(id);
    if (!isOver && offset === toldTo) continue; // there was no output, so the page would be the same
    toldTo = offset;
    told = await eventOf(client, id, isOver ? 'end' : 'interval');
    yield told;
  }
}

async function eventOf(client: Client, id: string, reason: SummaryEvent['reason']): Promise<SummaryEvent> {
  const summary = await summarize(client, id);
  const isOver = summary.endedAt !== null;
  return { type: 'session-summary', at: Date.now(), id, reason: isOver ? 'end' : reason, summary };
}

async function endedWithin(
  client: Client,
  id: string,
  everyMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    if (everyMs !== undefined) return (await client.wait(id, { timeoutMs: everyMs, signal })).state !== 'running';
    await client.wait(id, { signal });
    return true;
  } catch (error) {
    if (signal?.aborted) return true;
    if (!SpoolError.is(error, 'CONNECTION_LOST')) throw error;
    await sleep(1000, signal); // the daemon may be coming back
    return false;
  }
}
