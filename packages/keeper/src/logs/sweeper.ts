/**
 * Deletes by age: ended sessions beyond `keepEnded`, old output of all sessions, and folders of sessions that never
 * really started. Runs at start and then every hour (sooner for sessions with a shorter retention), in slices, so that
 * no request waits for it. It never removes a session that is running or being watched. Keeps LOG-8, LOG-10 and the age
 * limit of LOG-5.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lstat } from 'node:fs/promises';
import { isEmptySession } from '@spool/core';
import type { Housekeeper, Kept } from './housekeeper.ts';
import type { KeepCheck, KeepEnded } from './keep-config.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The delay before the first sweep: clients that start a daemon have a request that comes first. */
const AFTER_START_MS = 3000;
const EVERY_MS = HOUR_MS;
const EVERY_MS_MIN = 10_000;

/** The longest time for which the keeper does nothing else. */
const SLICE_MS = 4;

/** What the sweeper needs of a session. */
export interface Swept extends Kept {
  readonly id: string;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  /** The start of its retention: its end, or the time when that was noticed. */
  readonly keptSince: number | null;
  /** A client follows it or waits for it. */
  readonly isWatched: boolean;
  /** How long its output is kept. */
  readonly retainMs: number;
  /** The events of an agent: as old as its output. */
  readonly secondLog?: Kept | null;
}

export interface SweeperOptions {
  sessions(): Iterable<Swept>;
  readonly housekeeper: Pick<Housekeeper, 'tidy'>;
  keepEnded(): KeepCheck;
  /** Whether the wall clock can be trusted. */
  isClockTrusted(): boolean;
  remove(session: Swept): void;
  /** Session folders without a record. */
  orphans(): Iterable<string>;
  removeOrphan(folder: string): void;
  warn(sentence: string): void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  /** Ended, and everything too old is gone: nothing will change. */
  readonly #settled = new WeakSet<Swept>();
  #timer: NodeJS.Timeout | null = null;
  #dueAt = 0;
  /** The fault that has been reported already. */
  #said: string | null = null;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweepIn(AFTER_START_MS);
  }

  /** A session has this retention: the next sweep may have to come sooner. */
  note(retainMs: number): void {
    const dueInMs = Math.max(EVERY_MS_MIN, retainMs);
    if (this.#timer !== null && performance.now() + dueInMs < this.#dueAt) this.#sweepIn(dueInMs);
  }

  /** One sweep; resolves when it is complete. */
  async sweep(now = Date.now()): Promise<void> {
    const { isClockTrusted, keepEnded, sessions } = this.#options;
    const { keep, fault } = keepEnded();
    const isTrusted = isClockTrusted();
    this.#say(
      fault ?? (isTrusted ? null : 'the clock was set: nothing is removed by age until it has gone on for a day'),
    );
    if (!isTrusted) return;
    const slice = new Slice();
    const ended: Ended[] = [];
    for (const session of [...sessions()]) {
      const { keptSince } = session;
      if (keptSince !== null) ended.push({ session, keptSince });
      await slice.breathe();
    }
    for (const session of expired(ended, keep, now)) {
      // The session may have changed since the list was made.
      if (session.endedAt !== null && !session.isWatched) this.#options.remove(session);
      await slice.breathe();
    }
    for (const session of [...sessions()]) {
      await slice.breathe();
      if (now - session.startedAt <= session.retainMs || this.#settled.has(session)) continue;
      await this.#options.housekeeper.tidy(session);
      if (session.secondLog) await this.#options.housekeeper.tidy(session.secondLog);
      if (session.endedAt !== null && now - session.endedAt > session.retainMs) this.#settled.add(session);
    }
    for (const folder of this.#options.orphans()) await this.#sweepOrphan(folder, now);
  }

  async #sweepAgain(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.#options.warn(`a sweep failed: ${(error as Error).message}`);
    }
    let everyMs = EVERY_MS;
    for (const session of this.#options.sessions())
      if (!this.#settled.has(session)) everyMs = Math.min(everyMs, Math.max(EVERY_MS_MIN, session.retainMs));
    this.#sweepIn(everyMs);
  }

  #sweepIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueAt = performance.now() + ms;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#sweepAgain();
    }, ms);
  }

  /**
   * Removes a folder that is empty and a day old: a keeper was killed while it created the session, or the disk was
   * full. Any other folder is left alone.
   */
  async #sweepOrphan(folder: string, now: number): Promise<void> {
    try {
      const found = await lstat(folder);
      const isOurs = found.isDirectory() && found.uid === process.getuid!();
      if (isOurs && now - found.mtimeMs > DAY_MS && (await isEmptySession(folder))) this.#options.removeOrphan(folder);
    } catch {
      // Gone meanwhile, or unreadable: then it is left alone
    }
  }

  #say(sentence: string | null): void {
    if (sentence !== null && sentence !== this.#said) this.#options.warn(sentence);
    this.#said = sentence;
  }
}

interface Ended {
  readonly session: Swept;
  readonly keptSince: number;
}

/** The ended sessions to remove, the one that ended first in front. Mostly there are none: then nothing is sorted. */
export function expired(ended: Ended[], { ageMs, count }: KeepEnded, now: number): Swept[] {
  const beyond = count === null ? 0 : Math.max(0, ended.length - count);
  const isOld = ({ keptSince }: Ended): boolean => ageMs !== null && now - keptSince > ageMs;
  const found = beyond > 0 ? ended : ended.filter(isOld);
  found.sort((a, b) => a.keptSince - b.keptSince);
  return found.filter((each, at) => at < beyond || isOld(each)).map(({ session }) => session);
}

/** Yields to other work every few milliseconds. */
class Slice {
  #until = performance.now() + SLICE_MS;

  async breathe(): Promise<void> {
    if (performance.now() < this.#until) return;
    await nextTurn();
    this.#until = performance.now() + SLICE_MS;
  }
}
