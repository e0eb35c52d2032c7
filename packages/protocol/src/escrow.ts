/**
 * The messages between holder and keeper over their private link: JSON, with file descriptors beside it.
 *
 * The holder's copy of a session is the first record of its existence: `HeldSession` and its fds contain everything
 * that a new keeper needs. A keeper that finds its holder dead starts a new one and hands everything back.
 */
import type { GatewayOptions } from './doors.ts';
import type { Home } from './home.ts';
import type { RunRequest } from './messages.ts';

/** How a child ended; null where that is unknown (the parent died, and the kernel is too old to report it to others). */
export type HeldExit = { readonly code: number; readonly signal: number; readonly coreDumped: boolean } | 'unknown';

/** Identifies one process for good: a pid alone is reused, and means another one after a reboot or in another container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and start. */
  readonly startTicks: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

export interface HeldSession {
  readonly run: RunRequest;
  readonly kind: 'pty' | 'pipes';
  readonly pid: number;
  /** Missing when an older holder started it. */
  readonly process?: ProcessIdentity | null;
  readonly startedAt: number;
  readonly exit: HeldExit | null;
  /** Offsets below this are used: by bytes in the log, or by bytes that the disk could not take. */
  readonly endAtLeast: number;
  /** The child's standard input was closed on purpose; in its place among the fds is /dev/null. */
  readonly isInputClosed: boolean;
  /** The folder of its control group, where there is one. */
  readonly controlGroup: string | null;
}

/**
 * The daemon as a whole: passed along, so that it outlives each of its processes. Its fds are the first listening
 * socket, the lock, the other listening sockets, and whatever else must stay open as long as the daemon lives.
 */
export interface DaemonRecord {
  readonly home: Home;
  /** The paths that it listens on, in the order of their fds; older versions have only `home.socket`. */
  readonly sockets?: readonly string[];
  readonly startedAt: number;
  /** False where holder and keeper are one process: then sessions end with it. */
  readonly hasEscrow: boolean;
  /** Where the gateway listens; its socket is the last fd but the link to the fd store. */
  readonly door?: Door | undefined;
  /** The last fd is a link to the fd store, which survives the death of both processes. */
  readonly hasStore?: boolean;
  /** Whether exit codes survive the death of the holder too (Linux 6.15). */
  readonly canReadForeignExit: boolean;
}

/**
 * The fds of a `session`: master, slave, escrow pipe of the output, pidfd; or stdin, stdout, stderr, pidfd. An agent on pipes
 * has an escrow pipe of its input before the pidfd, unless an older holder started it.
 */
export type FromHolder =
  | {
      readonly type: 'welcome';
      readonly holderPid: number;
      readonly holderStart?: string | undefined;
      readonly daemon: DaemonRecord;
    }
  /**
   * The daemon listens elsewhere, or its folders have moved; the fds replace those of `welcome`. `isNewStart`: the folder of
   * the sessions is another one, so the next keeper must open it.
   */
  | { readonly type: 'moved'; readonly daemon: DaemonRecord; readonly isNewStart: boolean }
  | { readonly type: 'session'; readonly session: HeldSession }
  /** Everything that is held has been sent. */
  | { readonly type: 'adopted' }
  | { readonly type: 'spawn-failed'; readonly id: string; readonly code: string; readonly syscall: string }
  | { readonly type: 'exit'; readonly id: string; readonly exit: HeldExit }
  | { readonly type: 'ping' }
  /** The answer to `ask`. */
  | { readonly type: 'here' }
  /** A new holder has everything that the keeper handed over. */
  | { readonly type: 'held' }
  /** There was no room for the fds of this session: hand it over again. */
  | { readonly type: 'missed'; readonly id: string };

export type FromKeeper =
  | { readonly type: 'spawn'; readonly run: RunRequest }
  /** The end is on disk: release it. */
  | { readonly type: 'done'; readonly id: string }
  | { readonly type: 'note'; readonly id: string; readonly endAtLeast: number }
  | { readonly type: 'close-input'; readonly id: string }
  | { readonly type: 'pong' }
  /** Is the holder alive, and does it have everything that was sent before this? */
  | { readonly type: 'ask' }
  /** To a new holder: first the daemon itself, then each session, then `handed`. */
  | {
      readonly type: 'hand-over';
      readonly keeperPid: number;
      readonly keeperStart?: string | undefined;
      readonly daemon: DaemonRecord;
      /** Another holder is still there: until `commit` this one starts nothing, and exits if the keeper does. */
      readonly isStandby?: boolean;
    }
  | { readonly type: 'commit' }
  | { readonly type: 'hand'; readonly session: HeldSession }
  | { readonly type: 'handed' }
  /** There was no room for the fds of this session: send it again. */
  | { readonly type: 'missed'; readonly id: string }
  /** Keep a gateway running with these options; null: none; undefined: with those that it has, or with none. */
  | { readonly type: 'gateway'; readonly options?: GatewayOptions | null | undefined }
  /** Start a gateway that only sends notifications, without a door, if none is wanted. */
  | { readonly type: 'sender' }
  | { readonly type: 'shutdown' };

/** The first message to a gateway; the end of its link ends it. With the socket that the last one listened on, if it is held. */
export interface GatewayStart {
  readonly home: Home;
  readonly sockets: readonly string[];
  readonly options: WantedGateway;
  readonly door?: Door | undefined;
}

/** A gateway that does not answer this hangs. */
export interface GatewayPing {
  readonly ping: true;
}

/** From a gateway: it listens on the socket that comes with this. The holder keeps a copy for the next one. */
export interface GatewayListens {
  readonly door: Door;
}

export interface GatewayPong {
  readonly pong: true;
}

/** An address that a gateway listens on. */
export interface Door {
  readonly host: string;
  readonly port: number;
}

/** `sender`: no door is opened. */
export type WantedGateway = GatewayOptions | 'sender';

/** The holder pings the keeper this often: the only thing that ever wakes an idle daemon. */
export const PING_INTERVAL_MS = 1500;
