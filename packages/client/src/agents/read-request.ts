/**
 * Reads one open request from the events log: the status names its record, so no log is replayed, however long it is. Keeps REQ-6
 * in the client.
 */
import type { OpenRequest, StatusInfo } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';
import type { Client } from '../client.ts';
import type { RequestEvent } from './agent-handle.ts';

/** The credit for one record; a longer record gets more while it is read. */
const CREDIT_BYTES = 64 * 1024;

/** The maximum wait: after its start, a keeper does not know the status until the agent's driver has read its logs. */
const REPORT_MS_MAX = 10_000;
const LOOK_MS = 50;

/** Returns the status of an agent, once its driver has reported it. */
export async function reportedStatus(client: Client, session: string): Promise<StatusInfo> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const { state, status } = await client.get(session);
    if (state !== 'running' || status.state !== 'starting' || waitedMs >= REPORT_MS_MAX) return status;
    await client.sleep(LOOK_MS);
  }
}

/** Returns the request as the agent made it; null if the log no longer has its record. */
export async function readRequest(client: Client, session: string, open: OpenRequest): Promise<RequestEvent | null> {
  await using records = client.watchRecords(session, { from: open.offset, creditBytes: CREDIT_BYTES });
  for await (const item of records) {
    if (item.type !== 'record') return null;
    if (item.offset < open.offset) continue;
    const events = item.record.type === 'batch' ? item.record.events : [];
    return (
      (events.find((event) => isRequest(event) && event.request === open.request) as RequestEvent | undefined) ?? null
    );
  }
  return null;
}

function isRequest(event: AgentEvent): event is RequestEvent {
  return event.kind === 'permission.requested' || event.kind === 'question.asked';
}
