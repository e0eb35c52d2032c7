/**
 * The children and their file descriptors, held in escrow: when the keeper dies, the terminals stay open and no exit code is
 * lost. Keeps the holder's half of LIFE-1. Keeps RUN-2: the terminal of a child that ends at once stays open until all of its
 * output is stored.
 */
import { openSync } from 'node:fs';
import { executed } from './bridge.ts';
import { ControlGroups } from './control-groups.ts';
import { childLimits } from './limits.ts';
import { native, POLL, type SpawnedChild } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { identify } from '@spool/native/process-identity';
import type { HeldExit, HeldSession, RunRequest } from '@spool/protocol';

/** Linux's usual soft limit of open files, for callers that did not send theirs. */
const NOFILE_SOFT_DEFAULT = 1024;

/** Init reaps the child of a dead holder a moment after its end; only then can the kernel report its exit code. */
const FOREIGN_EXIT_TRIES = 12;

export interface HeldChild {
  session: HeldSession;
  /** The fds in the order that `FromHolder` describes. */
  fds: readonly number[];
}

export class ChildTable {
  readonly #held = new Map<string, HeldChild>();
  readonly #groups = new ControlGroups();
  readonly #watch: FdWatch;
  readonly #onExit: (id: string, exit: HeldExit) => void;

  readonly #program: (name: string) => string;

  /** `program` returns the path of a program of the daemon. */
  constructor(watch: FdWatch, onExit: (id: string, exit: HeldExit) => void, program: (name: string) => string) {
    this.#watch = watch;
    this.#onExit = onExit;
    this.#program = program;
  }

  all(): Iterable<HeldChild> {
    return this.#held.values();
  }

  get(id: string): HeldChild | undefined {
    return this.#held.get(id);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Starts a child and holds its fds. Throws the kernel's error. */
  spawn(run: RunRequest, startedAt: number): HeldChild {
    const group = this.#groups.make(run.id);
    let isUsed = false;
    let pipe = -1;
    try {
      // It happens before the fork: a failure after it would leave a child that no process tracks.
      if (run.size || run.agent) pipe = native.openPipe();
      const spawned = this.#fork(run, group?.procsFd ?? -1);
      isUsed = true;
      const { kind, pid } = spawned;
      const controlGroup = group?.folder ?? null;
      const session: HeldSession = {
        run,
        kind,
        pid,
        process: identify(pid, spawned.pidfd),
        startedAt,
        exit: null,
        endAtLeast: 0,
        isInputClosed: false,
        controlGroup,
      };
      return this.take(session, fdsOf(spawned, pipe));
    } finally {
      if (!isUsed && pipe !== -1) native.close(pipe);
      if (group) this.#groups.close(group, isUsed);
    }
  }

  #fork({ size, ...run }: RunRequest, cgroupProcsFd: number): SpawnedChild {
    const { command, env } = executed(run, this.#program);
    return native.spawn({
      file: command[0]!,
      argv: command,
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      cwd: run.cwd,
      umask: run.umask ?? 0o022,
      nofileSoft: run.nofileSoft ?? NOFILE_SOFT_DEFAULT,
      cgroupProcsFd,
      ...childLimits(run),
      ...(size && {
        size: { cols: size.cols, rows: size.rows, widthPx: size.widthPx ?? 0, heightPx: size.heightPx ?? 0 },
      }),
    });
  }

  /** Holds a session: a new child of this holder, or one that another holder started. */
  take(session: HeldSession, fds: readonly number[]): HeldChild {
    const held: HeldChild = { session, fds };
    this.#held.set(session.run.id, held);
    if (session.exit === null) {
      const pidfd = fds.at(-1)!;
      this.#watch.watch(pidfd, POLL.readable, () => {
        this.#watch.unwatch(pidfd);
        this.#learnExit(held, FOREIGN_EXIT_TRIES);
      });
    }
    return held;
  }

  note(id: string, endAtLeast: number): void {
    const held = this.#held.get(id);
    if (held) held.session = { ...held.session, endAtLeast };
  }

  /** Closes the input: the child sees an end of file only when every copy of the other end is closed. */
  closeInput(id: string): void {
    const held = this.#held.get(id);
    if (!held || held.session.isInputClosed || held.session.kind !== 'pipes') return;
    native.close(held.fds[0]!);
    held.fds = [openSync('/dev/null', 'w'), ...held.fds.slice(1)];
    held.session = { ...held.session, isInputClosed: true };
  }

  /** Closes the fds; the keeper has stored all output on disk. */
  release(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    this.#watch.unwatch(held.fds.at(-1)!);
    for (const fd of held.fds) native.close(fd);
  }

  [Symbol.dispose](): void {
    this.#groups[Symbol.dispose]();
  }

  #learnExit(held: HeldChild, triesLeft: number): void {
    const { id } = held.session.run;
    if (this.#held.get(id) !== held) return;
    const status = native.exitStatus(held.fds.at(-1)!);
    if (status === null && triesLeft > 0) {
      setTimeout(() => this.#learnExit(held, triesLeft - 1), 2 ** (FOREIGN_EXIT_TRIES - triesLeft));
      return;
    }
    const exit: HeldExit = status ?? 'unknown';
    held.session = { ...held.session, exit };
    this.#onExit(id, exit);
  }
}

function fdsOf(spawned: SpawnedChild, pipe: number): readonly number[] {
  if (spawned.kind === 'pty') return [spawned.master, spawned.slave, pipe, spawned.pidfd];
  const { stdin, stdout, stderr, pidfd } = spawned;
  return pipe === -1 ? [stdin, stdout, stderr, pidfd] : [stdin, stdout, stderr, pipe, pidfd];
}
