/**
 * The messages between holder and keeper over their private link: JSON, with file descriptors beside it.
 *
 * The holder's copy of a session is the first record of its existence: `HeldSession` and its fds contain all data that a new
 * keeper needs. A keeper that finds its holder dead starts a new one and hands all sessions and fds back.
 */
import type { GatewayOptions } from './gateway.ts';
import type { Home } from './home.ts';
import type { MessageOf } from './message-type.ts';
import type { RunRequest } from './messages.ts';
import type { PROCESS_IDENTITY, PROGRAM_SOURCE } from './schemas/parts.ts';

/**
 * Before a program of another installation is used, it is started with this argument: once its imports are loaded, it prints the
 * answer and exits.
 */
export const LOAD_CHECK = { argument: '--check', answer: 'loaded' } as const;

/** The exit of a child; null if it is unknown (the parent died, and the kernel is too old to report it to others). */
export type HeldExit = { readonly code: number; readonly signal: number; readonly coreDumped: boolean } | 'unknown';

export type ProcessIdentity = MessageOf<typeof PROCESS_IDENTITY>;
export type ProgramSource = MessageOf<typeof PROGRAM_SOURCE>;

export interface HeldSession {
  readonly run: RunRequest;
  readonly kind: 'pty' | 'pipes';
  readonly pid: number;
  /** The process; missing if an older holder started it. */
  readonly process?: ProcessIdentity | null;
  readonly startedAt: number;
  readonly exit: HeldExit | null;
  /** Offsets below this are used: by bytes in the log, or by bytes that the disk could not take. */
  readonly endAtLeast: number;
  /** Whether the child's standard input was closed on purpose; its place among the fds then has /dev/null. */
  readonly isInputClosed: boolean;
  /** The folder of its control group; null if it has none. */
  readonly controlGroup: string | null;
}

/**
 * The record of the whole daemon: it is passed along, so that it outlives each of its processes. Its fds are the first listening
 * socket, the lock, the other listening sockets, and all others that must stay open as long as the daemon lives.
 */
export interface DaemonRecord {
  readonly home: Home;
  /** The paths that it listens on, in the order of their fds; older versions have only `home.socket`. */
  readonly sockets?: readonly string[];
  readonly startedAt: number;
  /** Whether holder and keeper are separate processes; if not, sessions end with it. */
  readonly hasEscrow: boolean;
  /** The address of the gateway; its socket is the last fd but the link to the fd store. */
  readonly door?: ListenAddress | undefined;
  /** Whether the last fd is a link to the fd store, which survives the death of both processes. */
  readonly hasStore?: boolean;
  /** Whether exit codes survive the death of the holder too (Linux 6.15). */
  readonly canReadForeignExit: boolean;
  /** The program; missing in a daemon whose holder keeps no copy of it. */
  readonly program?: DaemonProgram | undefined;
}

/** The program that a daemon runs: its own copy, which outlives the installation (decision 161). */
export interface DaemonProgram {
  /** The name of the copy in `program/` of the state folder; null if the installation is used. */
  readonly copy: string | null;
  /** The copy that the last `daemon restart` replaced; used if the present one does not start. */
  readonly before: string | null;
  readonly source: ProgramSource;
  /** The installation that `before` is a copy of. */
  readonly sourceBefore?: ProgramSource | undefined;
  /** The time since which the daemon runs this program. */
  readonly since?: number | undefined;
  /** The last program that was tried and given up. */
  readonly refused?: ProgramRefusal | undefined;
}

/** A program that did not serve, so that the one before it was used again (decision 212). */
export interface ProgramRefusal {
  readonly at: number;
  readonly reason: string;
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
   * The daemon listens elsewhere, or its folders have moved; the fds replace those of `welcome`. `isNewStart`: the sessions have
   * another folder, which the next keeper must open.
   */
  | { readonly type: 'moved'; readonly daemon: DaemonRecord; readonly isNewStart: boolean }
  | { readonly type: 'session'; readonly session: HeldSession }
  /** All held sessions have been sent. */
  | { readonly type: 'adopted' }
  | { readonly type: 'spawn-failed'; readonly id: string; readonly code: string; readonly syscall: string }
  | { readonly type: 'exit'; readonly id: string; readonly exit: HeldExit }
  | { readonly type: 'ping' }
  /** The answer to `succeed`: another keeper has loaded and waits for this one to exit, or the reason why not. */
  | { readonly type: 'successor'; readonly problem: string | null }
  /** The answer to `ask`. */
  | { readonly type: 'here' }
  /** A new holder has all sessions and fds that the keeper handed over. */
  | { readonly type: 'held' }
  /** Asks to hand this session over again, because there was no room for its fds. */
  | { readonly type: 'missed'; readonly id: string };

export type FromKeeper =
  /** The first message of every keeper: its program runs here. `saysServing`: it sends `serving` too, unlike older ones. */
  | { readonly type: 'ready'; readonly version: string; readonly saysServing?: boolean | undefined }
  /** The keeper has adopted every session, and listens. */
  | { readonly type: 'serving' }
  /**
   * Asks to start the next keeper beside this one: from this installation, from the one that the daemon was started from, or, for the
   * reason in `back`, from the copy before the present one.
   */
  | { readonly type: 'succeed'; readonly program?: ProgramSource | undefined; readonly back?: string | undefined }
  | { readonly type: 'spawn'; readonly run: RunRequest }
  /** The end is on disk: asks to release the fds. */
  | { readonly type: 'done'; readonly id: string }
  | { readonly type: 'note'; readonly id: string; readonly endAtLeast: number }
  | { readonly type: 'close-input'; readonly id: string }
  | { readonly type: 'pong' }
  /** Asks whether the holder is alive, and has all earlier messages. */
  | { readonly type: 'ask' }
  /** Hands over to a new holder: first the daemon itself, then each session, then `handed`. */
  | {
      readonly type: 'hand-over';
      readonly keeperPid: number;
      readonly keeperStart?: string | undefined;
      readonly daemon: DaemonRecord;
      /** Whether another holder still exists: until `commit` this one starts no process, and exits if the keeper does. */
      readonly isStandby?: boolean;
    }
  | { readonly type: 'commit' }
  | { readonly type: 'hand'; readonly session: HeldSession }
  | { readonly type: 'handed' }
  /** Asks to send this session again, because there was no room for its fds. */
  | { readonly type: 'missed'; readonly id: string }
  /** Asks to keep a gateway running with these options; null means none; undefined means its present ones, or none. */
  | { readonly type: 'gateway'; readonly options?: GatewayOptions | null | undefined }
  /** Asks to start a gateway that only sends notifications, without a server, if none is wanted. */
  | { readonly type: 'sender' }
  | { readonly type: 'shutdown' };

/** The first message to a gateway; the end of its link ends it. It comes with the socket of the last gateway, if that is held. */
export interface GatewayStart {
  readonly home: Home;
  readonly sockets: readonly string[];
  readonly options: WantedGateway;
  readonly door?: ListenAddress | undefined;
}

/** A ping; a gateway that does not answer it counts as hung. */
export interface GatewayPing {
  readonly ping: true;
}

/** A gateway reports that it listens on the socket that comes with this message. The holder keeps a copy for the next one. */
export interface GatewayListens {
  readonly door: ListenAddress;
}

export interface GatewayPong {
  readonly pong: true;
}

/** An address that a gateway listens on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The wanted gateway; `sender`: without a server. */
export type WantedGateway = GatewayOptions | 'sender';

/**
 * The interval at which the holder pings the keeper: almost the only wake-up of an idle daemon. A ping costs three wake-ups, and
 * still comes sooner than either side doubts the other (`native/peer-health.ts`: 3 s).
 */
export const PING_INTERVAL_MS = 2800;
