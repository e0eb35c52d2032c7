/**
 * The few kernel calls that Node lacks, each typed and documented here; the `.c` files explain the implementation.
 *
 * Rules of the addon: no threads, no state except the pollers, pumps and one grace period, no blocking (`syncFiles` waits in libuv's pool). Calls on
 * hot paths return a negative errno instead of throwing; the others throw an `Error` with `code` ('ENOENT') and
 * `syscall` ('execve').
 */
import { loadNative } from './load.ts';

/** Describes a child completely: it inherits nothing from the daemon. */
export interface SpawnOptions {
  /** The program: a path if it contains a slash, otherwise looked up in the PATH of `env`. */
  readonly file: string;
  /** The whole argument vector, `argv[0]` included. */
  readonly argv: readonly string[];
  /** `NAME=value` strings: the child's whole environment. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly umask: number;
  /**
   * The child's soft limit of open files, capped at the hard limit. Node raises its own soft limit, and children must not get that.
   */
  readonly nofileSoft: number;
  /**
   * Limits of the child: triples of the kernel's number, soft and hard (Infinity for none). A hard limit above our own needs a
   * privilege; without it the child gets our limit.
   */
  readonly limits?: Float64Array;
  /** The niceness, -20 to 19; without the privilege to set it, the child keeps our niceness. */
  readonly nice?: number;
  /** The size of the terminal: if it is set, the child gets a PTY as its controlling terminal; otherwise three pipes. */
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
export type SpawnedChild =
  | {
      readonly kind: 'pty';
      readonly pid: number;
      readonly pidfd: number;
      readonly master: number;
      /** The fd of the slave, held open so that the child's last close never hangs up the master before it is drained. */
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

/** The end of a child. `signal` is a number; 0 if the child exited by itself. */
export interface ExitStatus {
  readonly code: number;
  readonly signal: number;
  readonly coreDumped: boolean;
}

/** The reason why `transfer` stopped; any negative value is `-errno` of the write into the log. */
export const TRANSFER = {
  /** The source is empty at the moment. */
  drained: 0,
  /** `maxBytes` have been moved; there may be more. */
  budget: 1,
  /** The source has ended (EOF or EIO). */
  ended: 2,
  /** Only a few bytes were moved: the source is probably empty, so another call is not worth it. */
  few: 3,
} as const;

/** Readiness, as epoll reports it. */
export const POLL = { readable: 1, writable: 4, error: 8, hangup: 16 } as const;

/**
 * Waits for many fds with one entry in Node's own loop (an epoll set, polled by libuv), so that an idle session costs no handle,
 * no thread and no wake-up. Level-triggered. Keeps the process alive until it is closed.
 */
export interface Poller {
  /** Adds `fd`, or changes the events that it is watched for. `events` 0 keeps it in the set, but disabled. */
  set(fd: number, events: number): void;
  /** Removes `fd`. Must be called before the fd is closed. */
  delete(fd: number): void;
  /** Pauses for this long, then reports all ready fds in one batch. */
  rest(ms: number): void;
  close(): void;
}

/**
 * Calls its function once, after a time that can be moved as often as wanted without waking the process. (One of Node's timers that is
 * moved wakes it all the same.) Keeps the process alive while it is set.
 */
export interface Alarm {
  /** Sets the time, in place of an earlier one. Has no effect after `close`. */
  set(ms: number): void;
  close(): void;
}

/** The kinds of events of an attach pump; `from` and `to` give the bytes. */
export const PUMP = {
  /** Typed bytes, in `keys`. */
  keys: 0,
  /** The terminal is gone. */
  keysEnd: 1,
  /** Bytes from the daemon, in `data`. */
  data: 2,
  /** The socket is at its end (`from` 0), or has failed (`from`: the errno). */
  dataEnd: 3,
  /** Output in `data` that may be shown, but that the terminal does not accept now. */
  terminalFull: 4,
  /** The rest, in `frame`, of a frame whose first part the socket has accepted. */
  socketFull: 5,
} as const;

/** The numbers that an attach pump and its owner share, by their place in `state`. */
export const PUMP_STATE = {
  /** The offset of the next byte of output. */
  outputAt: 0,
  /** The offset beyond which output is handed over. */
  outputMax: 1,
  /** The offset of the next key in the viewer's input. */
  typedAt: 2,
  /** The offset in that input up to which it is confirmed. */
  typedConfirmed: 3,
  /** The number of bytes in `kept`: the last ones before `typedAt`. */
  keptBytes: 4,
  /** The last byte that was shown. */
  lastByte: 5,
  channel: 6,
  /** The directions that may pass (`PUMP_ARMED`); 0 after an event. */
  armed: 7,
  length: 8,
} as const;

export const PUMP_ARMED = { keys: 1, output: 2 } as const;

export interface BytePumpOptions {
  /** The two fds: they are non-blocking, only the pump polls them, and it does not close them. */
  readonly terminal: number;
  readonly socket: number;
  readonly state: Float64Array;
  /** The memory for keys and data that were read, for unconfirmed keys, and for input frames. */
  readonly keys: Uint8Array;
  readonly data: Uint8Array;
  readonly kept: Uint8Array;
  readonly frame: Uint8Array;
  /** A table by byte: 1 for a key that passes unexamined. */
  readonly isTyped: Uint8Array;
  /** A table by byte: 1 for a byte that a terminal may be shown unchanged. */
  readonly isShown: Uint8Array;
  /** A table by final byte (128): a CSI sequence with fewer bytes of parameters than this may be shown; 0 for none. */
  readonly drawing: Uint8Array;
}

/** Moves bytes between a viewer's terminal and the daemon's socket; see attach-pump.c. Keeps the process alive until it is closed. */
export interface BytePump {
  /** The bytes of an input frame's payload before the keys. */
  setPrefix(prefix: Uint8Array): void;
  close(): void;
}

export interface Native {
  /** Forks (vfork) and executes. Throws with `syscall` 'execve', 'chdir', 'openpty', … if the child could not start. */
  spawn(options: SpawnOptions): SpawnedChild;

  /**
   * Returns the exit status of the process behind `pidfd`, or null if it is unknown (so far): the process is running, or ended as
   * another process's child and is not reaped yet. It reaps our own children; for others it asks the kernel (PIDFD_GET_INFO, Linux
   * 6.15), so that exit codes survive the death of the parent.
   */
  exitStatus(pidfd: number): ExitStatus | null;
  /** Returns whether this kernel reports the exit code of a process that is not our child. */
  canReadForeignExit(): boolean;
  /** Limits this process (setrlimit; Infinity for none). Returns 0, or -errno. */
  setLimit(resource: number, soft: number, hard: number): number;
  /**
   * Has the kernel end this process when its parent dies, even while this process hangs, and at once if `link` has no other end any
   * more. With a grace period it may end by itself first, and one that is stopped ends when it continues. The parent must have started
   * it from its main thread. Returns 0, or -errno.
   */
  endWithParent(link: number, graceSeconds: number): number;
  pidfdOpen(pid: number): number;
  /**
   * Sends a signal. Returns 0, or -errno (-ESRCH: the process is already gone). It can never signal another process, however often
   * pids are reused.
   */
  pidfdSignal(pidfd: number, signal: number): number;
  /**
   * Signals every process of the group that this one leads, including itself, once. `pid` is that of `pidfd`, for kernels before
   * 6.9. Returns 0, or -errno.
   */
  pidfdSignalGroup(pidfd: number, pid: number, signal: number): number;

  /**
   * Moves bytes from `source` into the file `log` at `position`, by splice, so that they never pass through this process: a kill at
   * any instruction leaves each byte in the source, in `pipe` or in the log. `pipe` is an escrow pipe from `openPipe` (its content
   * is moved first), or -1 if `source` is itself a pipe. If splice from a tty is refused (EINVAL), the bytes are read and written
   * into the pipe instead. `log` must not be open with O_APPEND.
   *
   * `result[0]` is the number of bytes now in the log, and `result[1]` the reason why it stopped (TRANSFER, or -errno of the log).
   * When the log refuses bytes, those in the pipe stay there.
   */
  transfer(source: number, pipe: number, log: number, position: number, maxBytes: number, result: Int32Array): void;
  /**
   * Calls `transfer` by `pipe`, then reads the stored bytes back from the log and sends them to `socket`. `frame` has room for
   * everything that is sent. Its first `result[2]` bytes are sent before the stored ones; the last 20 of these are the header of
   * the frame, whose length is filled in.
   *
   * `result[0]` and `result[1]` are as for `transfer`; `result[2]` is the number of bytes of `frame` that were sent, or -1 if
   * nothing could be sent, and `frame` is incomplete.
   */
  relay(
    source: number,
    pipe: number,
    log: number,
    position: number,
    maxBytes: number,
    socket: number,
    frame: Uint8Array,
    result: Int32Array,
  ): void;
  /** Returns one fd that is both ends of a new pipe. */
  openPipe(): number;
  /**
   * Moves bytes from one pipe into another: each byte is in exactly one of them, even after a kill. Returns the number of bytes
   * moved, or -errno.
   */
  splice(from: number, to: number, maxBytes: number): number;
  /** Returns the number of bytes that wait in a pipe, tty or socket (FIONREAD). */
  available(fd: number): number;
  /** Returns whether a read would return at once (poll): for bytes, or for an end of file, which `available` does not count. */
  isReadable(fd: number): boolean;

  /** Returns the number of bytes read, 0 at the end, or -errno. */
  read(fd: number, into: Uint8Array): number;
  /** Returns the number of bytes written, or -errno. */
  write(fd: number, bytes: Uint8Array): number;
  /** Writes into a file at a position. Returns the number of bytes written, or -errno. */
  writeAt(fd: number, bytes: Uint8Array, position: number): number;

  setSize(master: number, size: TerminalSize): void;
  getSize(master: number): Required<TerminalSize>;
  /** Returns whether the program reads by line (ICANON): the kernel then edits the line, and keeps 4095 bytes of it. */
  isCanonical(master: number): boolean;
  /** Returns the character that ends the input of a program that reads by line (VEOF, usually Ctrl-D); -1 without one. */
  endOfFileKey(master: number): number;
  /** Stops the echo of the terminal's input. */
  stopEcho(slave: number): void;

  /** Returns two connected unix sockets, non-blocking, close-on-exec: a stream, or packets that arrive whole or not at all. */
  socketPair(isPackets?: boolean): [number, number];
  /**
   * Sends bytes and, with the first of them, fds. Returns the number of bytes sent, or -errno. Fds are sent only with at least
   * one byte.
   */
  sendFds(socket: number, bytes: Uint8Array, fds: readonly number[]): number;
  /**
   * Receives bytes and appends the fds that came with them (close-on-exec) to `fds`. Returns the number of bytes, 0 at the end, or
   * -errno. If there was no room for all fds of a message, all of them are lost, and a single -1 replaces them.
   */
  receiveFds(socket: number, into: Uint8Array, fds: number[]): number;
  /** Returns a listening unix stream socket at `path`, created with mode 0600 whatever the umask is. Throws EADDRINUSE etc. */
  listenUnix(path: string, backlog: number): number;
  /** Accepts the next connection of a listening socket: returns an fd, non-blocking and close-on-exec, or -errno. */
  accept(socket: number): number;
  /** Writes several pieces with one call, as far as the kernel accepts them. Returns the number of bytes written, or -errno. */
  writeParts(socket: number, parts: readonly Uint8Array[]): number;
  /** Returns the user id of the process at the other end of a unix socket. */
  peerUid(socket: number): number;
  /** Tries to lock; returns false if another process has the lock. The lock lives as long as any copy of the fd. */
  tryLock(fd: number): boolean;
  /** Releases the lock, including that of all other copies of the fd. Returns 0, or -errno. */
  unlock(fd: number): number;
  /** Sets or clears close-on-exec. */
  setCloexec(fd: number, on: boolean): void;
  /** Marks every fd from `first` on close-on-exec, so that accidentally inherited fds are not passed on. */
  cloexecFrom(first: number): void;
  close(fd: number): void;
  /** Returns another fd of the same open file, close-on-exec; or -errno. */
  duplicate(fd: number): number;
  /**
   * Syncs the data of all these files (fdatasync) in one job off the main thread, and closes the fds. `results` has 0 or
   * -errno for each.
   */
  syncFiles(fds: Int32Array, done: (results: readonly number[]) => void): void;

  /**
   * Creates a poller. It calls `onReady(ready, count)` when `count` fds are ready; `ready` has them as pairs fd, events. The
   * array is reused between calls. The callback may call `set`, `delete` and `close`: later pairs in `ready` that become invalid
   * are changed to -1, 0 at once, so that an fd deleted, closed and opened again never gets the report of its predecessor. An
   * exception in the callback becomes an `uncaughtException`.
   */
  createPoller(onReady: (ready: Int32Array, count: number) => void): Poller;
  createAlarm(onRing: () => void): Alarm;

  /** Connects to a unix stream socket: an fd, non-blocking and close-on-exec. Throws ENOENT, ECONNREFUSED, EAGAIN etc. */
  connectUnix(path: string): number;
  isTerminal(fd: number): boolean;
  /** Stops the terminal from turning newlines into carriage return and newline (OPOST). Returns 0, or -errno. */
  stopOutputProcessing(terminal: number): number;
  /** Ends the process at once, without Node's handlers; everything must have been written. */
  quit(code: number): never;
  /**
   * Starts to check, on a thread, whether a file or folder, or anything below it, was changed (by its inode) after the file `than`
   * was written. Names that end with `skip` do not count.
   */
  searchNewer(than: string, paths: readonly string[], skip: string): NewerSearch;
  /** Waits for the result; it is also true if `than` or one of the paths is missing. */
  foundNewer(search: NewerSearch): boolean;
  /** Creates a pump. `onEvent` gets one of PUMP and its bytes, which are valid until it returns. */
  createAttachPump(options: BytePumpOptions, onEvent: (what: number, from: number, to: number) => void): BytePump;
}

declare const searching: unique symbol;
export type NewerSearch = { readonly [searching]: true };

export const native: Native = loadNative();
