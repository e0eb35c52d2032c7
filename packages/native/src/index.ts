/**
 * The few kernel calls that Node lacks, each typed and documented here; the `.c` files explain the implementation.
 *
 * Rules of the addon: no threads, no state except the pollers, no blocking (`syncFiles` waits in libuv's pool). Calls on
 * hot paths return a negative errno instead of throwing; the others throw an `Error` with `code` ('ENOENT') and
 * `syscall` ('execve').
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Describes a child completely: it inherits nothing from the daemon. */
export interface SpawnOptions {
  /** The program: a path if it contains a slash, else looked up in the PATH of `env`. */
  readonly file: string;
  /** The whole argument vector, `argv[0]` included. */
  readonly argv: readonly string[];
  /** `NAME=value` strings: the child's whole environment. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly umask: number;
  /**
   * The child's soft limit of open files, capped at the hard limit. Node raises its own soft limit; children must not
   * see that.
   */
  readonly nofileSoft: number;
  /**
   * Limits of the child: triples of the kernel's number, soft and hard (Infinity for none). A hard limit above our own
   * needs a privilege; without it the child gets ours.
   */
  readonly limits?: Float64Array;
  /** -20 to 19; without the privilege to set it, the child keeps our niceness. */
  readonly nice?: number;
  /** With a size, the child gets a PTY as its controlling terminal; without, three pipes. */
  readonly size?: TerminalSize;
  /** An open `cgroup.procs`: the child enters that group before it executes. -1 for none. */
  readonly cgroupProcsFd: number;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
  readonly widthPx?: number;
  readonly heightPx?: number;
}

/** The parent's fds of a child: all close-on-exec and non-blocking. */
export type Spawned =
  | {
      readonly kind: 'pty';
      readonly pid: number;
      readonly pidfd: number;
      readonly master: number;
      /** Held open so that the child's last close never hangs up the master before it is drained. */
      readonly slave: number;
      /** The path of the slave, `/dev/pts/7`. */
      readonly pts: string;
    }
  | {
      readonly kind: 'pipes';
      readonly pid: number;
      readonly pidfd: number;
      readonly stdin: number;
      readonly stdout: number;
      readonly stderr: number;
    };

/** How a child ended. `signal` is a number; 0 when it exited by itself. */
export interface ExitStatus {
  readonly code: number;
  readonly signal: number;
  readonly coreDumped: boolean;
}

/** Why `transfer` stopped; any negative value is `-errno` of the write into the log. */
export const TRANSFER = {
  /** The source has nothing more at the moment. */
  drained: 0,
  /** `maxBytes` have been moved; there may be more. */
  budget: 1,
  /** The source has ended (EOF or EIO). */
  ended: 2,
  /** Only a few bytes came: most likely all there were, so another call is not worth it. */
  few: 3,
} as const;

/** Readiness, as reported by epoll. */
export const POLL = { readable: 1, writable: 4, error: 8, hangup: 16 } as const;

/**
 * Waits for many fds with one entry in Node's own loop (an epoll set, polled by libuv), so that a session costs no
 * handle, no thread and no wake-up while nothing happens. Level-triggered. Keeps the process alive until it is closed.
 */
export interface Poller {
  /** Adds `fd`, or changes the events that it is watched for. `events` 0 keeps it in the set, but disabled. */
  set(fd: number, events: number): void;
  /** Removes `fd`. Must be called before the fd is closed. */
  delete(fd: number): void;
  /** Reports nothing for this long, and then everything that is ready at once. */
  rest(ms: number): void;
  close(): void;
}

export interface Native {
  /** Forks (vfork) and executes. Throws with `syscall` 'execve', 'chdir', 'openpty', … when the child could not start. */
  spawn(options: SpawnOptions): Spawned;

  /**
   * The exit status of the process behind `pidfd`, or null if it is not known (yet): still running, or ended as another
   * process's child and not yet reaped. Reaps our own children; for others it asks the kernel (PIDFD_GET_INFO, Linux
   * 6.15), which is how exit codes survive the death of the parent.
   */
  exitStatus(pidfd: number): ExitStatus | null;
  /** Whether this kernel reports the exit code of a process that is not our child. */
  canReadForeignExit(): boolean;
  /** Limits this process (setrlimit; Infinity for none). 0, or -errno. */
  setLimit(resource: number, soft: number, hard: number): number;
  pidfdOpen(pid: number): number;
  /** 0, or -errno (-ESRCH: it is already gone). Cannot hit another process, however often pids are reused. */
  pidfdSignal(pidfd: number, signal: number): number;
  /**
   * Signals every process of the group that this one leads, itself included, once. `pid` is that of `pidfd`, for
   * kernels before 6.9. 0, or -errno.
   */
  pidfdSignalGroup(pidfd: number, pid: number, signal: number): number;

  /**
   * Moves bytes from `source` into the file `log` at `position`, by splice, without ever holding them in this process:
   * a kill at any instruction leaves each byte either in the source, in `pipe` or in the log. `pipe` is an escrow pipe
   * from `openPipe` (its content is moved first), or -1 when `source` is itself a pipe. Where splice from a tty is
   * refused (EINVAL), the bytes are read and written into the pipe instead. `log` must not be open with O_APPEND.
   *
   * `result[0]` = bytes now in the log, `result[1]` = why it stopped (TRANSFER, or -errno of the log). Bytes that are
   * in the pipe when the log refuses stay there.
   */
  transfer(source: number, pipe: number, log: number, position: number, maxBytes: number, result: Int32Array): void;
  /** One fd that is both ends of a new pipe. */
  openPipe(): number;
  /** Moves bytes from one pipe into another: each is in exactly one of them, also after a kill. Bytes moved, or -errno. */
  splice(from: number, to: number, maxBytes: number): number;
  /** Bytes waiting in a pipe, tty or socket (FIONREAD). */
  available(fd: number): number;
  /** Whether a read would return at once (poll): bytes, or an end of file, which `available` does not count. */
  isReadable(fd: number): boolean;

  /** Bytes read, 0 at the end, or -errno. */
  read(fd: number, into: Uint8Array): number;
  /** Bytes written, or -errno. */
  write(fd: number, bytes: Uint8Array): number;
  /** Writes into a file at a position. Bytes written, or -errno. */
  writeAt(fd: number, bytes: Uint8Array, position: number): number;

  setSize(master: number, size: TerminalSize): void;
  getSize(master: number): Required<TerminalSize>;
  /** Whether the program reads by line (ICANON): the kernel then edits the line, and keeps 4095 bytes of it. */
  isCanonical(master: number): boolean;
  /** The character that ends the input of a program that reads by line (VEOF, usually Ctrl-D); -1 when there is none. */
  endOfFileKey(master: number): number;
  /** The terminal no longer repeats its input. */
  stopEcho(slave: number): void;

  /** Two connected unix sockets, non-blocking, close-on-exec: a stream, or packets that arrive whole or not at all. */
  socketPair(isPackets?: boolean): [number, number];
  /** Sends bytes and, with the first of them, fds. Bytes sent, or -errno. Fds are sent only with at least one byte. */
  sendFds(socket: number, bytes: Uint8Array, fds: readonly number[]): number;
  /**
   * Receives bytes and appends the fds that came with them (close-on-exec) to `fds`. Bytes, 0 at the end, or -errno. If
   * there was no room for all fds of a message, all of them are lost, and one -1 stands in their place.
   */
  receiveFds(socket: number, into: Uint8Array, fds: number[]): number;
  /** A listening unix stream socket at `path`, created with mode 0600 whatever the umask. Throws EADDRINUSE etc. */
  listenUnix(path: string, backlog: number): number;
  /** Accepts the next connection of a listening socket: an fd, non-blocking and close-on-exec, or -errno. */
  accept(socket: number): number;
  /** Writes several pieces with one call, as far as the kernel takes them. Bytes written, or -errno. */
  writeParts(socket: number, parts: readonly Uint8Array[]): number;
  /** The user id of the process at the other end of a unix socket. */
  peerUid(socket: number): number;
  /** Tries to lock; false when another process has the lock. The lock lives as long as any copy of the fd. */
  tryLock(fd: number): boolean;
  /** Gives the lock up, whoever else still has a copy of the fd. 0, or -errno. */
  unlock(fd: number): number;
  /** Sets or clears close-on-exec. */
  setCloexec(fd: number, on: boolean): void;
  /** Marks every fd from `first` on close-on-exec, so that accidentally inherited fds are not passed on. */
  cloexecFrom(first: number): void;
  close(fd: number): void;
  /** Another fd of the same open file, close-on-exec; or -errno. */
  duplicate(fd: number): number;
  /**
   * Syncs the data of all these files (fdatasync) in one job off the main thread, and closes the fds. `results` has 0 or
   * -errno for each.
   */
  syncFiles(fds: Int32Array, done: (results: readonly number[]) => void): void;

  /**
   * `onReady(ready, count)`: `count` fds are ready, in `ready` as pairs fd, events. The array is reused between calls.
   * The callback may call `set`, `delete` and `close`: later pairs in `ready` that become invalid are changed to -1, 0
   * at once, so that an fd deleted, closed and opened again never gets the report of its predecessor. An exception in
   * the callback is an `uncaughtException`.
   */
  createPoller(onReady: (ready: Int32Array, count: number) => void): Poller;
}

/** The addon is beside the bundle (`dist/`); when the sources are tested, in the repository's `dist/`. */
function load(): Native {
  const require = createRequire(import.meta.url);
  const beside = fileURLToPath(new URL('./spool_native.node', import.meta.url));
  const inRepository = fileURLToPath(new URL('../../../dist/spool_native.node', import.meta.url));
  try {
    return require(beside) as Native;
  } catch (error) {
    if ((error as { code?: string }).code !== 'MODULE_NOT_FOUND') throw error;
    return require(inRepository) as Native;
  }
}

export const native: Native = load();
