/**
 * Deletes by age: ended sessions beyond `keepEnded`, old output of all sessions, and folders of sessions that never
 * really started. Runs at start and then every hour (sooner for sessions with a shorter retention), in slices, so that
 * no request waits for it. It never removes a session that is running or being watched. Keeps LOG-8, LOG-10 and the age
 * limit of LOG-5.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lstat } from 'node:fs/promises';
import { isEmptySession } from '@spool/store';
import type { Housekeeper, RetainedLog } from './housekeeper.ts';
import type { KeepCheck, KeepEnded } from './keep-config.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The delay before the first sweep: a client that starts a daemon has a request that comes first. */
const AFTER_START_MS = 3000;
const EVERY_MS = HOUR_MS;
const EVERY_MS_MIN = 10_000;

/** The longest time for which the keeper handles no other work. */
const SLICE_MS = 4;

/** The part of a session that the sweeper uses. */
export interface SweptSession {
  readonly id: string;
  readonly file: SweptFile;
  /** Whether a client follows it or waits for it. */
  readonly isWatched: boolean;
  /** The events of an agent, which are kept as long as its output. */
  readonly secondLog?: RetainedLog | null;
}

export interface SweptFile extends RetainedLog {
  readonly startedAt: number;
  /** The time of its end; null while it runs. */
  readonly endedAt: number | null;
  /** The start of its retention: its end, or the time when the end was noticed. */
  readonly keptSince: number | null;
  /** The time for which its output is kept. */
  readonly retainMs: number;
}

export interface SweeperOptions {
  sessions(): Iterable<SweptSession>;
  readonly housekeeper: Pick<Housekeeper, 'tidy'>;
  keepEnded(): KeepCheck;
  /** Returns whether the wall clock can be trusted. */
  isClockTrusted(): boolean;
  remove(session: SweptSession): void;
  /** Returns the session folders without a record. */
  orphans(): Iterable<string>;
  removeOrphan(folder: string): void;
  warn(sentence: string): void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  /** The sessions that ended longer ago than their output is kept: they have been swept, and do not change any more. */
  readonly #settled = new WeakSet<SweptSession>();
  #timer: NodeJS.Timeout | null = null;
  #dueAt = 0;
  /** The fault that has already been reported. */
  #said: string | null = null;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweepIn(AFTER_START_MS);
  }

  /** Notes the retention of a session: the next sweep may have to come sooner. */
  note(retainMs: number): void {
    const dueInMs = Math.max(EVERY_MS_MIN, retainMs);
    if (this.#timer !== null && performance.now() + dueInMs < this.#dueAt) this.#sweepIn(dueInMs);
  }

  /** Runs one sweep; resolves when it is complete. */
  async sweep(now = Date.now()): Promise<void> {
    const { isClockTrusted, keepEnded, sessions } = this.#options;
    const { keep, fault } = keepEnded();
    const isTrusted = isClockTrusted();
    this.#say(
      fault ?? (isTrusted ? null : 'the clock was set: nothing is removed by age until it has gone on for a day'),
    );
    if (!isTrusted) return;
    const slice = new Slice();
    const ended: RemovableSession[] = [];
    for (const session of [...sessions()]) {
      const { keptSince } = session.file;
      if (keptSince !== null) ended.push({ session, keptSince });
      await slice.breathe();
    }
    for (const session of expired(ended, keep, now)) {
      // The session may have changed since the list was made.
      if (session.file.endedAt !== null && !session.isWatched) this.#options.remove(session);
      await slice.breathe();
    }
    for (const session of [...sessions()]) {
      await slice.breathe();
      const { file, secondLog } = session;
      if (now - file.startedAt <= file.retainMs || this.#settled.has(session)) continue;
      await this.#options.housekeeper.tidy(file);
      if (secondLog) await this.#options.housekeeper.tidy(secondLog);
      if (file.endedAt !== null && now - file.endedAt > file.retainMs) this.#settled.add(session);
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
      if (!this.#settled.has(session)) everyMs = Math.min(everyMs, Math.max(EVERY_MS_MIN, session.file.retainMs));
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
      // The folder is missing or unreadable: it is left alone.
    }
  }

  #say(sentence: string | null): void {
    if (sentence !== null && sentence !== this.#said) this.#options.warn(sentence);
    this.#said = sentence;
  }
}

interface RemovableSession {
  readonly session: SweptSession;
  readonly keptSince: number;
}

/**
 * Returns the ended sessions to remove, the one that ended first in front. Usually there are none, so that no sorting is needed.
 */
export function expired(ended: RemovableSession[], { ageMs, count }: KeepEnded, now: number): SweptSession[] {
  const beyond = count === null ? 0 : Math.max(0, ended.length - count);
  const isOld = ({ keptSince }: RemovableSession): boolean => ageMs !== null && now - keptSince > ageMs;
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
