/**
 * Filters the keeper's messages to a client with limited rights: messages about other sessions are left out, and fields that its
 * role may not see are removed. Output and screens pass unchanged; in the events of agents, names and folders are masked with
 * asterisks. Keeps DOOR-14 and DOOR-15.
 */
import {
  decodeJson,
  encodeFrames,
  type Frame,
  FrameFlag,
  FrameJoiner,
  FrameType,
  encodeFrame,
  type HistoryItem,
  type Op,
  type Role,
  type SessionInfo,
} from '@spool/protocol';
import { AgentEventsRedaction } from './agent-events.ts';
import { eventSince, sessionSince } from './beginning.ts';
import { mayKnowAll, redacted, redactedEvent, redactedHistory } from './redaction.ts';
import type { Request } from './requests.ts';
import type { Scope } from './scope.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The kind of session data in each answer: the answer is a session, has one as `session`, is a page of sessions, is the history of
 * one, starts a watch of events, or has none. Every request has a row.
 */
const ANSWERS: { readonly [K in Op]: 'is' | 'has' | 'page' | 'history' | 'watched' | 'nothing' } = {
  run: 'is',
  get: 'is',
  update: 'is',
  resize: 'is',
  stop: 'is',
  kill: 'is',
  signal: 'is',
  remove: 'is',
  wait: 'has',
  prompt: 'has',
  answer: 'has',
  list: 'page',
  explain: 'history',
  watchEvents: 'watched',
  watch: 'nothing',
  attach: 'nothing',
  view: 'nothing',
  screen: 'nothing',
  grids: 'nothing',
  marks: 'nothing',
  offsetAt: 'nothing',
  unwatch: 'nothing',
  events: 'nothing',
  SUBSCRIBE_WORKER_OUTPUT: 'nothing',
  UNSUBSCRIBE_WORKER_OUTPUT: 'nothing',
  command: 'nothing',
  closeInput: 'nothing',
  type: 'nothing',
  // Only an operator without limits gets these answers, so they are not filtered.
  status: 'nothing',
  renew: 'nothing',
  testNotification: 'nothing',
  shutdown: 'nothing',
  gateway: 'nothing',
  createToken: 'nothing',
  listTokens: 'nothing',
  revokeToken: 'nothing',
  audit: 'nothing',
  serveGateway: 'nothing',
  appendEvents: 'nothing',
  putCheckpoint: 'nothing',
  getCheckpoint: 'nothing',
  redeemToken: 'nothing',
  recordAudit: 'nothing',
  nodeNotice: 'nothing',
  notices: 'nothing',
  noticeDone: 'nothing',
};

/** The events log of an agent, as one client watches it. */
interface RedactedWatch {
  readonly redaction: AgentEventsRedaction;
  /** The first byte for the client, which may be inside a line; the keeper sends that line from its start. */
  readonly first: number | undefined;
  readonly creditBytes: number;
}

/** Returns an event as a role may see it, without content from before `since`; null if it is not for this client. */
export function eventFor(role: Role, since: number | undefined, event: Json): Json | null {
  const now = eventSince(since, event);
  return now === null || mayKnowAll(role) ? now : redactedEvent(now, role);
}

export class Answers {
  readonly #role: Role;
  readonly #scope: Scope;
  /** Lets the keeper send up to this offset. */
  readonly #grant: (channel: number, offset: number) => void;
  readonly #joiner = new FrameJoiner();
  /** The requests by channel. A subscription keeps its entry until the channel is reused. */
  readonly #asked = new Map<number, Op>();

  readonly #watched = new Map<number, RedactedWatch>();

  constructor(role: Role, scope: Scope, grant: (channel: number, offset: number) => void) {
    this.#role = role;
    this.#scope = scope;
    this.#grant = grant;
  }

  /** Notes a request that the client has sent. */
  expect(channel: number, request: Request): void {
    this.#asked.set(channel, request.op);
    this.#watched.delete(channel);
    if (request.op !== 'watchEvents' || mayKnowAll(this.#role)) return;
    const { from, creditBytes } = request;
    this.#watched.set(channel, {
      redaction: new AgentEventsRedaction(),
      first: typeof from === 'number' ? from : undefined,
      creditBytes: Number(creditBytes),
    });
  }

  /** Returns the frames for the client: none, the same frame, or another one. */
  filter(frame: Frame): readonly Uint8Array[] {
    if (frame.type === FrameType.reply) return this.#reply(frame);
    if (frame.type === FrameType.event) return this.#event(frame);
    const watched = frame.type === FrameType.output ? this.#watched.get(frame.channel) : undefined;
    if (watched) return this.#agentEvents(frame, watched);
    return [encodeFrame(frame.type, frame.channel, frame.payload, frame.offset, frame.flags)];
  }

  #reply(frame: Frame): readonly Uint8Array[] {
    const whole = this.#joiner.take(frame);
    if (whole === null) return [];
    const op = this.#asked.get(frame.channel);
    if (op !== 'events' && op !== 'attach' && op !== 'watch' && op !== 'watchEvents') this.#asked.delete(frame.channel);
    const payload =
      op === undefined || ANSWERS[op] === 'nothing'
        ? whole.payload
        : Buffer.from(JSON.stringify(this.#answer(op, decodeJson(whole.payload) as Json, frame.channel)));
    return encodeFrames(FrameType.reply, frame.channel, payload, frame.offset);
  }

  #answer(op: Op, answer: Json, channel: number): unknown {
    const has = ANSWERS[op];
    if (has === 'watched') return this.#watching(channel, answer);
    if (has === 'is') return this.#session(answer as unknown as SessionInfo);
    if (has === 'has') return { ...answer, session: this.#session(answer['session'] as SessionInfo) };
    if (has === 'history') return this.#history(answer);
    const { matching: _matching, ...page } = answer; // the total number is not revealed
    const within = (answer['sessions'] as readonly SessionInfo[]).filter((session) => this.#scope.has(session));
    return { ...(this.#scope.isLimited ? page : answer), sessions: within.map((session) => this.#session(session)) };
  }

  #agentEvents(
    { type, channel, payload, offset, flags }: Frame,
    { redaction, first = 0 }: RedactedWatch,
  ): Uint8Array[] {
    const bytes = redaction.redact(payload);
    const begin = Math.max(offset, first);
    return begin >= offset + bytes.length
      ? []
      : [encodeFrame(type, channel, bytes.subarray(begin - offset), begin, flags)];
  }

  /**
   * Handles a client that asked for the middle of a line: the keeper sends the whole line, and the bytes before the offset do not
   * use the client's credit.
   */
  #watching(channel: number, answer: Json): Json {
    const { first, creditBytes = 0 } = this.#watched.get(channel) ?? {};
    if (first === undefined || answer['from'] === first) return answer;
    this.#grant(channel, first + creditBytes);
    return { ...answer, from: first };
  }

  #session(session: SessionInfo): SessionInfo {
    this.#scope.has(session); // a session that was just started is in scope from now on
    const now = sessionSince(this.#scope.from, session);
    return mayKnowAll(this.#role) ? now : redacted(now, this.#role);
  }

  #history(answer: Json): Json {
    if (mayKnowAll(this.#role)) return answer;
    const { sideChannel: _sideChannel, ...rest } = answer; // the path of its socket contains a folder of the user
    return { ...rest, history: redactedHistory(rest['history'] as readonly HistoryItem[]) };
  }

  #event(frame: Frame): readonly Uint8Array[] {
    const event = decodeJson(frame.payload) as Json;
    if (event['type'] === 'gap') this.#watched.get(frame.channel)?.redaction.skipLine();
    if (!this.#isWithin(event)) return [];
    const told = eventFor(this.#role, this.#scope.from, event);
    if (told === event)
      return [encodeFrame(frame.type, frame.channel, frame.payload, frame.offset, frame.flags & ~FrameFlag.more)];
    return told === null
      ? []
      : [encodeFrame(frame.type, frame.channel, Buffer.from(JSON.stringify(told)), frame.offset)];
  }

  #isWithin(event: Json): boolean {
    if (!this.#scope.isLimited) return true;
    const { session, id, taskId, type } = event;
    if (type === 'notice') return this.#scope.hasId(String(session)); // about another session, sent to an attached viewer
    if (typeof session === 'object' && session !== null) return this.#scope.has(session as SessionInfo);
    const about = id ?? taskId;
    return about === undefined || this.#scope.hasId(String(about)); // without an id, it is about the watched session
  }
}
