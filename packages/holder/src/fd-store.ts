/**
 * The holder's side of the fd store, a tiny program that has a copy of every fd of the daemon: if holder and keeper are killed at
 * the same moment, it starts a holder and hands everything over. Keeps LIFE-14; decision 022 has the design.
 *
 * Each change is one packet, which arrives whole or not at all, so that a holder may be killed at any moment and its successor
 * can continue with the same link. The keeper holds the link too, but never uses it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { native, POLL } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import type { DaemonRecord, FromKeeper } from '@spool/protocol';
import type { HeldChild } from './child-table.ts';
import type { RunnableProgram } from './program-files.ts';

export interface FdStoreOptions {
  readonly watch: FdWatch;
  readonly logFd: number;
  /** A program of the daemon, and the Node that runs it. */
  program(name: string): RunnableProgram;
  say(sentence: string): void;
  /** Called when the store has died: its successor needs all records again. */
  onGone(): void;
}

interface Packet {
  readonly bytes: Buffer;
  readonly fds: readonly number[];
}

export class FdStore {
  readonly #options: FdStoreOptions;
  readonly #waiting: Packet[] = [];
  readonly #child: ChildProcess | null;
  #link: number;

  /** `link` leads to a running store. `child` is the store if this process has started it. */
  constructor(options: FdStoreOptions, link: number, child: ChildProcess | null = null) {
    this.#options = options;
    this.#link = link;
    this.#child = child;
    options.watch.watch(link, POLL.readable, (events) => this.#ready(events));
  }

  /** Returns null if the store cannot be started: then the daemon consists of only two processes. */
  static start(options: FdStoreOptions): FdStore | null {
    try {
      const { path: program } = options.program('spool-fd-store');
      if (!existsSync(program)) return null; // the bundle does not contain it
      const { node, path: holder } = options.program('holder.mjs');
      const [ours, theirs] = native.socketPair(true);
      const child = spawn(program, ['3', node, holder], {
        stdio: ['ignore', 'ignore', options.logFd, theirs],
        detached: true,
        cwd: '/',
      });
      native.close(theirs);
      child.on('error', (error) => options.say(`the fd store could not be started: ${error.message}`));
      child.unref();
      return new FdStore(options, ours, child);
    } catch (error) {
      options.say(`the fd store could not be started: ${(error as Error).message}`);
      return null;
    }
  }

  /** The holder's end of the link, which the keeper must hold too. */
  get link(): number {
    return this.#link;
  }

  /** Whether the store runs. The store never sends data, so a readable link means that it has ended. */
  get isThere(): boolean {
    return this.#link !== -1 && !native.isReadable(this.#link);
  }

  /** Replaces the whole content of the store. */
  fill(daemon: DaemonRecord, fds: readonly number[], all: Iterable<HeldChild>): void {
    this.#send('b');
    this.daemon(daemon, fds);
    for (const held of all) this.put(held);
    this.#send('e');
  }

  /** Sends the daemon's record. `fds` does not contain the link: the store must not hold the other end of it. */
  daemon(daemon: DaemonRecord, fds: readonly number[]): void {
    this.#message('p', 'daemon', { type: 'hand-over', keeperPid: 0, daemon: { ...daemon, hasStore: false } }, fds);
  }

  /** Sets the program that the store starts from now on: this holder, with the Node that is open as `nodeFd`. */
  program(holder: string, nodeFd: number): void {
    this.#send('h', `${holder}\n`, [nodeFd]);
  }

  put({ session, fds }: HeldChild): void {
    this.#message('p', session.run.id, { type: 'hand', session: withoutEnvironment(session) }, fds);
  }

  update({ session }: HeldChild): void {
    this.#message('u', session.run.id, { type: 'hand', session: withoutEnvironment(session) }, []);
  }

  drop(id: string): void {
    this.#send('d', `${id}\n`);
  }

  /** Stops the store with the daemon, even if it is paused. A store that another process started only gets a message. */
  stop(): void {
    this.#waiting.length = 0;
    this.#send('x');
    this.#child?.kill('SIGKILL');
  }

  #message(operation: string, key: string, message: FromKeeper, fds: readonly number[]): void {
    this.#send(operation, `${key}\n${JSON.stringify(message)}`, fds);
  }

  #send(operation: string, text = '', fds: readonly number[] = []): void {
    this.#waiting.push({ bytes: Buffer.from(operation + text), fds });
    if (this.#waiting.length === 1) this.#flush();
  }

  #flush(): void {
    for (let next; (next = this.#waiting[0]) && this.#link !== -1; this.#waiting.shift()) {
      const sent = native.sendFds(this.#link, next.bytes, next.fds);
      if (sent >= 0) continue;
      if (sent === -constants.errno.EAGAIN) {
        this.#options.watch.change(this.#link, POLL.readable | POLL.writable);
        return;
      }
      // The record is too large for a packet: the store does not cover this session. If the store is gone, reading reports it.
      if (sent === -constants.errno.EMSGSIZE) this.#options.say('a session is too large for the fd store');
    }
    if (this.#link !== -1) this.#options.watch.change(this.#link, POLL.readable);
  }

  #ready(events: number): void {
    if ((events & ~POLL.writable) !== 0) {
      this.#options.watch.unwatch(this.#link);
      this.#link = -1;
      this.#waiting.length = 0;
      return this.#options.onGone();
    }
    this.#flush();
  }
}

/** Removes the environment: it is not needed once the child runs, it may be large, and it may contain secrets. */
function withoutEnvironment(session: HeldChild['session']): HeldChild['session'] {
  return { ...session, run: { ...session.run, env: {} } };
}
