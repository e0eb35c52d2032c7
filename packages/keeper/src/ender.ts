/**
 * Ends sessions, whole trees of them: asks, insists, and looks again until no process is left. All sessions that are
 * ending share one look at the table of processes; no timer runs when none is.
 */
import {
  findMembers,
  HANGUP_AFTER_MS,
  type Ending,
  type Member,
  removeControlGroup,
  signalMember,
  signalsDue,
  type Wanted,
} from '@spool/core';
import { native } from '@spool/native';
import { constants } from 'node:os';
import type { EndedBy } from '@spool/protocol';
import type { Session } from './session.ts';

/** While something is ending, the table is looked at this often. */
const LOOK_EVERY_MS = 100;
const LOOK_SOON_MS = 10;

/** A process that survives SIGKILL this long is stuck in the kernel; nobody can do more. */
const GIVE_UP_MS = 10_000;

interface Case {
  readonly session: Session;
  ending: Ending;
  /** Which signals have been sent to whom: each process gets each once. */
  readonly told: Map<string, string>;
  members: readonly Member[];
  readonly done: PromiseWithResolvers<void>;
}

export class Ender {
  readonly #cases = new Map<string, Case>();
  #timer: NodeJS.Timeout | null = null;

  /** Resolves when the session has ended and none of its processes is left. */
  end(session: Session, by: EndedBy, graceMs: number): Promise<void> {
    session.askEnd(by, graceMs);
    const askedAt = Date.now();
    const { life } = session;
    const ending = (life.phase === 'running' && life.ending) || { by, askedAt, killAt: askedAt + graceMs };
    let open = this.#cases.get(session.id);
    if (open) open.ending = ending.killAt < open.ending.killAt ? ending : open.ending;
    else {
      open = { session, ending, told: new Map(), members: [], done: Promise.withResolvers() };
      this.#cases.set(session.id, open);
      session.whenEnded(() => this.#lookIn(LOOK_SOON_MS));
    }
    this.#lookIn(0);
    return open.done.promise;
  }

  /** Resolves when this session is not being ended any more: at once, if nobody wanted that. */
  async settled(session: Session): Promise<void> {
    await this.#cases.get(session.id)?.done.promise;
  }

  /** Resolves when nothing is ending any more; what is gets no longer than this. */
  async finish(graceMs: number): Promise<void> {
    const killAt = Date.now() + graceMs;
    const open = [...this.#cases.values()];
    for (const each of open) each.ending = { ...each.ending, killAt: Math.min(each.ending.killAt, killAt) };
    if (open.length > 0) this.#lookIn(0);
    await Promise.all(open.map(({ done }) => done.promise));
  }

  #lookIn(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    this.#timer = null;
    const now = Date.now();
    const wanted = new Map<string, Wanted>();
    const seen = new Map<string, readonly Member[]>();
    for (const [id, { session, members }] of this.#cases) {
      wanted.set(id, { leader: session.pid, controlGroup: session.controlGroup });
      seen.set(id, members);
    }
    const found = findMembers(wanted, seen);
    let nextMs = LOOK_EVERY_MS;
    for (const [id, open] of this.#cases) {
      const members = found.get(id) ?? [];
      // Remembered: one whose parent dies looks like nobody's the next time.
      open.members = members;
      if (members.length === 0 && !open.session.isRunning) this.#finish(id, open);
      else if (now > open.ending.killAt + GIVE_UP_MS) this.#finish(id, open);
      else {
        this.#signal(open, members, now);
        nextMs = Math.min(nextMs, Math.max(1, dueIn(open.ending, now)));
      }
    }
    if (this.#cases.size > 0) this.#lookIn(nextMs);
  }

  #signal({ session, ending, told }: Case, members: readonly Member[], now: number): void {
    const signals = signalsDue(ending, now);
    const what = signals.join();
    for (const member of members) {
      const key = `${member.pid}/${member.startTicks}`;
      // SIGKILL is repeated: it costs nothing, and a new fork may have been missed.
      if (told.get(key) === what && signals[0] !== 'SIGKILL') continue;
      told.set(key, what);
      signalMember(member, signals);
    }
    // The child itself, even if it shed every mark: its pidfd cannot be mistaken.
    const child = session.handOver();
    if (child && members.every(({ pid }) => pid !== session.pid)) {
      for (const signal of signals) native.pidfdSignal(child.fds.at(-1)!, constants.signals[signal]);
    }
  }

  #finish(id: string, open: Case): void {
    this.#cases.delete(id);
    if (open.session.controlGroup) removeControlGroup(open.session.controlGroup);
    open.done.resolve();
  }
}

/** When the next signal is due. */
function dueIn(ending: Ending, now: number): number {
  const hangupIn = ending.askedAt + HANGUP_AFTER_MS - now;
  return hangupIn > 0
    ? Math.min(hangupIn, ending.killAt - now)
    : ending.killAt - now > 0
      ? ending.killAt - now
      : LOOK_EVERY_MS;
}
