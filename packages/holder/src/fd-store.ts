/**
 * The holder's side of the fd store, a tiny program that has a copy of every fd of the daemon: if holder and keeper are killed
 * at the same moment, it starts a holder and hands everything over. Keeps LIFE-14; decision 022 has the design.
 *
 * Each change is one packet, which arrives whole or not at all, so that a holder may be killed at any moment and its
 * successor can go on with the same link. The keeper holds the link too, and never uses it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { native, POLL } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import type { DaemonRecord, FromKeeper } from '@spool/protocol';
import type { Held } from './child-table.ts';

export interface FdStoreOptions {
  readonly watch: FdWatch;
  readonly logFd: number;
  say(sentence: string): void;
  /** The store has died: its successor needs everything again. */
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

  /** `link`: to a store that runs already. `child`: the store, where this process has started it. */
  constructor(options: FdStoreOptions, link: number, child: ChildProcess | null = null) {
    this.#options = options;
    this.#link = link;
    this.#child = child;
    options.watch.watch(link, POLL.readable, (events) => this.#ready(events));
  }

  /** Null where it cannot be started: then the daemon is two processes, as it always was. */
  static start(options: FdStoreOptions): FdStore | null {
    try {
      const program = sibling('spool-fd-store');
      if (!existsSync(program)) return null; // not in the bundle
      const [ours, theirs] = native.socketPair(true);
      const child = spawn(program, ['3', process.execPath, sibling('holder.mjs')], {
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

  /** The holder's end, which the keeper must hold too. */
  get link(): number {
    return this.#link;
  }

  /** The store never sends anything: what can be read is its end. */
  get isThere(): boolean {
    return this.#link !== -1 && !native.isReadable(this.#link);
  }

  /** Everything, in the place of what is there. */
  fill(daemon: DaemonRecord, fds: readonly number[], all: Iterable<Held>): void {
    this.#send('b');
    this.daemon(daemon, fds);
    for (const held of all) this.put(held);
    this.#send('e');
  }

  /** `fds` without the link itself: the store must not hold the other end of its own link. */
  daemon(daemon: DaemonRecord, fds: readonly number[]): void {
    this.#message('p', 'daemon', { type: 'hand-over', keeperPid: 0, daemon: { ...daemon, hasStore: false } }, fds);
  }

  put({ session, fds }: Held): void {
    this.#message('p', session.run.id, { type: 'hand', session: withoutEnvironment(session) }, fds);
  }

  update({ session }: Held): void {
    this.#message('u', session.run.id, { type: 'hand', session: withoutEnvironment(session) }, []);
  }

  drop(id: string): void {
    this.#send('d', `${id}\n`);
  }

  /** The daemon stops: so does the store, even if it is paused. Somebody else's child gets a message only. */
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
      // Too large for a packet: this session is not covered. If the store is gone, reading reports it.
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

/** It is not needed any more once the child runs, it may be large, and it may contain secrets. */
function withoutEnvironment(session: Held['session']): Held['session'] {
  return { ...session, run: { ...session.run, env: {} } };
}

function sibling(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
