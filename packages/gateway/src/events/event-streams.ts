/**
 * All readers of events: what each may know, and their heartbeats. Keeps API-2.
 */
import type { ServerResponse } from 'node:http';
import type { Client } from '@spool/client';
import { mayKnowAll, redactedEvent } from '../guard/redaction.ts';
import { isLimited, isWithin } from '../guard/scope.ts';
import type { Principal } from '../principal.ts';
import { EventFeed } from './event-feed.ts';
import { type Entry, EventRing } from './event-ring.ts';
import { EventStream } from './event-stream.ts';

const HEARTBEAT_MS = 10_000;

export interface Wanted {
  /** Full ids. */
  readonly sessions: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

export class EventStreams {
  readonly #ring: EventRing;
  readonly #feed: EventFeed;
  readonly #live = new Set<EventStream>();
  #beats: NodeJS.Timeout | null = null;

  /** `generation` differs from that of every other gateway. */
  constructor(keeper: Pick<Client, 'events' | 'list'>, generation: string) {
    this.#ring = new EventRing(generation);
    this.#feed = new EventFeed(keeper, this.#ring);
    this.#feed.onPush = () => {
      for (const stream of this.#live) stream.flush();
    };
  }

  /** Resolves when nothing can be missed any more. Called before `open`, while a request can still fail. */
  async prepare({ scope }: Principal): Promise<void> {
    await this.#feed.start();
    if (scope.labels !== undefined) await this.#feed.learn();
  }

  open(response: ServerResponse, principal: Principal, wanted: Wanted, lastId: string | undefined): void {
    const told = (entry: Entry): string | null => toldTo(principal, wanted, entry);
    const stream = new EventStream({ ring: this.#ring, response, told, lastId });
    this.#live.add(stream);
    response.on('error', () => {}); // `close` follows
    response.on('close', () => {
      this.#live.delete(stream);
      if (this.#live.size > 0 || !this.#beats) return;
      clearInterval(this.#beats);
      this.#beats = null;
    });
    this.#beats ??= setInterval(() => {
      for (const one of this.#live) one.beat();
    }, HEARTBEAT_MS).unref();
  }
}

/** What a token's holder who wants this is told of an event: JSON, or nothing. */
export function toldTo({ role, scope }: Principal, { sessions, types }: Wanted, entry: Entry): string | null {
  const { event, about, json } = entry;
  if (event.type === 'missed') return json;
  if (types?.has(event.type) === false) return null;
  if (sessions && !(about && sessions.has(about.id))) return null;
  if (isLimited(scope) && !(about && isWithin(scope, about) && event.at >= (scope.from ?? 0))) return null;
  return mayKnowAll(role) ? json : JSON.stringify(redactedEvent({ ...event }));
}
