/**
 * What the keeper sends, on its way to a client that may not know everything: other sessions are taken out, and fields that its role
 * may not see are removed. Output and screens pass as they are; of the events of agents, names and folders become stars. Keeps DOOR-14
 * and DOOR-15.
 */
import {
  decodeJson,
  encodeFrames,
  type Frame,
  FrameFlag,
  FrameJoiner,
  FrameType,
  encodeFrame,
  type Op,
  type Role,
  type SessionInfo,
} from '@spool/protocol';
import { AgentEventsRedaction } from './agent-events.ts';
import { mayKnowAll, redacted, redactedEvent } from './redaction.ts';
import type { Request } from './requests.ts';
import type { Scope } from './scope.ts';

type Json = Readonly<Record<string, unknown>>;

/** The answer is a session. */
const IS_SESSION: ReadonlySet<Op> = new Set(['run', 'get', 'update', 'resize', 'stop', 'kill', 'signal', 'remove']);
/** It has one, as `session`. */
const HAS_SESSION: ReadonlySet<Op> = new Set(['wait', 'prompt', 'answer']);

/** The events log of an agent, as one client watches it. */
interface WatchedEvents {
  readonly redaction: AgentEventsRedaction;
  /** The first byte for the client, which may be in a line; the keeper sends the line from its beginning. */
  readonly first: number | undefined;
  readonly creditBytes: number;
}

export class Answers {
  readonly #role: Role;
  readonly #scope: Scope;
  /** Lets the keeper send up to this offset. */
  readonly #grant: (channel: number, offset: number) => void;
  readonly #joiner = new FrameJoiner();
  /** By channel. A subscription keeps its own until the channel is used again. */
  readonly #asked = new Map<number, Op>();

  readonly #watched = new Map<number, WatchedEvents>();

  constructor(role: Role, scope: Scope, grant: (channel: number, offset: number) => void) {
    this.#role = role;
    this.#scope = scope;
    this.#grant = grant;
  }

  /** This request of the client is on its way. */
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

  /** What the client gets: nothing, the same frame, or another. */
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
      op === undefined ||
      !(IS_SESSION.has(op) || HAS_SESSION.has(op) || op === 'list' || this.#watched.has(frame.channel))
        ? whole.payload
        : Buffer.from(JSON.stringify(this.#answer(op, decodeJson(whole.payload) as Json, frame.channel)));
    return encodeFrames(FrameType.reply, frame.channel, payload, frame.offset);
  }

  #answer(op: Op, answer: Json, channel: number): unknown {
    if (op === 'watchEvents') return this.#watching(channel, answer);
    if (IS_SESSION.has(op)) return this.#session(answer as unknown as SessionInfo);
    if (HAS_SESSION.has(op)) return { ...answer, session: this.#session(answer['session'] as SessionInfo) };
    const { matching: _matching, ...page } = answer; // how many there are in all is not told
    const within = (answer['sessions'] as readonly SessionInfo[]).filter((session) => this.#scope.has(session));
    return { ...(this.#scope.isLimited ? page : answer), sessions: within.map((session) => this.#session(session)) };
  }

  #agentEvents(
    { type, channel, payload, offset, flags }: Frame,
    { redaction, first = 0 }: WatchedEvents,
  ): Uint8Array[] {
    const bytes = redaction.redact(payload);
    const begin = Math.max(offset, first);
    return begin >= offset + bytes.length
      ? []
      : [encodeFrame(type, channel, bytes.subarray(begin - offset), begin, flags)];
  }

  /** The client asked for the middle of a line: the keeper sends all of it, and what comes before costs the client nothing. */
  #watching(channel: number, answer: Json): Json {
    const { first, creditBytes } = this.#watched.get(channel)!;
    if (first === undefined || answer['from'] === first) return answer;
    this.#grant(channel, first + creditBytes);
    return { ...answer, from: first };
  }

  #session(session: SessionInfo): SessionInfo {
    this.#scope.has(session); // a session that was just started is within from now on
    return mayKnowAll(this.#role) ? session : redacted(session);
  }

  #event(frame: Frame): readonly Uint8Array[] {
    const event = decodeJson(frame.payload) as Json;
    if (event['type'] === 'gap') this.#watched.get(frame.channel)?.redaction.skipLine();
    if (!this.#isWithin(event)) return [];
    if (mayKnowAll(this.#role))
      return [encodeFrame(frame.type, frame.channel, frame.payload, frame.offset, frame.flags & ~FrameFlag.more)];
    return [encodeFrame(frame.type, frame.channel, Buffer.from(JSON.stringify(redactedEvent(event))), frame.offset)];
  }

  #isWithin(event: Json): boolean {
    if (!this.#scope.isLimited) return true;
    const { session, id, taskId, type } = event;
    if (type === 'notice') return this.#scope.hasId(String(session)); // of another session, to an attached viewer
    if (typeof session === 'object' && session !== null) return this.#scope.has(session as SessionInfo);
    const about = id ?? taskId;
    return about === undefined || this.#scope.hasId(String(about)); // without an id: about the session that is watched
  }
}
