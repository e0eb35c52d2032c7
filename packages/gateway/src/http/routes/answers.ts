/** The answers of routes, field by field. A test compares real answers with them: an undescribed field fails. */
import { z } from 'zod';

const time = z.number().describe('milliseconds since 1970');
const size = z.strictObject({
  cols: z.int(),
  rows: z.int(),
  widthPx: z.int().optional(),
  heightPx: z.int().optional(),
});

/** The status; its parts are described in docs/state.md, and grow with the supported agents. */
const status = z.looseObject({ state: z.enum(['starting', 'working', 'blocked', 'idle', 'exited']), since: time });

export const session = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    state: z.enum(['running', 'exited', 'failed', 'stopped', 'killed', 'lost']),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    pid: z.int().describe('0 for viewers and prompters'),
    startedAt: time,
    endedAt: time.nullable(),
    offset: z.int(),
    firstOffset: z.int(),
    command: z.array(z.string()).describe('only the program for viewers and prompters'),
    cwd: z.string().describe('empty for viewers and prompters'),
    size: size.nullable(),
    labels: z.record(z.string(), z.string()),
    watchers: z.int(),
    endedBy: z.string().nullable(),
    sizePolicy: z.enum(['latest', 'smallest', 'largest', 'fixed']),
    viewers: z.array(z.strictObject({ who: z.string(), size: size.nullable(), isReadOnly: z.boolean(), since: time })),
    typed: z.strictObject({ who: z.string(), at: time }).nullable(),
    trouble: z.string().nullable(),
    status,
    milestone: z.looseObject({}).nullable(),
    title: z.string(),
    lastOutputAt: time.nullable(),
    isTask: z.boolean(),
    taskName: z.string().nullable(),
    timeoutMs: z.number().nullable(),
    startedBy: z.looseObject({}).nullable(),
    driver: z.looseObject({ name: z.string() }).optional(),
    leftRunning: z
      .array(z.strictObject({ pid: z.int(), program: z.string(), service: z.string().nullable() }))
      .optional()
      .describe('processes that its end has left, because they serve others too; not for viewers and prompters'),
  })
  .meta({ id: 'Session' });

export const screen = z.strictObject({
  id: z.string(),
  offset: z.int(),
  at: time,
  cols: z.int(),
  rows: z.int(),
  isExact: z.boolean(),
  missingBytes: z.number().optional(),
  title: z.string(),
  content: z.string(),
});

export const output = z.strictObject({
  from: z.int().describe('the offset of the first byte; later than asked for if older output is gone'),
  next: z.int().describe('ask from here for what follows'),
  end: z.int().describe('the end of the log'),
  text: z.string().describe('as UTF-8, with escape sequences; bytes that are none are replaced'),
});

export const task = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    state: z.enum(['running', 'success', 'error', 'timeout', 'cancelled']),
    pid: z.int(),
    startedAt: time,
    finishedAt: time.nullable(),
    exitCode: z.int().nullable(),
    attachName: z.string(),
    timeoutMs: z.number().nullable(),
    labels: z.record(z.string(), z.string()),
    startedBy: z.looseObject({}).nullable(),
  })
  .meta({ id: 'Task' });

export const waited = z.strictObject({
  reason: z.string().describe('which condition held; timeout if none did'),
  offset: z.int(),
  session,
});

export const prompted = z.strictObject({
  isConfirmed: z.boolean(),
  reaction: z.string().nullable(),
  reason: z.string().nullable().describe('what is known of a prompt that is not confirmed'),
  offset: z.int(),
  isRepeated: z.boolean(),
  session,
});

export const answered = z.strictObject({ isConfirmed: z.boolean(), offset: z.int(), session });

export const nothing = z.strictObject({});

export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: 'Problem' });
