/**
 * Validates every request before it is used. Only the keeper imports this file, so that no client has to load zod. Keeps WIRE-4.
 */
import { z } from 'zod';
import { OPTION_KINDS } from './agent/kinds.ts';
import { REQUESTS_OPEN_MAX } from './agent/command-limits.ts';
import { AGENT_COMMAND_SCHEMA } from './agent/command-schema.ts';
import { AUDIT_ENTRIES_MAX } from './gateway.ts';
import { TILES_MAX } from './grid.ts';
import { ENDED_STATES } from './listing.ts';
import { LIMIT_NAMES } from './limits.ts';
import { type Op, type Requests, TIMEOUT_MS_MAX } from './messages.ts';
import { ROLES } from './roles.ts';

/** The maximum of variables that a resumed agent gets again. */
const KEPT_VARIABLES_MAX = 256;

const sessionRef = z.string().max(200);
const cells = z.int().min(1).max(10_000);
const pixels = z.int().min(0).max(100_000).optional();
const size = { cols: cells, rows: cells, widthPx: pixels, heightPx: pixels };
/** A text without NUL: the kernel accepts none in arguments and environment, and would silently truncate such a string. */
const cString = z
  .string()
  .max(512 * 1024)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL byte');
const shortText = z.string().max(200);
const name = z
  .string()
  .min(1, 'must have 1 to 100 characters')
  .max(100, 'must have 1 to 100 characters')
  .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/u, 'must have no control characters');

export const ID_PATTERN = /^[a-z0-9]{8,32}$/;

/** The maximum of owners; a command in the foreground has two: itself, and its caller. */
const OWNERS_MAX = 8;
const digits = z.string().regex(/^\d{1,20}$/, 'must be digits');
/** The identity of an owner, which may be pid 1, in a container. */
const owner = z.strictObject({ pid: z.int().min(1), startTicks: digits, bootId: shortText, pidNamespace: digits });

/** The path of an installation from which the next keeper is started. */
const programPath = cString.max(4096).regex(/^\//, 'must be an absolute path');
const programSource = z.strictObject({ folder: programPath, node: programPath });

const limit = z.int().min(0).nullable();
const sizePolicy = z.enum(['latest', 'smallest', 'largest', 'fixed']);
const offset = z.int().min(0);
const inputKey = z.string().min(1).max(200);
/** The maximum length of a line of the events log: a frame of a request holds it, escaped. */
export const EVENTS_LINE_BYTES_MAX = 768 * 1024;
const commandLine = {
  id: z.string().min(1).max(100),
  command: AGENT_COMMAND_SCHEMA,
};
const creditBytes = z
  .int()
  .min(0)
  .max(16 * 1024 * 1024);
const openRequest = z.strictObject({
  request: z.string().max(1000),
  type: z.enum(['permission', 'question']),
  tool: z.string().max(1000).nullable(),
  digest: z.string().min(1).max(100),
  bytes: offset,
  options: z
    .array(z.strictObject({ id: z.string().max(1000), label: z.string().max(1000), kind: z.enum(OPTION_KINDS) }))
    .max(100),
  isCut: z.boolean().optional(),
  offset,
});
const wireStatus = z.strictObject({
  state: z.enum(['working', 'blocked', 'idle']),
  kind: z.string().max(50).nullable(),
  why: z.string().max(10_000),
  activity: z.string().max(10_000).nullable(),
  thought: z.string().max(10_000).nullable(),
  said: z.string().max(10_000).optional(),
  question: z
    .strictObject({
      text: z.string().max(10_000),
      subject: z.string().max(10_000).optional(),
      options: z.array(z.strictObject({ key: z.string().max(50).nullable(), label: z.string().max(1000) })).max(100),
    })
    .optional(),
  requests: z.array(openRequest).max(REQUESTS_OPEN_MAX).optional(),
});
const historyLines = z.int().min(0).max(100_000).optional();
const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour, such as #a0b0c0')
  .optional();
const colours = z.object({ foreground: colour, background: colour, cursor: colour });

const port = z.int().min(0).max(65_535);
const shortPath = cString.max(4096);
const gatewayOptions = z.strictObject({
  port: port.optional(),
  host: z.string().min(1).max(255).optional(),
  basePath: z
    .string()
    .max(200)
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be a path such as /spool')
    .optional(),
  publicUrl: z
    .string()
    .max(500)
    .regex(
      /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~-]+)*\/?$/,
      'must be a URL such as https://spool.example.org/base',
    )
    .optional(),
  trustedProxies: z.array(z.string().max(100)).max(100).optional(),
  tls: z.union([z.strictObject({ cert: shortPath, key: shortPath }), z.enum(['own', 'self-signed'])]).optional(),
  tailscale: z.literal(true).optional(),
});
const scope = z.strictObject({
  sessions: z.array(z.string().regex(ID_PATTERN, 'must be the id of a session')).max(1000).optional(),
  labels: z.record(name, shortText).optional(),
  from: z.number().optional(),
});
const secret = z.string().max(200);

/**
 * The schemas. `strictObject`: a field of a later version would change the effect or the selection, so a daemon that does not
 * know it must not act (decision 030). `object`: such a field only changes the presentation, and is ignored.
 */
export const REQUEST_SCHEMAS: { readonly [K in Op]: z.ZodType<Requests[K]['ask']> } = {
  run: z
    .strictObject({
      id: z.string().regex(ID_PATTERN, 'must have 8 to 32 characters of a-z and 0-9'),
      command: z.array(cString).max(10_000),
      cwd: cString,
      base: z.literal('daemon').optional(),
      keptEnv: z.array(shortText.min(1)).max(KEPT_VARIABLES_MAX).optional(),
      env: z.record(
        z
          .string()
          .min(1)
          .refine((key) => !/[=\0]/.test(key), 'must be the name of a variable'),
        cString,
      ),
      name: name.optional(),
      labels: z.record(name, shortText).optional(),
      size: z.strictObject(size).optional(),
      umask: z.int().min(0).max(0o777).optional(),
      nofileSoft: z.int().min(3).optional(),
      limits: z.partialRecord(z.enum(LIMIT_NAMES), z.tuple([limit, limit])).optional(),
      nice: z.int().min(-20).max(19).optional(),
      timeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX).optional(),
      idleTimeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX).optional(),
      sizePolicy: sizePolicy.optional(),
      echo: z.boolean().optional(),
      retainBytes: z.int().min(0).optional(),
      retainMs: z.int().min(0).optional(),
      isTask: z.boolean().optional(),
      owners: z.array(owner).max(OWNERS_MAX).optional(),
      whileOwner: z.boolean().optional(),
      colours: colours.optional(),
      sideChannel: z.boolean().optional(),
      agent: z
        .strictObject({
          name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be the name of a driver'),
          commands: z.array(z.strictObject(commandLine)).max(100).optional(),
          options: z
            .strictObject({ model: shortText.optional(), mode: shortText.optional(), resume: shortText.optional() })
            .optional(),
          resumes: z.strictObject({ agentSession: shortText, session: sessionRef.optional() }).optional(),
          bridge: z.literal('http').optional(),
        })
        .optional(),
    })
    // Only a caller on another machine may leave these to the daemon.
    .refine(({ command, base }) => command.length > 0 || base === 'daemon', {
      path: ['command'],
      message: 'must have at least 1 item',
    })
    .refine(({ cwd, base }) => cwd.startsWith('/') || (base === 'daemon' && /^~(\/|$)/.test(cwd)), {
      path: ['cwd'],
      message: 'must be an absolute path',
    }),
  list: z.strictObject({
    after: sessionRef.optional(),
    states: z.array(z.enum(['running', ...ENDED_STATES])).optional(),
    name: z.string().max(200).optional(),
    labels: z.record(name, shortText).optional(),
    isTask: z.boolean().optional(),
    nameContains: z.array(shortText).optional(),
    labelKeys: z.array(name).optional(),
    statuses: z.array(z.enum(['starting', 'working', 'blocked', 'idle', 'exited'])).optional(),
    agents: z.array(shortText).optional(),
    order: z.enum(['oldest', 'newest']).optional(),
    limit: z.int().min(1).optional(),
  }),
  get: z.strictObject({ session: sessionRef }),
  watch: z.object({
    session: sessionRef,
    from: z.union([z.int().min(0), z.enum(['start', 'end']), z.strictObject({ tailBytes: z.int().min(0) })]),
    creditBytes: z
      .int()
      .min(0)
      .max(16 * 1024 * 1024),
    inside: shortText.optional(),
  }),
  attach: z.object({
    session: sessionRef,
    creditBytes: z
      .int()
      .min(0)
      .max(16 * 1024 * 1024),
    from: offset.optional(),
    size: z.object(size).optional(),
    isReadOnly: z.boolean().optional(),
    takeover: z.boolean().optional(),
    historyLines,
    colours: colours.optional(),
    followsSize: z.boolean().optional(),
    lateMs: z.int().min(0).max(3_600_000).optional(),
    isReattach: z.boolean().optional(),
    inside: shortText.optional(),
    typing: z.string().min(8).max(32),
  }),
  view: z.object({
    channel: z.int().min(0),
    size: z.object(size).optional(),
    isFocused: z.boolean().optional(),
    colours: colours.optional(),
    wantsSnapshot: z.literal(true).optional(),
    historyLines,
  }),
  screen: z.strictObject({
    session: sessionRef,
    at: z.union([z.strictObject({ offset }), z.strictObject({ time: z.number() })]).optional(),
    format: z.enum(['text', 'ansi', 'html', 'json', 'snapshot']),
    historyLines,
  }),
  grids: z.strictObject({
    tiles: z
      .array(
        z.strictObject({
          session: sessionRef,
          seen: z.strictObject({ offset, stamp: z.string().max(64) }).optional(),
        }),
      )
      .max(TILES_MAX),
  }),
  marks: z.strictObject({ session: sessionRef, from: offset }),
  offsetAt: z.strictObject({ session: sessionRef, time: z.number() }),
  update: z.strictObject({
    session: sessionRef,
    name: name.optional(),
    labels: z.record(name, shortText).optional(),
    sizePolicy: sizePolicy.optional(),
  }),
  unwatch: z.strictObject({ channel: z.int().min(0) }),
  resize: z.strictObject({ session: sessionRef, ...size }),
  stop: z.strictObject({
    session: sessionRef,
    graceMs: z.int().min(0).max(3_600_000).optional(),
    withServices: z.boolean().optional(),
  }),
  kill: z.strictObject({ session: sessionRef }),
  signal: z.strictObject({
    session: sessionRef,
    signal: z.string().regex(/^SIG[A-Z0-9+-]+$/, 'must be the name of a signal, such as SIGTERM'),
  }),
  closeInput: z.strictObject({ session: sessionRef }),
  remove: z.strictObject({ session: sessionRef, force: z.boolean().optional() }),
  wait: z.strictObject({
    session: sessionRef,
    until: z
      .array(z.enum(['exit', 'idle', 'blocked', 'prompt', 'output']))
      .min(1)
      .max(5)
      .optional(),
    after: offset.optional(),
    outputAfter: offset.optional(),
    wholeTree: z.boolean().optional(),
  }),
  answer: z.strictObject({
    session: sessionRef,
    question: z.strictObject({ text: z.string().max(10_000), subject: z.string().max(10_000).optional() }),
    option: z.string().max(10_000),
    confirmMs: z.int().min(0).max(600_000).optional(),
  }),
  prompt: z.strictObject({
    session: sessionRef,
    text: z
      .string()
      .min(1)
      .max(256 * 1024),
    key: inputKey.optional(),
    force: z.boolean().optional(),
    clear: z.boolean().optional(),
    confirmMs: z.int().min(0).max(600_000).optional(),
    readyMs: z.int().min(0).max(600_000).optional(),
  }),
  type: z.strictObject({ session: sessionRef, key: inputKey, base64: z.base64('must be base64').max(512 * 1024) }),
  watchEvents: z.strictObject({
    session: sessionRef,
    from: z.union([offset, z.enum(['start', 'end']), z.strictObject({ lineAt: offset })]),
    creditBytes,
  }),
  command: z.strictObject({ session: sessionRef, ...commandLine }),
  appendEvents: z.strictObject({
    session: sessionRef,
    end: offset,
    line: z
      .string()
      .max(EVENTS_LINE_BYTES_MAX)
      .refine((text) => !text.includes('\n'), 'must be one line')
      .optional(),
    status: wireStatus.optional(),
    consumed: offset,
    isLast: z.boolean().optional(),
  }),
  putCheckpoint: z.strictObject({ session: sessionRef, base64: z.base64('must be base64').max(EVENTS_LINE_BYTES_MAX) }),
  getCheckpoint: z.strictObject({ session: sessionRef }),
  explain: z.strictObject({ session: sessionRef }),
  events: z.strictObject({
    sessions: z.array(sessionRef).max(1000).optional(),
    types: z.array(z.string().max(50)).max(50).optional(),
  }),
  SUBSCRIBE_WORKER_OUTPUT: z.strictObject({
    agent: sessionRef.min(1, 'must name an agent'),
    from: offset.optional(),
    wait: z.boolean().optional(),
    flushMs: z.int().min(0).max(60_000).optional(),
    maxBytes: z
      .int()
      .min(16)
      .max(64 * 1024)
      .optional(),
    chunking: z.enum(['raw', 'line', 'semantic']).optional(),
    ansi: z.enum(['keep', 'strip', 'text']).optional(),
  }),
  UNSUBSCRIBE_WORKER_OUTPUT: z.strictObject({ channel: z.int().min(0) }),
  status: z.strictObject({}),
  renew: z.strictObject({ part: z.enum(['holder', 'keeper']), program: programSource.optional() }),
  testNotification: z.strictObject({}),
  gateway: z.strictObject({ action: z.enum(['start', 'stop', 'status']), options: gatewayOptions.optional() }),
  serveGateway: z.strictObject({
    info: z
      .strictObject({
        pid: z.int(),
        host: shortText,
        port,
        url: z.string().max(1000),
        startedAt: z.number(),
        options: gatewayOptions,
        trust: z.strictObject({ url: z.string().max(1000), fingerprint: shortText }).optional(),
      })
      .optional(),
    failure: z
      .strictObject({ code: z.string(), details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) })
      .optional() as z.ZodType<Requests['serveGateway']['ask']['failure']>,
    options: gatewayOptions.optional(),
  }),
  createToken: z.strictObject({
    kind: z.enum(['token', 'code', 'share']),
    role: z.enum(ROLES),
    name: name.optional(),
    scope: scope.optional(),
    expiresAt: z.number().optional(),
    uses: z.int().min(1).max(1_000_000).optional(),
  }),
  listTokens: z.strictObject({}),
  revokeToken: z.strictObject({ token: shortText }),
  redeemToken: z.strictObject({ token: secret, name, port, publicKey: z.string().max(200) }),
  notices: z.strictObject({ after: z.number().min(0) }),
  noticeDone: z.strictObject({
    n: z.number(),
    outcomes: z
      .array(
        z.strictObject({
          channel: z.enum(['desktop', 'command', 'webhook', 'ntfy', 'push']),
          trouble: z.string().max(1000).nullable(),
        }),
      )
      .max(1000),
  }),
  recordAudit: z.strictObject({
    entries: z
      .array(
        z.strictObject({
          at: z.number(),
          token: shortText.nullable(),
          who: shortText,
          what: shortText,
          session: shortText.optional(),
          address: shortText.optional(),
          note: z.string().max(500).optional(),
        }),
      )
      .max(AUDIT_ENTRIES_MAX),
  }),
  audit: z.strictObject({ after: offset.optional() }),
  shutdown: z.strictObject({ graceMs: z.int().min(0).max(3_600_000).optional() }),
};
