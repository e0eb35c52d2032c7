/**
 * What a runtime must provide: connections, time and randomness. Everything else in this package is plain ECMAScript,
 * so that the same client runs in Node, in a page, and in a test with a fake clock.
 */
import type { ProcessIdentity, RunRequest } from '@spool/protocol';

/** One connection; bytes arrive in order and complete, or not at all. */
export interface Transport {
  /** Takes the bytes at once and sends them when it can. They are not changed afterwards. */
  send(bytes: Uint8Array): void;
  readonly bufferedBytes: number;
  /** Resolves when there is room again; also when the transport has closed. */
  drained(): Promise<void>;
  /** May be called twice. `onClose` follows, unless it has been called already. */
  close(): void;
  /** Set by the owner. The chunk is valid during the call only. */
  onData: (chunk: Uint8Array) => void;
  /** Set by the owner. Called once, and last. */
  onClose: (error?: Error) => void;
}

export interface Runtime {
  /** Connects; starts the daemon when there is none. */
  dial(signal?: AbortSignalLike): Promise<Transport>;
  /**
   * Resolves after this many milliseconds, or as soon as `signal` is aborted. The timer must keep the program alive,
   * because nothing else may do so while the client waits to dial again; it ends with its signal, so it never lingers.
   */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
  now(): number;
  /** 10 characters of [a-z0-9], the first a letter. */
  randomId(): string;
  /** For networks that die without a word: when to ask a silent peer for a sign of life, and when to give it up. */
  readonly silence?: Silence | undefined;
  /** The daemon is on another machine: paths and processes of this one mean nothing there. */
  readonly isRemote?: boolean | undefined;
  /** The defaults of `run`: the caller's folder, environment and limits. */
  runDefaults?(options?: RunDefaultsOptions): RunDefaults;
  /** The identity of this process; null or absent where there is none. */
  processIdentity?(): ProcessIdentity | null;
  /** Resolves a path from the caller's folder; without this, paths must be absolute. */
  resolvePath?(path: string): string;
}

export interface RunDefaultsOptions {
  readonly isTask?: boolean | undefined;
  /** The whole environment of the caller instead of the allow-listed part. */
  readonly inheritEnv?: boolean | undefined;
}

export type RunDefaults = Pick<RunRequest, 'cwd' | 'env' | 'base' | 'umask' | 'nofileSoft' | 'limits' | 'nice'>;

export interface Silence {
  /** Nothing was received for this long: ask. */
  readonly askAfterMs: number;
  /** No answer, and nothing else, for this long: the connection is dead. */
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

/** Every runtime has these two; only their types are missing here. */
const globals = globalThis as unknown as Globals;

export function abortController(): AbortControllerLike {
  return new globals.AbortController();
}

const encoder = new globals.TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}
