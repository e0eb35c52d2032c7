/**
 * Detects when the owner of a tied session is gone. Keeps TASK-8: a tied task is stopped with its owner, and in no other case.
 *
 * An owner is exactly one process: pid, start time, boot and pid namespace. The kernel reports its end through a pidfd, so no
 * polling is needed, and a program that only loses its link stays an owner. A process that cannot be examined (no free fd) counts
 * as alive: no task is stopped on a guess.
 */
import { constants } from 'node:os';
import { native, POLL } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { isOfThisPlace, readStat } from '@spool/native/process-identity';
import { type ProcessIdentity, type RunRequest, SpoolError } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';

/** The delay before the next attempt to open an owner, after there was no free fd. */
const AGAIN_MS = 1000;

type OwnedSession = Pick<KeeperSession, 'id' | 'run' | 'isRunning' | 'lifecycle' | 'whenEnded'>;

interface Owner {
  readonly identity: ProcessIdentity;
  readonly sessions: Set<OwnedSession>;
  pidfd: number | null;
  timer: NodeJS.Timeout | null;
}

/** Checks the owners of a request: an owner that this daemon cannot see could never be reported as gone. */
export function checkOwners({ owners = [] }: Pick<RunRequest, 'owners'>): void {
  if (owners.length === 0)
    throw new SpoolError('NOT_ALLOWED', { reason: 'a tied session needs an owner, and the client named none' });
  for (const owner of owners) {
    const { pid } = owner;
    if (isOfThisPlace(owner)) continue;
    const why =
      pid === 1
        ? 'process 1 is gone only with its whole container'
        : `the daemon cannot see process ${pid}, which runs in another container`;
    const reason = `${why}; start the task without tying it`;
    throw new SpoolError('NOT_ALLOWED', { reason });
  }
}

export class OwnerWatch {
  readonly #watch: Pick<FdWatch, 'watch' | 'unwatch'>;
  readonly #onGone: (session: OwnedSession) => void;
  /** The owners by pid and start time: many tasks of one program need one pidfd. */
  readonly #owners = new Map<string, Owner>();

  constructor(watch: Pick<FdWatch, 'watch' | 'unwatch'>, onGone: (session: OwnedSession) => void) {
    this.#watch = watch;
    this.#onGone = onGone;
  }

  /** The number of watched processes. */
  get count(): number {
    return this.#owners.size;
  }

  /** Watches the owners of a session, if it is tied. */
  follow(session: OwnedSession): void {
    const { whileOwner, owners = [] } = session.run;
    if (!whileOwner || !session.isRunning) return;
    for (const identity of owners) if (isOfThisPlace(identity)) this.#add(identity, session);
  }

  #add(identity: ProcessIdentity, session: OwnedSession): void {
    const key = `${identity.pid}/${identity.startTicks}`;
    let owner = this.#owners.get(key);
    if (!owner) {
      owner = { identity, sessions: new Set(), pidfd: null, timer: null };
      this.#owners.set(key, owner);
    }
    owner.sessions.add(session);
    session.whenEnded(() => {
      owner.sessions.delete(session);
      if (owner.sessions.size === 0) this.#forget(key, owner);
    });
    if (owner.pidfd === null) this.#open(key, owner);
  }

  #open(key: string, owner: Owner): void {
    owner.timer = null;
    const found = openOwner(owner.identity);
    if (found === 'gone') return this.#gone(key, owner);
    if (found === 'unknown') {
      owner.timer = setTimeout(() => this.#open(key, owner), AGAIN_MS);
      return;
    }
    owner.pidfd = found;
    this.#watch.watch(found, POLL.readable, () => this.#gone(key, owner));
  }

  #gone(key: string, owner: Owner): void {
    const sessions = [...owner.sessions];
    this.#forget(key, owner);
    for (const session of sessions) this.#onGone(session);
  }

  #forget(key: string, owner: Owner): void {
    if (this.#owners.get(key) === owner) this.#owners.delete(key);
    if (owner.timer) clearTimeout(owner.timer);
    if (owner.pidfd === null) return;
    this.#watch.unwatch(owner.pidfd);
    native.close(owner.pidfd);
    owner.pidfd = null;
  }
}

/** Opens a pidfd, which becomes readable when the process has ended. */
function openOwner({ pid, startTicks }: ProcessIdentity): number | 'gone' | 'unknown' {
  let pidfd: number;
  try {
    pidfd = native.pidfdOpen(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'unknown';
  }
  const is = examine(pid, startTicks, pidfd);
  if (is === 'alive') return pidfd;
  native.close(pidfd);
  return is;
}

function examine(pid: number, startTicks: string, pidfd: number): 'alive' | 'gone' | 'unknown' {
  let stat: ReturnType<typeof readStat>;
  try {
    stat = readStat(pid);
  } catch {
    return 'unknown'; // no free fd
  }
  // Checked after the read: a process that is not reaped yet still has its pid.
  if (native.pidfdSignal(pidfd, 0) === -constants.errno.ESRCH) return 'gone';
  if (stat === undefined) return 'unknown'; // /proc hides the process
  return stat.startTicks === startTicks ? 'alive' : 'gone';
}
