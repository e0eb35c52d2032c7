/**
 * The interface of a runtime: connections, time and randomness. Everything else in this package is plain ECMAScript, so that the
 * same client runs in Node, in a page, and in a test with a fake clock.
 */
import type { NodeNews, ProcessIdentity, RunRequest } from '@spool/protocol';

/** One connection; bytes arrive in order and complete, or not at all. */
export interface Transport {
  /** Takes the bytes at once and sends them when possible. They are not changed afterwards. */
  send(bytes: Uint8Array): void;
  readonly bufferedBytes: number;
  /** Resolves when there is room again, or the transport has closed. */
  drained(): Promise<void>;
  /** Closes the transport; may be called twice. `onClose` follows, unless it has been called already. */
  close(): void;
  /** Called with received bytes; set by the owner. The chunk is valid during the call only. */
  onData: (chunk: Uint8Array) => void;
  /** Called once, at the end, after all other calls; set by the owner. */
  onClose: (error?: Error) => void;
  /**
   * Lends the fd of a local socket to another reader, which passes its data to `onData` and calls `close` at the end. Returns the
   * function with which that reader returns the fd, or undefined where there is no fd.
   */
  readElsewhere?(take: (fd: number) => void): (() => void) | undefined;
}

export interface DaemonTrouble {
  readonly reason: string;
  /** The time of the report, by any clock: another number means another report. */
  readonly at: number;
}

export interface Runtime {
  /** Connects; starts the daemon if none runs. */
  dial(signal?: AbortSignalLike): Promise<Transport>;
  /**
   * Resolves after this many milliseconds, or as soon as `signal` is aborted. The timer must keep the program alive, because it may
   * be the only pending work while the client waits to dial again; it is cleared when its signal aborts.
   */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
  now(): number;
  /** Returns why a running daemon does not answer, if it has reported this. */
  troubleOfDaemon?(): DaemonTrouble | undefined;
  /** Returns 10 characters of [a-z0-9], the first a letter. */
  randomId(): string;
  /** The limits for networks that fail silently: when to ping a silent peer, and when to give it up. */
  readonly silence?: SilenceLimits | undefined;
  /** Whether the daemon is on another machine, where paths and processes of this one are meaningless. */
  readonly isRemote?: boolean | undefined;
  /** Returns the defaults of `run`: the caller's folder, environment and limits. */
  runDefaults?(options?: RunDefaultsOptions): RunDefaults;
  /** Returns the identity of this process; null or absent if there is none. */
  processIdentity?(): ProcessIdentity | null;
  /** Resolves a path from the caller's folder; without this, paths must be absolute. */
  resolvePath?(path: string): string;
  /** The ways to the nodes of that machine. */
  readonly nodes?: NodeRoads | undefined;
}

export interface NodeRoads {
  /** Returns the runtime of a client of a node. */
  at(node: string): Runtime;
  /** Follows the nodes, until the link breaks: a whole list, then the changes. */
  follow(signal?: AbortSignalLike): AsyncIterable<NodeNews>;
}

interface RunDefaultsOptions {
  readonly isTask?: boolean | undefined;
  /** Whether the whole environment of the caller is used instead of the allow-listed part. */
  readonly inheritEnv?: boolean | undefined;
}

export type RunDefaults = Pick<RunRequest, 'cwd' | 'env' | 'base' | 'umask' | 'nofileSoft' | 'limits' | 'nice'>;

export interface SilenceLimits {
  /** The silence after which the peer is pinged. */
  readonly askAfterMs: number;
  /** The further silence after which the connection counts as dead. */
  readonly cutAfterMs: number;
}

/** The part of an `AbortSignal` that is used here; every runtime's own fits. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface AbortControllerLike {
  readonly signal: AbortSignalLike;
  abort(reason?: unknown): void;
}

interface Globals {
  readonly AbortController: new () => AbortControllerLike;
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
}

/** Every runtime has these two functions, but their types are missing here. */
const globals = globalThis as unknown as Globals;

export function abortController(): AbortControllerLike {
  return new globals.AbortController();
}

const encoder = new globals.TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}
