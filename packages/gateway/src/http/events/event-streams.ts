/** All readers of events: the events that each may see, and their heartbeats. Keeps API-2. */
import type { ServerResponse } from 'node:http';
import type { Client } from '@spool/client';
import { eventFor } from '../../auth/guard/answers.ts';
import { mayKnowAll } from '../../auth/guard/redaction.ts';
import { isLimited, isWithin } from '../../auth/guard/scope.ts';
import type { ConnectionFaults } from '../connection-faults.ts';
import type { Principal } from '../../auth/principal.ts';
import { EventFeed } from './event-feed.ts';
import { type RingEntry, EventRing } from './event-ring.ts';
import { EventStream } from './event-stream.ts';

const HEARTBEAT_MS = 10_000;

export interface EventQuery {
  /** The full ids of the requested sessions; null means all. */
  readonly sessions: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

/** A reader; its faults do not affect the others. */
type LiveStream = Pick<EventStream, 'flush' | 'beat'>;

export class EventStreams {
  readonly #ring: EventRing;
  readonly #feed: EventFeed;
  readonly #bind: ConnectionFaults['bind'];
  readonly #live = new Set<LiveStream>();
  #beats: NodeJS.Timeout | null = null;

  /** `generation` differs from that of every other gateway. */
  constructor(
    keeper: Pick<Client, 'events' | 'list'>,
    generation: string,
    bind: ConnectionFaults['bind'] = (act) => act,
  ) {
    this.#bind = bind;
    this.#ring = new EventRing(generation);
    this.#feed = new EventFeed(keeper, this.#ring);
    this.#feed.onPush = () => {
      for (const stream of this.#live) stream.flush();
    };
  }

  /**
   * Resolves once the feed is subscribed; later events are not missed. It is called before `open`, while a request can still
   * fail.
   */
  async prepare({ scope }: Principal): Promise<void> {
    await this.#feed.start();
    if (scope.labels !== undefined) await this.#feed.learn();
  }

  open(response: ServerResponse, principal: Principal, wanted: EventQuery, lastId: string | undefined): void {
    const told = (entry: RingEntry): string | null => toldTo(principal, wanted, entry);
    const stream = new EventStream({ ring: this.#ring, response, told, lastId });
    const live = { flush: this.#bind(() => stream.flush()), beat: this.#bind(() => stream.beat()) };
    this.#live.add(live);
    response.on('error', () => {}); // `close` follows
    response.on('close', () => {
      this.#live.delete(live);
      if (this.#live.size > 0 || !this.#beats) return;
      clearInterval(this.#beats);
      this.#beats = null;
    });
    this.#beats ??= setInterval(() => {
      for (const one of this.#live) one.beat();
    }, HEARTBEAT_MS).unref();
  }
}

/** Returns an event as JSON for the holder of a token with this query; null if it may not or does not want to see it. */
export function toldTo({ role, scope }: Principal, { sessions, types }: EventQuery, entry: RingEntry): string | null {
  const { event, about, json } = entry;
  if (event.type === 'missed') return json;
  if (types?.has(event.type) === false) return null;
  if (sessions && !(about && sessions.has(about.id))) return null;
  if (isLimited(scope) && !(about && isWithin(scope, about) && event.at >= (scope.from ?? 0))) return null;
  if (mayKnowAll(role) && scope.from === undefined) return json;
  const told = eventFor(role, scope.from, { ...event });
  return told && JSON.stringify(told);
}
