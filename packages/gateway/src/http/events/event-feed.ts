/**
 * A single subscription to the daemon's events for all streams; it starts with the first stream. It knows the labels of every
 * session, because most events have only an id, and tokens may be limited to labels. Keeps API-2.
 */
import type { Client, EventItem } from '@spool/client';
import type { DaemonEvent, SessionInfo } from '@spool/protocol';
import type { EventRing } from './event-ring.ts';

/** The pause between two attempts to reach a keeper. */
const AGAIN_MS = 500;

type Source = Pick<Client, 'events' | 'list'>;

export class EventFeed {
  readonly #source: Source;
  readonly #ring: EventRing;
  readonly #labels = new Map<string, SessionInfo['labels']>();
  #started: Promise<void> | null = null;
  /** Called when a new event is in the ring; set by the owner. */
  onPush: () => void = () => {};

  constructor(source: Source, ring: EventRing) {
    this.#source = source;
    this.#ring = ring;
  }

  /** Resolves once the feed is subscribed: every later event will be in the ring. */
  async start(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = null;
      throw error;
    });
    await this.#started;
  }

  /** Reads the labels again: they can be changed without an event. */
  async learn(): Promise<void> {
    const sessions = await this.#source.list({});
    this.#labels.clear();
    for (const { id, labels } of sessions) this.#labels.set(id, labels);
  }

  async #start(): Promise<void> {
    const events = this.#source.events();
    try {
      await this.learn(); // the answer is newer than the subscription, which was requested before
    } catch (error) {
      events.close();
      throw error;
    }
    void this.#follow(events);
  }

  async #follow(first: AsyncIterable<EventItem>): Promise<void> {
    for (let events = first; ; events = this.#source.events()) {
      try {
        for await (const event of events) this.#take(event);
      } catch {
        // No keeper for longer than a client waits: the next one will come.
      }
      this.#missed();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  #take(event: EventItem): void {
    if (event.type === 'events-missed') return this.#missed();
    if ('session' in event) this.#labels.set(event.session.id, event.session.labels);
    const id = idOf(event);
    this.#ring.push(event, { id, labels: this.#labels.get(id) ?? {} });
    if (event.type === 'session-removed') this.#labels.delete(id);
    this.onPush();
  }

  #missed(): void {
    this.#ring.push({ type: 'missed', at: Date.now(), reason: 'link-broken' }, null);
    this.onPush();
    void this.learn().catch(() => {}); // the subscription also detects that the keeper is gone again
  }
}

function idOf(event: DaemonEvent): string {
  if ('session' in event) return event.session.id;
  return 'taskId' in event ? event.taskId : event.id;
}
