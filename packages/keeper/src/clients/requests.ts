/** The handler of each request. Requests are validated against their schema before they get here. */
import { promptText } from '../input/prompt-text.ts';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import {
  type Grid,
  type TileAsk,
  type DaemonEvent,
  type LogMarkInfo,
  type Op,
  type Prompted,
  type Requests,
  type RunRequest,
  type SessionInfo,
  signalNumberIn,
  SpoolError,
} from '@spool/protocol';
import { requestFault } from '@spool/protocol/request-fault';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import { checkResumed } from '../agents/resume-check.ts';
import type { SessionAgent } from '../agents/session-agent.ts';
import { attach } from '../viewers/attach.ts';
import { refuseLoop } from '../viewers/loops.ts';
import { debugRequest, isDebugged } from '../daemon-log.ts';
import { ALL_AGENTS, textWatcher } from '../viewers/output-subscriptions.ts';
import { checkOwners } from '../children/owner-watch.ts';
import { checkReaches } from '../viewers/check-reaches.ts';
import type { ClientConnection } from './connection.ts';
import { DOOR_HANDLERS } from './gateway-requests.ts';
import type { Keeper } from '../keeper.ts';
import { answerQuestion } from '../input/answering.ts';
import { listPage } from '../sessions/listing.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { readEnvironment, withKeptEnvironment } from '../agents/kept-environment.ts';
import { runFromAfar } from '../sessions/run-from-afar.ts';
import { sideChannelOf } from '../agents/side-channel/side-channel.ts';
import { isSameRun } from '../children/spawner.ts';
import { Watcher } from '../viewers/watcher.ts';

/** The maximum of concurrent waits of one client. */
const WAITS_MAX = 10_000;

/** The marks in one page, each below 100 bytes. */
const MARKS_PAGE = 5000;

/** The entries in one answer, each below 300 bytes; the file holds a few thousand. */
const HISTORY_MAX = 2000;

/** A session without a terminal has no screen; its last bytes replace it. */

type Handler<K extends Op> = (
  keeper: Keeper,
  ask: Requests[K]['ask'],
  connection: ClientConnection,
  channel: number,
) => Requests[K]['answer'] | Promise<Requests[K]['answer']> | undefined;

const HANDLERS: { readonly [K in Op]: Handler<K> } = {
  ...DOOR_HANDLERS,

  run: (keeper, ask, connection) => run(keeper, runFromAfar(ask), connection),

  list(keeper, ask, connection, channel) {
    connection.replyJson(channel, listPage(keeper.registry.all(), ask));
    return undefined;
  },

  get: (keeper, { session }) => keeper.registry.find(session).info,

  watch(keeper, { session: reference, from, creditBytes, inside }, connection, channel) {
    if (connection.watchers.has(channel)) throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
    const session = readable(keeper.registry.find(reference), connection);
    refuseLoop(keeper.registry, session.id, inside);
    const { start, end } = session.log;
    const at =
      from === 'start'
        ? start
        : from === 'end'
          ? end
          : typeof from === 'number'
            ? from
            : Math.max(start, end - from.tailBytes);
    checkReaches(end, at);
    const watcher = new Watcher({ connection, channel, session, from: at, creditBytes, inside });
    connection.watchers.set(channel, watcher);
    connection.reply(channel, { id: session.id, from: at, offset: end } satisfies Requests['watch']['answer']);
    watcher.pump();
    return undefined;
  },

  attach(keeper, ask, connection, channel) {
    const session = readable(keeper.registry.find(ask.session), connection);
    refuseLoop(keeper.registry, session.id, ask.inside);
    return attach(session, ask, connection, channel);
  },

  view(_keeper, { channel, ...change }, connection) {
    const watcher = connection.watchers.get(channel);
    const viewer = watcher?.session.viewers.of(watcher);
    if (!watcher || !viewer)
      throw new SpoolError('REQUEST_INVALID', { channel, reason: 'no viewer is attached on it' });
    watcher.session.view.change(viewer, change);
    return {};
  },

  async screen(keeper, { session: reference, at, format, historyLines = 0 }, connection) {
    const session = keeper.registry.find(reference);
    const ask = (left?: AbortSignal) => session.screen({ type: 'screen', at: at ?? null, format, historyLines }, left);
    const answer = await (at || !session.isRunning ? connection.inTurn(ask) : ask());
    const { type: _type, ...screen } = answer;
    return { id: session.id, ...screen };
  },

  async grids(keeper, { tiles }) {
    const grids = await Promise.all(tiles.map((tile) => gridOf(keeper, tile)));
    return { grids: grids.filter((grid) => grid !== null) };
  },

  marks(keeper, { session, from }) {
    const { log } = keeper.registry.find(session);
    const marks: LogMarkInfo[] = [];
    for (const mark of log.marks(from, log.end)) {
      // A page ends between two offsets, so that the next page starts with a new offset.
      if (marks.length >= MARKS_PAGE && mark.offset > marks.at(-1)!.offset) return { marks, next: mark.offset };
      marks.push(mark);
    }
    return { marks, next: null };
  },

  offsetAt: (keeper, { session, time }) => ({ offset: keeper.registry.find(session).log.offsetAt(time) }),

  update(keeper, { session: reference, ...change }) {
    const session = keeper.registry.find(reference);
    if (change.name !== undefined && change.name !== session.name && keeper.isNameTaken(change.name, session.id)) {
      throw new SpoolError('NAME_TAKEN', { name: change.name });
    }
    const before = session.name;
    session.update(change);
    if (session.name !== before) keeper.renamed(session, before);
    return session.info;
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
    session.view.resize(size);
    return session.info;
  },

  async stop(keeper, { session: reference, graceMs = keeper.graceMs, withServices }) {
    const session = keeper.registry.find(reference);
    await keeper.terminator.end(session, 'stop', graceMs, { withServices });
    return session.info;
  },

  async kill(keeper, { session: reference }) {
    const session = keeper.registry.find(reference);
    await keeper.terminator.end(session, 'kill', 0);
    return session.info;
  },

  signal(keeper, { session: reference, signal }) {
    const session = keeper.registry.find(reference);
    const number = signalNumberIn(constants.signals, signal);
    if (number === undefined)
      throw new SpoolError('ARGUMENT_INVALID', {
        argument: 'signal',
        value: signal,
        reason: 'unknown signal',
      });
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
      if (!force) throw new SpoolError('SESSION_RUNNING', { session: session.name });
      await keeper.terminator.end(session, 'kill', 0);
      // We may not kill it (it changed to another user), or it is stuck in the kernel.
      if (session.isRunning) throw new SpoolError('SESSION_RUNNING', { session: session.name });
    }
    const { info } = session;
    keeper.remove(session);
    return info;
  },

  wait(keeper, { session: reference, until = ['exit'], wholeTree = false, ...wanted }, connection, channel) {
    if (connection.waits.has(channel)) throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
    if (connection.waits.size >= WAITS_MAX) throw new SpoolError('TOO_MANY', { waits: WAITS_MAX });
    const session = keeper.registry.find(reference);
    let isForgotten = false;
    connection.waits.set(channel, () => {
      isForgotten = true;
      forget?.();
    });
    const forget = session.wait({ until, ...wanted }, async (waited) => {
      if (wholeTree && waited.reason === 'exit') await keeper.terminator.settled(session);
      if (isForgotten) return;
      connection.waits.delete(channel);
      connection.reply(channel, waited);
    });
    return undefined;
  },

  watchEvents(keeper, { session: reference, from, creditBytes }, connection, channel) {
    if (connection.watchers.has(channel)) throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
    const session = keeper.registry.find(reference);
    const agent = agentOf(session);
    const { start, end } = agent.log;
    const asked = from === 'start' ? start : from === 'end' ? end : typeof from === 'number' ? from : from.lineAt;
    checkReaches(end, asked);
    // A part that retention has dropped is reported as a gap.
    const at = typeof from === 'object' && asked > start ? agent.events.lineStart(asked) : asked;
    const watcher = new Watcher({ connection, channel, session, from: at, creditBytes, events: agent });
    connection.watchers.set(channel, watcher);
    connection.reply(channel, { id: session.id, from: at, offset: end } satisfies Requests['watchEvents']['answer']);
    watcher.pump();
    return undefined;
  },

  command: (keeper, { session, id, command }, connection) =>
    agentOf(keeper.registry.find(session)).command({ id, command }, connection.who),

  appendEvents: (keeper, ask, connection) => drivenBy(keeper, ask, connection).append(ask),

  async putCheckpoint(keeper, ask, connection) {
    await drivenBy(keeper, ask, connection).checkpoint.write(ask.base64);
    return {};
  },

  getCheckpoint: async (keeper, ask, connection) => ({
    base64: await drivenBy(keeper, ask, connection).checkpoint.read(),
  }),

  prompt(keeper, ask, connection) {
    const session = keeper.registry.find(ask.session);
    if (session.agent === null || !session.isHeadless) return keeper.prompter.prompt(session, ask, connection.who);
    return promptAgent(session, session.agent, ask, connection.who);
  },

  answer: (keeper, ask, connection) => answerQuestion(keeper.registry.find(ask.session), ask, connection.who),

  async type(keeper, { session, key, base64 }, connection) {
    const bytes = Buffer.from(base64, 'base64');
    const { isHeadless, input, name } = keeper.registry.find(session);
    const isDriver = connection.driverOf !== null;
    if (isDriver && !isHeadless) throw new SpoolError('NOT_ALLOWED', { reason: 'no driver types into a terminal' });
    if (isHeadless && !isDriver) throw new SpoolError('AGENT_ON_WIRE', { session: name });
    return { isRepeated: !(await input.writeOnce(key, bytes, isDriver ? null : connection.who)) };
  },

  async explain(keeper, { session: reference }) {
    const session = keeper.registry.find(reference);
    const answer = await session.screen({ type: 'explain' });
    // The status of an agent with a side channel has more than its screen shows.
    const status = (session.isRunning && session.agent === null ? answer.status : null) ?? session.status;
    const sideChannel = sideChannelOf(session.run);
    return { id: session.id, status, history: answer.history.slice(-HISTORY_MAX), ...(sideChannel && { sideChannel }) };
  },

  events(keeper, { sessions, types }, connection, channel) {
    const ids = sessions && new Set(sessions.map((reference) => keeper.registry.find(reference).id));
    const wanted = types && new Set(types);
    connection.feeds.set(
      channel,
      (event) =>
        (wanted ? wanted.has(event.type) : event.type !== 'session-summary') && (!ids || ids.has(sessionOf(event))),
    );
    return {};
  },

  SUBSCRIBE_WORKER_OUTPUT: (keeper, ask, connection, channel) => subscribe(keeper, ask, connection, channel),

  UNSUBSCRIBE_WORKER_OUTPUT(_keeper, { channel }, connection) {
    connection.watchers.get(channel)?.close();
    connection.waits.get(channel)?.();
    connection.waits.delete(channel);
    return {};
  },

  status: (keeper) => keeper.status(),

  testNotification: (keeper) => keeper.testNotification(),

  async renew(keeper, { part, program, back }) {
    await (part === 'holder' ? keeper.renewHolder() : keeper.stepDown(program, back));
    return {};
  },

  async shutdown(keeper, { graceMs }) {
    return { leftRunning: await keeper.endAll(graceMs ?? keeper.graceMs) };
  },
};

/** The requests that a driver may make, about its session. */
const OPS_OF_DRIVERS: ReadonlySet<Op> = new Set([
  'get',
  'watch',
  'watchEvents',
  'unwatch',
  'appendEvents',
  'putCheckpoint',
  'getCheckpoint',
  'type',
  'closeInput',
  'wait',
]);

/** Returns the agent whose driver has sent the request. */
function drivenBy(keeper: Keeper, ask: { readonly session: string }, connection: ClientConnection): SessionAgent {
  const session = keeper.registry.find(ask.session);
  if (connection.driverOf !== session.id) throw new SpoolError('NOT_ALLOWED', { reason: 'only its driver may' });
  return agentOf(session);
}

function agentOf({ agent, name }: KeeperSession): SessionAgent {
  if (agent === null) throw new SpoolError('NOT_AN_AGENT', { session: name });
  return agent;
}

/**
 * Sends a prompt to an agent. Its driver submits it as soon as the agent accepts it, so the screen is not examined, and no dialog
 * can be in the way.
 */
function promptAgent(
  session: KeeperSession,
  agent: SessionAgent,
  { text: asked, key }: Requests['prompt']['ask'],
  who: string,
): Prompted {
  const text = promptText(session.name, asked);
  const { offset } = session.info;
  const id = key ?? randomUUID();
  const command = { do: 'prompt' as const, clientId: id, content: [{ type: 'text' as const, text }] };
  const { isRepeated } = agent.command({ id, command }, who);
  return { isConfirmed: true, reaction: null, reason: null, offset, isRepeated, session: session.info };
}

function sessionOf(event: DaemonEvent): string {
  if ('session' in event) return event.session.id;
  return 'id' in event ? event.id : event.taskId;
}

export function handleRequest(
  keeper: Keeper,
  connection: ClientConnection,
  channel: number,
  request: unknown,
): unknown {
  const { op, ...ask } = Object(request) as { op?: unknown };
  if (typeof op !== 'string' || !Object.hasOwn(HANDLERS, op)) {
    throw new SpoolError('REQUEST_UNKNOWN', { op: String(op).slice(0, 40) });
  }
  const { driverOf } = connection;
  if (driverOf !== null && !(OPS_OF_DRIVERS.has(op as Op) && isAbout(ask, driverOf)))
    throw new SpoolError('NOT_ALLOWED', { reason: 'a driver may ask only about its session' });
  const parsed = REQUEST_SCHEMAS[op as Op].safeParse(ask);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const { field, sentence: reason } = requestFault(issues);
    // A later version may know this key, so the error is the same as for an unknown request.
    throw new SpoolError(issues[0]!.code === 'unrecognized_keys' ? 'REQUEST_UNKNOWN' : 'REQUEST_INVALID', {
      op,
      field,
      reason,
    });
  }
  const handler = HANDLERS[op as Op] as Handler<Op>;
  const answer = (): unknown => handler(keeper, parsed.data as never, connection, channel);
  const handle = (): unknown => (keeper.isWhole ? answer() : whenKnown(keeper, op as Op, parsed.data).then(answer));
  if (!isDebugged) return handle();
  return debugRequest(connection.who, op, (parsed.data as { session?: unknown }).session, handle);
}

const isAbout = (ask: { session?: unknown; channel?: unknown }, session: string): boolean =>
  ask.session === session || (ask.session === undefined && ask.channel !== undefined);

/** Waits, in a keeper that has just started, until the sessions of this request have been loaded from the disk. */
async function whenKnown(keeper: Keeper, op: Op, asked: object): Promise<void> {
  const ask = asked as { id?: string; session?: string; agent?: string; sessions?: string[]; states?: string[] };
  if (op === 'run') {
    const { session } = (asked as RunRequest).agent?.resumes ?? {};
    if (session !== undefined) await keeper.whenKnown(session);
    return keeper.whenKnown(ask.id!, true);
  }
  if (op === 'list') return ask.states?.join() === 'running' ? undefined : keeper.whenKnown();
  for (const reference of ask.sessions ?? [ask.session ?? ask.agent])
    if (reference !== undefined) await keeper.whenKnown(reference);
}

/** Throws if the session's output is the wire of an agent, and this client may not read wires. */
function readable(session: KeeperSession, connection: ClientConnection): KeeperSession {
  if (!session.isHeadless || connection.mayReadWires) return session;
  throw new SpoolError('ROLE_TOO_LOW', { what: 'the raw output of an agent', needed: 'operator' });
}

function subscribe(
  keeper: Keeper,
  ask: Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'],
  connection: ClientConnection,
  channel: number,
): undefined {
  if (connection.watchers.has(channel) || connection.waits.has(channel))
    throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
  if (ask.wait !== false && keeper.registry.get(ask.agent) === undefined)
    return subscribeByName(keeper, ask, connection, channel);
  const session = readable(keeper.registry.find(ask.agent), connection);
  const { end } = session.log;
  const from = ask.from ?? end;
  checkReaches(end, from);
  const { watcher } = textWatcher({ connection, channel, session, ask, from });
  connection.watchers.set(channel, watcher);
  connection.reply(channel, { id: session.id, offset: from } satisfies Requests['SUBSCRIBE_WORKER_OUTPUT']['answer']);
  watcher.pump();
  return undefined;
}

/** Subscribes to the output of a name. A prefix of an id counts as a name here: it could belong to another session later. */
function subscribeByName(
  keeper: Keeper,
  ask: Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'],
  connection: ClientConnection,
  channel: number,
): undefined {
  if (connection.waits.size >= WAITS_MAX) throw new SpoolError('TOO_MANY', { waits: WAITS_MAX });
  const named = [...keeper.registry.all()].filter(({ name }) => ask.agent === ALL_AGENTS || name === ask.agent);
  const running = named.filter(({ isRunning }) => isRunning);
  // The output of an ended session is sent only on request: it has no new output.
  const present = running.length > 0 || ask.from === undefined || ask.agent === ALL_AGENTS ? running : named.slice(-1);
  const one = ask.agent === ALL_AGENTS ? undefined : present.at(-1);
  if (one && ask.from !== undefined) checkReaches(one.log.end, ask.from);
  const offset = one ? (ask.from ?? one.log.end) : 0;
  connection.reply(channel, {
    id: one?.id ?? null,
    offset,
  } satisfies Requests['SUBSCRIBE_WORKER_OUTPUT']['answer']);
  connection.waits.set(channel, keeper.outputSubscriptions.add(connection, channel, ask, one ? [one] : present));
  return undefined;
}

async function run(keeper: Keeper, ask: RunRequest, { who }: ClientConnection): Promise<SessionInfo> {
  // The request was sent again after a broken link, and the session already exists.
  const known = keeper.registry.get(ask.id);
  if (known) {
    if (!isSameRun(known.run, ask)) throw new SpoolError('ID_TAKEN', { session: known.name });
    return known.info;
  }
  // The name of a task is only a label: its session is named by a number.
  if (ask.name !== undefined && !ask.isTask && keeper.isNameTaken(ask.name, ask.id))
    throw new SpoolError('NAME_TAKEN', { name: ask.name });
  if (ask.whileOwner) checkOwners(ask);
  checkResumed(keeper, ask);
  const { session: before } = ask.agent?.resumes ?? {};
  const kept = before === undefined ? {} : readEnvironment(keeper.registry.find(before).file.folder);
  const session = await keeper.start({ ...withKeptEnvironment(ask, kept), startedBy: who });
  return session.info;
}

/** Returns null for a session that has not changed, has gone, or has no screen: a wall shows the others. */
async function gridOf(keeper: Keeper, { session: reference, seen }: TileAsk): Promise<Grid | null> {
  try {
    const session = keeper.registry.find(reference);
    if (session.log.end === seen?.offset) return null;
    const answer = await session.screen({ type: 'grid', stamp: seen?.stamp, historyLines: 0 });
    const { type: _type, ...grid } = answer;
    return { id: session.id, ...grid };
  } catch (error) {
    if (SpoolError.is(error)) return null;
    throw error;
  }
}
