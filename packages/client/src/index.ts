/** The SDK, for any runtime. `@spool/client/node` brings what Node needs: `connect()`. */
export {
  Client,
  type ClientOptions,
  DEFAULT_SIZE,
  type RunOptions,
  type StopOptions,
  type WaitOptions,
} from './client.ts';
export { type EventItem, Events, type EventsOptions } from './events.ts';
export { RECONNECT_MS } from './link.ts';
export { Session } from './session.ts';
export type { AbortSignalLike, RunDefaults, Surroundings, Transport } from './surroundings.ts';
export { CREDIT_BYTES, Watch, type WatchOptions } from './watch.ts';
export type { WatchItem } from './watch-queue.ts';
export {
  type DaemonEvent,
  type DaemonStatus,
  type ErrorCode,
  type SessionInfo,
  type SessionState,
  type Size,
  SpoolError,
  VERSION,
  type WatchEvent,
  type WatchFrom,
} from '@spool/protocol';
