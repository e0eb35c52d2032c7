/**
 * Sessions and tasks, for scripts. Each request passes the guard on its way to the keeper, like a request of a WebSocket. Keeps
 * API-1.
 */
import { homedir } from 'node:os';
import { sessionEnvironment } from '@spool/client/node';
import { INPUT_BYTES_MAX, SpoolError, taskOf } from '@spool/protocol';
import { ANSWERED, PROMPTED, SCREEN, SESSION, TASK } from '@spool/protocol/schemas/session';
import { SIZE } from '@spool/protocol/schemas/parts';
import { RUN } from '@spool/protocol/schemas/run';
import { z } from 'zod';
import { nothing, output, waited } from './answers.ts';
import { type Route, route } from './route.ts';

/** The maximum size of a page of output. */
const OUTPUT_BYTES_MAX = 1024 * 1024;

/** The maximum duration of a long poll, so that it ends before proxies cut it off. */
const WAIT_MS_MAX = 55_000;

const count = z.coerce.number().int().min(0);
const { command, name, labels, size, timeoutMs } = RUN.shape;
const run = {
  command: command.min(1),
  cwd: z.string().optional().describe('an absolute path (default: the home folder)'),
  env: z.record(z.string(), z.string()).optional().describe('added to the usual harmless variables'),
  name,
  labels,
  size: size.nullable().describe('null: pipes instead of a terminal (default: 80 × 24)'),
  timeoutMs,
  sideChannel: z
    .boolean()
    .optional()
    .describe('false: an agent in a terminal runs exactly as typed, without a side channel'),
  id: z.string().optional().describe('the same id never starts a second session'),
};

function runOptions({ env = {}, cwd = homedir(), ...body }: z.infer<z.ZodObject<typeof run>>): typeof body & {
  cwd: string;
  env: Record<string, string>;
} {
  return { ...body, cwd, env: { ...sessionEnvironment(process.env), ...env } };
}

export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/sessions',
    summary: 'List the sessions, oldest first',
    query: z.strictObject({
      name: z.string().optional(),
      state: z.enum(['running', 'ended']).optional(),
      limit: count.min(1).optional(),
    }),
    answer: z.array(SESSION),
    async run({ client, query: { state, name, limit } }) {
      const states = state === 'running' ? (['running'] as const) : state === 'ended' ? ENDED : undefined;
      return await client.list({ states, name, limit });
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start a command in a new session',
    body: z.strictObject(run),
    answer: SESSION,
    run: async ({ client, body }) => (await client.run(runOptions(body))).info,
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session, by id, its first 4 or more characters, or name',
    answer: SESSION,
    run: ({ client, id }) => client.get(id),
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:id',
    summary: 'Remove an ended session and its output',
    query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
    answer: SESSION,
    run: ({ client, id, query }) => client.remove(id, { force: query.force === 'true' }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/screen',
    summary: 'The screen as a user sees it, now or in the past',
    query: z.strictObject({
      format: z.enum(['text', 'ansi', 'html', 'json']).optional(),
      offset: count.optional(),
      time: count.optional(),
      historyLines: count.max(20_000).optional(),
    }),
    answer: SCREEN,
    async run({ client, id, query: { format = 'text', offset, time, historyLines } }) {
      const at = offset === undefined ? (time === undefined ? undefined : { time }) : { offset };
      return await client.screen(id, { format, at, historyLines });
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/logs',
    summary: 'Output from an offset on, in pages; without `from` the last 64 KiB',
    query: z.strictObject({ from: count.optional(), limit: count.min(1).max(OUTPUT_BYTES_MAX).optional() }),
    answer: output,
    async run({ client, id, query: { from, limit = 64 * 1024 }, request }) {
      const { id: full, offset: end, firstOffset } = await client.get(id);
      const since = request.principal!.scope.from; // a link that hides everything before its start
      const shown = since === undefined ? firstOffset : Math.max(firstOffset, await client.offsetAt(full, since));
      const start = Math.max(shown, from ?? end - limit);
      if (start >= end) return { from: start, next: start, end, text: '' };
      const parts: Uint8Array[] = [];
      let [first, next] = [start, start];
      for await (const item of client.watch(full, { from: start })) {
        if (item.type === 'gap' && parts.length === 0) first = next = item.to;
        else if (item.type !== 'output') break;
        else {
          parts.push(new Uint8Array(item.bytes));
          next = item.offset + item.bytes.length;
        }
        if (next - first >= limit || next >= end) break;
      }
      const bytes = Buffer.concat(parts).subarray(0, limit);
      return { from: first, next: first + bytes.length, end, text: bytes.toString() };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/input',
    summary: 'Type text, exactly as it is',
    body: z.strictObject({
      text: z.string().max(INPUT_BYTES_MAX),
      key: z.string().min(1).max(200).optional().describe('the same key types once, however often it is sent'),
    }),
    answer: nothing,
    async run({ client, id, body: { text, key } }) {
      if (key === undefined) await client.write(id, text);
      else await client.writeOnce(id, key, text);
      return {};
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt',
    summary: 'Send a prompt as a careful user would, and see whether the session reacts',
    body: z.strictObject({
      text: z.string().min(1),
      key: z.string().min(1).max(200).optional(),
      force: z.boolean().optional(),
      clear: z.boolean().optional(),
      readyMs: z.int().min(0).max(600_000).optional().describe('how long to wait for an agent that starts'),
    }),
    answer: PROMPTED,
    run: ({ client, id, body: { text, ...options } }) => client.prompt(id, text, options),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/answer',
    summary: 'Answer the question of a blocked session, if it is still the same',
    body: z.strictObject({
      question: z.strictObject({ text: z.string(), subject: z.string().optional() }),
      option: z.string(),
    }),
    answer: ANSWERED,
    run: ({ client, id, body }) => client.answer(id, body),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/resize',
    summary: 'Change the size of the terminal',
    body: SIZE,
    answer: SESSION,
    run: ({ client, id, body }) => client.resize(id, body),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/stop',
    summary: 'Stop a session: SIGTERM, then SIGKILL after the grace period',
    body: z.strictObject({ graceMs: z.int().min(0).max(3_600_000).optional() }),
    answer: SESSION,
    run: ({ client, id, body }) => client.stop(id, body),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/kill',
    summary: 'Kill a session and its whole process tree',
    answer: SESSION,
    run: ({ client, id }) => client.kill(id),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/wait',
    summary: 'Answer when a condition holds, or after the timeout',
    query: z.strictObject({
      until: z
        .string()
        .max(100)
        .optional()
        .describe('exit, idle, blocked, prompt, output; several with commas (default: exit)'),
      after: count.optional(),
      timeoutMs: count.max(WAIT_MS_MAX).optional(),
    }),
    answer: waited,
    async run({ client, id, query: { until = 'exit', after, timeoutMs = WAIT_MS_MAX }, signal }) {
      const wanted = until.split(',').map((word) => {
        if (!isCondition(word)) throw new SpoolError('WAIT_UNKNOWN', { until: word });
        return word;
      });
      const result = await client.waitUntil(id, wanted, { after, timeoutMs, signal });
      const { reason } = result;
      const info = await client.get(id);
      return { reason, offset: info.offset, session: info };
    },
  }),
  route({
    method: 'GET',
    path: '/api/tasks',
    summary: 'List the tasks',
    answer: z.array(TASK),
    run: ({ client }) => client.tasks(),
  }),
  route({
    method: 'POST',
    path: '/api/tasks',
    summary: 'Start a task: a session with a result',
    body: z.strictObject(run),
    answer: TASK,
    async run({ client, body }) {
      const started = await client.run({ ...runOptions(body), isTask: true });
      return taskOf(started.info);
    },
  }),
  route({
    method: 'GET',
    path: '/api/tasks/:id',
    summary: 'One task',
    answer: TASK,
    async run({ client, id }) {
      const info = await client.get(id);
      if (!info.isTask) throw new SpoolError('NOT_A_TASK', { session: id });
      return taskOf(info);
    },
  }),
];

const ENDED = ['exited', 'failed', 'stopped', 'killed', 'lost'] as const;

const CONDITIONS = ['exit', 'idle', 'blocked', 'prompt', 'output'] as const;

function isCondition(word: string): word is (typeof CONDITIONS)[number] {
  return (CONDITIONS as readonly string[]).includes(word);
}
