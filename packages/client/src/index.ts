/** The SDK, for any runtime. `@spool/client/node` brings what Node needs: `connect()`. */
export { Attachment, type AttachOptions, type ViewChange } from './attachment.ts';
export {
  Client,
  type ClientOptions,
  DEFAULT_SIZE,
  type RunOptions,
  type Screen,
  type ScreenOptions,
  type StopOptions,
  type UpdateOptions,
  type WaitOptions,
} from './client.ts';
export { type EventItem, Events, type EventsOptions } from './events.ts';
export { RECONNECT_MS } from './link.ts';
export { Session } from './session.ts';
export type { AbortSignalLike, RunDefaults, Surroundings, Transport } from './surroundings.ts';
export { CREDIT_BYTES, Watch, type WatchOptions } from './watch.ts';
export type { AttachItem, WatchItem } from './watch-queue.ts';
export {
  type DaemonEvent,
  type DaemonStatus,
  type ErrorCode,
  type LogMarkInfo,
  type ScreenFormat,
  type SessionInfo,
  type SessionState,
  type Size,
  type SizePolicy,
  SpoolError,
  type TerminalColours,
  VERSION,
  type Viewer,
  type WatchEvent,
  type WatchFrom,
} from '@spool/protocol';
