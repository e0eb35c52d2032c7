/** What each request does. They have been checked against their schema before they get here. */
import { signalNumber } from '@spool/native';
import { type Op, type Requests, type RunRequest, type SessionInfo, SpoolError } from '@spool/protocol';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import type { Connection } from './connection.ts';
import type { Keeper } from './keeper.ts';
import type { Session } from './session.ts';
import { Watcher } from './watcher.ts';

export const GRACE_MS_DEFAULT = 5000;

/** Some 600 bytes each: a page stays well below the limit of a frame. */
const LIST_PAGE = 500;

type Handler<K extends Op> = (
  keeper: Keeper,
  ask: Requests[K]['ask'],
  connection: Connection,
  channel: number,
) => Requests[K]['answer'] | Promise<Requests[K]['answer']> | undefined;

const HANDLERS: { readonly [K in Op]: Handler<K> } = {
  run: (keeper, ask) => run(keeper, ask),

  list(keeper, { after }) {
    const sessions: SessionInfo[] = [];
    let isPast = after === undefined;
    for (const session of keeper.registry.all()) {
      if (sessions.length === LIST_PAGE) return { sessions, next: sessions.at(-1)!.id };
      if (isPast) sessions.push(session.info);
      else isPast = session.id === after;
    }
    // The session that the page was to follow has been removed meanwhile: begin again rather than end too soon.
    if (!isPast) return HANDLERS.list(keeper, {}, undefined as never, 0)!;
    return { sessions, next: null };
  },

  get: (keeper, { session }) => keeper.registry.find(session).info,

  watch(keeper, { session: reference, from, creditBytes }, connection, channel) {
    if (connection.watchers.has(channel)) throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
    const session = keeper.registry.find(reference);
    const { start, end } = session.log;
    const at =
      from === 'start'
        ? start
        : from === 'end'
          ? end
          : typeof from === 'number'
            ? from
            : Math.max(start, end - from.tailBytes);
    if (at > end) throw new SpoolError('REQUEST_INVALID', { from: at, end, reason: 'the log does not reach so far' });
    const watcher = new Watcher(connection, channel, session, at, creditBytes);
    connection.watchers.set(channel, watcher);
    connection.reply(channel, { id: session.id, from: at, offset: end } satisfies Requests['watch']['answer']);
    watcher.pump();
    return undefined;
  },

  unwatch(_keeper, { channel }, connection) {
    connection.watchers.get(channel)?.close();
    connection.feeds.delete(channel);
    connection.waits.get(channel)?.();
    connection.waits.delete(channel);
    return {};
  },

  resize(keeper, { session: reference, ...size }) {
    const session = keeper.registry.find(reference);
    session.resize(size);
    return session.info;
  },

  stop: (keeper, { session, graceMs }) =>
    end(keeper, keeper.registry.find(session), 'stop', graceMs ?? GRACE_MS_DEFAULT),

  kill: (keeper, { session }) => end(keeper, keeper.registry.find(session), 'kill', 0),

  signal(keeper, { session: reference, signal }) {
    const session = keeper.registry.find(reference);
    const number = signalNumber(signal);
    if (number === undefined) throw new SpoolError('REQUEST_INVALID', { signal, reason: 'there is no such signal' });
    session.signal(number);
    return session.info;
  },

  async closeInput(keeper, { session }) {
    await keeper.registry.find(session).closeInput();
    return {};
  },

  async remove(keeper, { session: reference, force }) {
    const session = keeper.registry.find(reference);
    if (session.isRunning) {
      if (!force) throw new SpoolError('SESSION_RUNNING', { session: session.id });
      await keeper.ender.end(session, 'kill', 0);
    }
    const { info } = session;
    keeper.remove(session);
    return info;
  },

  wait(keeper, { session: reference }, connection, channel) {
    const session = keeper.registry.find(reference);
    const forget = session.whenEnded(() => {
      connection.waits.delete(channel);
      connection.reply(channel, session.info);
    });
    if (session.isRunning) connection.waits.set(channel, forget);
    return undefined;
  },

  events(_keeper, _ask, connection, channel) {
    connection.feeds.add(channel);
    return {};
  },

  status: (keeper) => keeper.status(),

  async shutdown(keeper, { graceMs }) {
    await keeper.endAll(graceMs ?? GRACE_MS_DEFAULT);
    return {};
  },
};

export function handleRequest(keeper: Keeper, connection: Connection, channel: number, request: unknown): unknown {
  const { op, ...ask } = Object(request) as { op?: unknown };
  if (typeof op !== 'string' || !Object.hasOwn(HANDLERS, op)) {
    throw new SpoolError('REQUEST_UNKNOWN', { op: String(op).slice(0, 40) });
  }
  const parsed = REQUEST_SCHEMAS[op as Op].safeParse(ask);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new SpoolError('REQUEST_INVALID', { op, at: issue.path.join('.'), reason: issue.message });
  }
  const handler = HANDLERS[op as Op] as Handler<Op>;
  return handler(keeper, parsed.data as never, connection, channel);
}

async function run(keeper: Keeper, ask: RunRequest): Promise<SessionInfo> {
  // Sent again after a broken link: the session is there already.
  const known = keeper.registry.get(ask.id);
  if (known) return known.info;
  if (ask.name !== undefined && keeper.isNameTaken(ask.name)) throw new SpoolError('NAME_TAKEN', { name: ask.name });
  const session = await keeper.start(ask);
  return session.info;
}

async function end(keeper: Keeper, session: Session, by: 'stop' | 'kill', graceMs: number): Promise<SessionInfo> {
  await keeper.ender.end(session, by, graceMs);
  return session.info;
}
