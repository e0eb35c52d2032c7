/** Serves the daemon's events as a stream (SSE) that can be continued by id. Keeps API-2. */
import { type DaemonEvent, SpoolError } from '@spool/protocol';
import { z } from 'zod';
import type { EventStreams } from '../events/event-streams.ts';
import { type Route, route } from './route.ts';

/** The types: all but `session-summary`, which the daemon creates only on request. */
const TYPES: readonly string[] = Object.keys({
  'session-started': true,
  'session-exited': true,
  'session-resized': true,
  'session-removed': true,
  'session-renamed': true,
  'session-typed': true,
  'session-status': true,
  'session-osc': true,
  milestone: true,
  notification: true,
  task_started: true,
  task_finished: true,
  task_blocked: true,
  task_unblocked: true,
  'log-failed': true,
  'log-recovered': true,
} satisfies Record<Exclude<DaemonEvent['type'], 'session-summary'>, true>);

const SESSIONS_MAX = 100;

const HEADERS = {
  'content-type': 'text/event-stream',
  // Proxies that buffer answers would delay events.
  'x-accel-buffering': 'no',
} as const;

export function eventRoutes(streams: EventStreams): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/events',
      summary: 'Events as they happen (SSE); with the header Last-Event-ID from there on',
      query: z.strictObject({
        session: z.string().min(1).max(10_000).optional().describe('only of this one; several with commas'),
        types: z
          .string()
          .min(1)
          .max(1000)
          .optional()
          .describe(`only these, with commas: ${TYPES.join(', ')}`),
      }),
      answerType: 'text/event-stream',
      answer: z
        .string()
        .describe(
          'Each event has its type, an id, and JSON as data. The event `missed` says that some are lost: list the sessions again.',
        ),
      async run({ client, query, request, reply }) {
        const types = query.types?.split(',') ?? null;
        const unknown = types?.find((type) => !TYPES.includes(type));
        if (unknown !== undefined)
          throw new SpoolError('REQUEST_INVALID', { field: 'types', reason: `no such event: ${unknown.slice(0, 40)}` });
        const named = query.session?.split(',') ?? null;
        if (named && named.length > SESSIONS_MAX)
          throw new SpoolError('REQUEST_INVALID', { field: 'session', most: SESSIONS_MAX });
        // The lookup passes the guard: a session that the token may not see does not exist.
        const sessions = named && (await Promise.all(named.map(async (one) => (await client.get(one)).id)));
        const principal = request.principal!;
        await streams.prepare(principal);
        reply.hijack();
        reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
        if (request.method === 'HEAD') return void reply.raw.end();
        const wanted = { sessions: sessions && new Set(sessions), types: types && new Set(types) };
        streams.open(reply.raw, principal, wanted, lastId(request.headers['last-event-id']));
      },
    }),
  ];
}

/** Returns the last id; browsers send none before the first event. */
function lastId(header: string | readonly string[] | undefined): string | undefined {
  const id = String(header ?? '').trim();
  return id === '' ? undefined : id;
}
