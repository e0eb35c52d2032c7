/**
 * The client: everything that can be asked of a daemon, over one connection that mends itself.
 *
 * What a broken link means depends on what was asked, and is decided here, verb by verb: what does no harm twice is asked
 * again (`run` has an id of our choosing for that), input and signals are not. Answers are final; only silence is retried.
 */
import type {
  DaemonStatus,
  LogMarkInfo,
  Requests,
  RunRequest,
  ScreenFormat,
  SessionInfo,
  Size,
  SizePolicy,
} from '@spool/protocol';
import { SpoolError } from '@spool/protocol';
import { Attachment, type AttachOptions } from './attachment.ts';
import { Events, type EventsOptions } from './events.ts';
import { Input } from './input.ts';
import { Link, type LinkOptions } from './link.ts';
import { Requester } from './requests.ts';
import { Session } from './session.ts';
import { abortController, type AbortSignalLike, type Surroundings, utf8 } from './surroundings.ts';
import { Watch, type WatchOptions } from './watch.ts';

export type ClientOptions = LinkOptions;

export interface RunOptions {
  readonly command: readonly string[];
  /** The caller's folder and environment (cleaned), unless told. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** A terminal of this size, 80 × 24 unless told; null: no terminal but pipes. */
  readonly size?: Size | null | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whose size the terminal has when several are attached. */
  readonly sizePolicy?: SizePolicy | undefined;
  readonly umask?: number | undefined;
  readonly nofileSoft?: number | undefined;
  readonly retainBytes?: number | undefined;
  readonly retainMs?: number | undefined;
  /** Made up unless told. The same id starts nothing twice. */
  readonly id?: string | undefined;
}

export interface ScreenOptions {
  /** Now, unless told. */
  readonly at?: { readonly offset: number } | { readonly time: number } | undefined;
  /** `text` unless told. */
  readonly format?: ScreenFormat | undefined;
  /** So many lines above the screen too. */
  readonly historyLines?: number | undefined;
}

export type Screen = Requests['screen']['answer'];

export interface UpdateOptions {
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly sizePolicy?: SizePolicy | undefined;
}

export interface StopOptions {
  readonly graceMs?: number | undefined;
}

export interface WaitOptions {
  /** Past it the session is answered as it is then: `running`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };

/** A session is named by id, by a unique beginning of its id, or by name; '' is the latest. */
export class Client {
  readonly #surroundings: Surroundings;
  readonly #link: Link;
  readonly #requester: Requester;
  readonly #input: Input;

  constructor(surroundings: Surroundings, options: ClientOptions = {}) {
    this.#surroundings = surroundings;
    this.#link = new Link(surroundings, options);
    this.#requester = new Requester(this.#link);
    this.#input = new Input(this.#requester, surroundings);
  }

  /** Opens the connection now instead of at the first request, so that what is wrong shows at once. */
  async open(): Promise<void> {
    await this.#link.connection();
  }

  /** Starts a session. Resolves when the child runs, rejects when it cannot be started. */
  async run(options: RunOptions): Promise<Session> {
    const info = await this.#requester.again('run', this.#runRequest(options));
    this.#requester.remember(info.id);
    return new Session(this, info);
  }

  /** All sessions, oldest first. */
  async list(): Promise<readonly SessionInfo[]> {
    // By id: the keeper begins again when the session that a page was to follow was removed in between.
    const sessions = new Map<string, SessionInfo>();
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#requester.again('list', after === undefined ? {} : { after });
      for (const session of page.sessions) sessions.set(session.id, session);
      after = page.next;
    }
    return [...sessions.values()];
  }

  async get(session = ''): Promise<SessionInfo> {
    return this.#requester.get(session);
  }

  /** Every byte from `from` on, exactly once, then the end. See `Watch`. */
  watch(session: string, options?: WatchOptions): Watch {
    return new Watch(this.#requester, session, options);
  }

  /** The screen, then every byte from there on, then the end; and what is typed, exactly once. See `Attachment`. */
  attach(session: string, options: AttachOptions = {}): Attachment {
    return new Attachment(this.#requester, session, options, this.#surroundings.randomId());
  }

  /** The screen as a person saw it, now or at any offset or time. */
  async screen(session = '', options: ScreenOptions = {}): Promise<Screen> {
    const { at, format = 'text', historyLines } = options;
    return this.#requester.again('screen', { session, at, format, historyLines });
  }

  /** Times, resizes, streams and gaps from an offset on, in order. */
  async *marks(session: string, options: { readonly from?: number | undefined } = {}): AsyncGenerator<LogMarkInfo> {
    const id = await this.#id(session);
    for (let from: number | null = options.from ?? 0; from !== null;) {
      const page: Requests['marks']['answer'] = await this.#requester.again('marks', { session: id, from });
      yield* page.marks;
      if (page.next !== null && page.next <= from) throw new SpoolError('INTERNAL', { marks: from, next: page.next });
      from = page.next;
    }
  }

  /** The offset that the session's log had reached at a time (milliseconds since 1970). */
  async offsetAt(session: string, time: number): Promise<number> {
    return (await this.#requester.again('offsetAt', { session, time })).offset;
  }

  /** What is not told stays as it is. */
  async update(session: string, options: UpdateOptions): Promise<SessionInfo> {
    const { name, labels, sizePolicy } = options;
    return this.#requester.again('update', { session: await this.#id(session), name, labels, sizePolicy });
  }

  /** Resolves when all bytes are in the session's terminal. They must not be changed before. */
  async write(session: string, bytes: Uint8Array | string): Promise<void> {
    await this.#input.write(session, typeof bytes === 'string' ? utf8(bytes) : bytes);
  }

  async resize(session: string, size: Size): Promise<SessionInfo> {
    const { cols, rows, widthPx, heightPx } = size;
    return this.#requester.again('resize', { session: await this.#id(session), cols, rows, widthPx, heightPx });
  }

  /** Resolves when the session has ended and no process of it is left. */
  async stop(session: string, options: StopOptions = {}): Promise<SessionInfo> {
    return this.#requester.again('stop', { session: await this.#id(session), graceMs: options.graceMs });
  }

  async kill(session: string): Promise<SessionInfo> {
    return this.#requester.again('kill', { session: await this.#id(session) });
  }

  /** Sends one signal (`SIGINT`, …). Not repeated when the link breaks: CONNECTION_LOST then means that it may have been sent. */
  async signal(session: string, name: string): Promise<SessionInfo> {
    return this.#requester.once('signal', { session, signal: name });
  }

  async closeInput(session: string): Promise<void> {
    const onRepeated = ({ code }: { code: string }): object | undefined => (code === 'INPUT_CLOSED' ? {} : undefined);
    await this.#requester.again('closeInput', { session: await this.#id(session) }, { onRepeated });
  }

  /** Removes a session and its log. Resolves with what it was. */
  async remove(session: string, options: { readonly force?: boolean | undefined } = {}): Promise<SessionInfo> {
    const info = await this.get(session);
    return this.#requester.again(
      'remove',
      { session: info.id, force: options.force },
      { onRepeated: ({ code }) => (code === 'SESSION_UNKNOWN' ? info : undefined) },
    );
  }

  /** Resolves when the session has ended, or, if that comes first, at the timeout: then its state is still `running`. */
  async wait(session: string, options: WaitOptions = {}): Promise<SessionInfo> {
    const { timeoutMs, signal } = options;
    const id = await this.#id(session, signal);
    if (timeoutMs === undefined) return this.#requester.again('wait', { session: id }, { signal });
    const over = abortController();
    const onAbort = (): void => over.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const done = abortController();
    void this.#surroundings.sleep(timeoutMs, done.signal).then(() => over.abort(TIMED_OUT));
    try {
      return await this.#requester.again('wait', { session: id }, { signal: over.signal });
    } catch (error) {
      if (error !== TIMED_OUT) throw error;
      return await this.#requester.get(id, signal);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      done.abort();
    }
  }

  events(options?: EventsOptions): Events {
    return new Events(this.#link, options);
  }

  status(): Promise<DaemonStatus> {
    return this.#requester.again('status', {});
  }

  /** Stops every session, then the daemon. Not repeated when the link breaks: asking again would start a new daemon. */
  async shutdown(options: StopOptions = {}): Promise<void> {
    await this.#requester.once('shutdown', { graceMs: options.graceMs });
  }

  /** Ends everything that is under way. Sessions run on. May be called twice. */
  close(): void {
    this.#link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #id(session: string, signal?: AbortSignalLike): Promise<string> {
    return this.#requester.id(session, signal);
  }

  #runRequest(options: RunOptions): RunRequest {
    const { size = DEFAULT_SIZE } = options;
    const defaults = this.#surroundings.runDefaults?.() ?? { cwd: '/', env: {} };
    return {
      id: options.id ?? this.#surroundings.randomId(),
      command: options.command,
      cwd: options.cwd ?? defaults.cwd,
      env: options.env ?? defaults.env,
      name: options.name,
      labels: options.labels,
      size: size ?? undefined,
      umask: options.umask ?? defaults.umask,
      nofileSoft: options.nofileSoft ?? defaults.nofileSoft,
      timeoutMs: options.timeoutMs,
      sizePolicy: options.sizePolicy,
      retainBytes: options.retainBytes,
      retainMs: options.retainMs,
    };
  }
}

const TIMED_OUT = Symbol('timed out');
