/**
 * Subscribes to the output of an agent by its name, as text: that of the session that has the name now, and then of each later one
 * that gets the name, by its start or by a rename, from its first byte. Output that a session writes after it has lost the name is
 * not passed on. `*` means every session. Keeps OUT-7.
 *
 * It learns of new sessions and renames from the daemon's events. These are not stored, so after a broken link it reads the list;
 * no byte is passed on twice. The bytes of each session come exactly once, because a `Watch` reads them.
 */
import { type SessionInfo, SpoolError } from '@spool/protocol';
import type { AbortSignalLike } from '../link/runtime.ts';
import type { Events, EventsOptions } from './events.ts';
import type { TextWatch, TextWatchOptions } from './text-watch.ts';
import type { WatchOptions } from './watch.ts';

export type OutputCallback = (data: string, ts: number, agent: string) => void;

export interface SubscribeOptions extends TextWatchOptions {
  /** The start in a session that already exists (default: `start`). Later sessions begin at their first byte. */
  readonly from?: WatchOptions['from'];
  /**
   * True (default): waits for a session with this name, and continues with the next one when it has ended. False: the name must
   * exist, and the subscription ends with its session.
   */
  readonly wait?: boolean | undefined;
  /** Called when a session has ended and all its output was passed on. */
  readonly onEnd?: ((info: SessionInfo) => void) | undefined;
  /**
   * Called with the error: a callback threw, the daemon is permanently gone, or, with `wait: false`, the session does not exist.
   * Without it, the error is an unhandled rejection, so that no program waits silently.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The methods of the client that it needs. */
export interface OutputSource {
  open(): Promise<void>;
  get(session: string): Promise<SessionInfo>;
  list(options: { readonly name?: string; readonly states?: readonly ['running'] }): Promise<readonly SessionInfo[]>;
  events(options: EventsOptions): Events;
  watchText(session: string, options: TextWatchOptions): TextWatch;
}

const ALL = '*';

/** Starts a subscription at once. Returns a function that ends it. */
export function subscribeOutput(
  source: OutputSource,
  agent: string,
  callback: OutputCallback,
  options: SubscribeOptions = {},
): () => void {
  const subscription = new OutputSubscription(source, agent, callback, options);
  void subscription.run();
  return () => subscription.close();
}

class OutputSubscription {
  readonly #source: OutputSource;
  readonly #agent: string;
  readonly #callback: OutputCallback;
  readonly #options: SubscribeOptions;
  readonly #signal: AbortSignalLike | undefined;
  /** Sessions that were followed, or are older than the subscription. */
  readonly #known = new Set<string>();
  readonly #following = new Map<string, FollowedSession>();
  /** The offsets up to which the output of sessions was passed on that have ended or lost the name. */
  readonly #toldTo = new Map<string, number>();
  /** The queue of sessions with the name, one after the other; with `*` they are followed in parallel. */
  #queue: Promise<void> = Promise.resolve();
  #events: Events | null = null;
  #isOver = false;

  constructor(source: OutputSource, agent: string, callback: OutputCallback, options: SubscribeOptions) {
    this.#source = source;
    this.#agent = agent;
    this.#callback = callback;
    this.#options = options;
    this.#signal = options.signal;
  }

  async run(): Promise<void> {
    try {
      if (this.#options.wait === false) await this.#followOne();
      else await this.#followAll();
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#isOver = true;
    this.#events?.close();
    for (const { watch } of this.#following.values()) watch?.close();
  }

  async #followOne(): Promise<void> {
    const session = await this.#source.get(this.#agent);
    this.#take(session, this.#options.from);
    await this.#queue;
  }

  async #followAll(): Promise<void> {
    // Events first, then the list, on one connection, so that no session can start unseen between the two.
    await this.#source.open();
    if (this.#isOver) return;
    this.#events = this.#source.events({ types: ['session-started', 'session-renamed'], signal: this.#signal });
    const { found, isId } = await this.#find();
    for (const session of found) this.#take(session, this.#options.from);
    if (isId) {
      this.#events.close();
      return await this.#queue;
    }
    for await (const event of this.#events) {
      if (event.type === 'session-started' && this.#isMeant(event.session)) this.#take(event.session);
      else if (event.type === 'session-renamed') await this.#renamed(event);
      else if (event.type === 'events-missed') await this.#catchUp();
    }
  }

  /** Finds existing sessions: the one that has the name now, or with `*` all running ones. Earlier sessions are left out. */
  async #find(): Promise<{ found: readonly SessionInfo[]; isId: boolean }> {
    const listed = await this.#listed();
    const running = listed.filter(({ state }) => state === 'running');
    const found = this.#agent === ALL || running.length > 0 ? running : listed.slice(-1);
    for (const { id } of listed) if (!found.some((each) => each.id === id)) this.#known.add(id);
    if (found.length > 0 || this.#agent === ALL) return { found, isId: false };
    const byId = await this.#byId();
    return { found: byId ? [byId] : [], isId: byId !== undefined };
  }

  async #byId(): Promise<SessionInfo | undefined> {
    try {
      const info = await this.#source.get(this.#agent);
      return info.id === this.#agent ? info : undefined; // a prefix may be a name too
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Returns the sessions, oldest first. */
  async #listed(): Promise<readonly SessionInfo[]> {
    return await this.#source.list(this.#agent === ALL ? {} : { name: this.#agent });
  }

  #isMeant({ name }: Pick<SessionInfo, 'name'>): boolean {
    return this.#agent === ALL || name === this.#agent;
  }

  async #renamed({ id, name, offset }: { id: string; name: string; offset: number }): Promise<void> {
    const following = this.#following.get(id);
    if (following) following.name = name;
    if (this.#agent === ALL) return;
    if (!this.#isMeant({ name })) return this.#lose(id, offset);
    if (following && following.until === Infinity) return;
    if (following) await following.ended; // the output from before it lost the name comes first
    const info = await this.#source.get(id).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    const isTold = this.#toldTo.has(id);
    if (!info || !this.#isMeant(info) || (isTold && info.state !== 'running')) return;
    const from = isTold ? offset : undefined;
    this.#known.delete(id);
    this.#take(info, from);
  }

  /** Notes that the session has another name from this offset on. */
  #lose(id: string, offset: number): void {
    const following = this.#following.get(id);
    if (!following) return;
    following.until = Math.min(following.until, offset);
    this.#toldTo.set(id, offset);
    // If escapes are removed, the last bytes may have no text that shows their arrival.
    const { ansi = 'keep' } = this.#options;
    if (following.toldTo >= following.until || ansi !== 'keep') following.watch?.close();
  }

  /** Reads the list after missed events. */
  async #catchUp(): Promise<void> {
    const listed = await this.#listed();
    for (const missed of listed) {
      const following = this.#following.get(missed.id);
      if (following) following.name = missed.name;
      this.#take(missed);
    }
    if (this.#agent === ALL) return;
    for (const id of this.#following.keys())
      if (!listed.some((session) => session.id === id)) this.#lose(id, this.#following.get(id)!.toldTo);
  }

  #take(session: SessionInfo, from: SubscribeOptions['from'] = 'start'): void {
    if (this.#known.has(session.id)) return;
    this.#known.add(session.id);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#following.set(session.id, { name: session.name, until: Infinity, toldTo: 0, watch: null, ended, end });
    const follow = (): Promise<void> =>
      this.#follow(session, from).catch((error: unknown) => {
        if (!isGone(error)) this.#fail(error); // it was removed: the next one with this name may come
      });
    this.#queue = this.#agent === ALL ? Promise.all([this.#queue, follow()]).then(() => {}) : this.#queue.then(follow);
  }

  #over(id: string): void {
    const following = this.#following.get(id);
    if (!following) return;
    this.#following.delete(id);
    this.#toldTo.set(id, following.toldTo);
    following.watch?.close();
    following.end();
  }

  async #follow({ id }: SessionInfo, from: SubscribeOptions['from']): Promise<void> {
    if (this.#isOver) return;
    const following = this.#following.get(id);
    if (!following || following.toldTo >= following.until) return void this.#over(id); // the session lost the name
    const watch = this.#source.watchText(id, { ...this.#options, from: from ?? 'start' });
    following.watch = watch;
    let hasEnded = false;
    try {
      for await (const item of watch) {
        if (this.#isOver) return; // the item was on its way when the subscription ended
        if (item.type === 'exit') hasEnded = true;
        if (item.type !== 'text') continue;
        if (item.offset >= following.until) break;
        this.#call(() => this.#callback(item.data, item.ts, following.name));
        following.toldTo = item.end;
        if (item.end >= following.until) break;
      }
    } finally {
      this.#over(id);
    }
    const { onEnd } = this.#options;
    if (!hasEnded || !onEnd || this.#isOver) return;
    const info = await this.#source.get(id);
    this.#call(() => onEnd(info));
  }

  /** Calls a callback; an exception in it does not end the subscription. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#tell(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver || this.#signal?.aborted) return; // the caller that ended it needs no error
    this.close();
    this.#tell(error);
  }

  #tell(error: unknown): void {
    const { onError = leaveUnhandled } = this.#options;
    onError(error);
  }
}

/** A session that is followed, or waits for its turn. */
interface FollowedSession {
  /** Its present name. */
  name: string;
  /** The offset at which it lost the name. */
  until: number;
  toldTo: number;
  watch: TextWatch | null;
  /** Resolves when all its output has been passed on. */
  readonly ended: Promise<void>;
  end(): void;
}

const isGone = (error: unknown): boolean => error instanceof SpoolError && error.code === 'SESSION_UNKNOWN';

function leaveUnhandled(error: unknown): void {
  void Promise.reject(error);
}
