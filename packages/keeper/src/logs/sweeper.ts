/**
 * What goes by age: ended sessions beyond what `keepEnded` says, old output of all sessions, folders that were never more than
 * begun. At start and then every hour (sooner for sessions whose output is to be kept for less), in slices, so that nobody
 * waits for it. A running session is never removed, nor one that somebody watches.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lstat } from 'node:fs/promises';
import { isEmptySession } from '@spool/core';
import type { Housekeeper, Kept } from './housekeeper.ts';
import type { KeepCheck, KeepEnded } from './keep-config.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The first sweep: those who start a daemon want something of it first. */
const AFTER_START_MS = 3000;
const EVERY_MS = HOUR_MS;
const EVERY_MS_MIN = 10_000;

/** So long the keeper does nothing else. */
const SLICE_MS = 4;

/** What the sweeper asks of a session. */
export interface Swept extends Kept {
  readonly id: string;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  /** Since when it is kept: its end, or when that was noticed. */
  readonly keptSince: number | null;
  /** Somebody follows it or waits for it. */
  readonly isWatched: boolean;
  /** How long its output is kept. */
  readonly retainMs: number;
}

export interface SweeperOptions {
  sessions(): Iterable<Swept>;
  readonly housekeeper: Pick<Housekeeper, 'tidy'>;
  keepEnded(): KeepCheck;
  /** Whether the wall clock may be believed. */
  isClockTrusted(): boolean;
  remove(session: Swept): void;
  /** Folders of sessions that have no record. */
  orphans(): Iterable<string>;
  removeOrphan(folder: string): void;
  warn(sentence: string): void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  /** Ended, and all that was too old is gone: nothing will change. */
  readonly #settled = new WeakSet<Swept>();
  #timer: NodeJS.Timeout | null = null;
  #dueAt = 0;
  /** Complained about already. */
  #said: string | null = null;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweepIn(AFTER_START_MS);
  }

  /** There is a session whose output is to be kept so long: the next sweep may have to come sooner. */
  note(retainMs: number): void {
    const dueInMs = Math.max(EVERY_MS_MIN, retainMs);
    if (this.#timer !== null && performance.now() + dueInMs < this.#dueAt) this.#sweepIn(dueInMs);
  }

  /** One sweep; resolves when it is through. */
  async sweep(now = Date.now()): Promise<void> {
    const { isClockTrusted, keepEnded, sessions } = this.#options;
    const { keep, fault } = keepEnded();
    const isTrusted = isClockTrusted();
    this.#say(
      fault ?? (isTrusted ? null : 'the clock was set: nothing is removed by age until it has gone on for a day'),
    );
    if (!isTrusted) return;
    const slice = new Slice();
    for (const session of expired([...sessions()], keep, now)) {
      // Much may have happened since the list was made.
      if (session.endedAt !== null && !session.isWatched) this.#options.remove(session);
      await slice.breathe();
    }
    for (const session of [...sessions()]) {
      await slice.breathe();
      if (now - session.startedAt <= session.retainMs || this.#settled.has(session)) continue;
      await this.#options.housekeeper.tidy(session);
      if (session.endedAt !== null && now - session.endedAt > session.retainMs) this.#settled.add(session);
    }
    for (const folder of this.#options.orphans()) await this.#sweepOrphan(folder, now);
  }

  async #sweepAgain(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.#options.warn(`a sweep was not finished: ${(error as Error).message}`);
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

  /** Nothing in it and a day old: a keeper was killed while it began, or a disk was full. Anything else is left alone. */
  async #sweepOrphan(folder: string, now: number): Promise<void> {
    try {
      const found = await lstat(folder);
      const isOurs = found.isDirectory() && found.uid === process.getuid!();
      if (isOurs && now - found.mtimeMs > DAY_MS && (await isEmptySession(folder))) this.#options.removeOrphan(folder);
    } catch {
      // Gone meanwhile, or not to be read: then it is not ours to judge
    }
  }

  #say(sentence: string | null): void {
    if (sentence !== null && sentence !== this.#said) this.#options.warn(sentence);
    this.#said = sentence;
  }
}

/** The ended sessions that are kept no longer, the one that ended first in front. */
export function expired(sessions: readonly Swept[], { ageMs, count }: KeepEnded, now: number): Swept[] {
  const ended = sessions.filter(({ keptSince }) => keptSince !== null).sort((a, b) => a.keptSince! - b.keptSince!);
  const beyond = count === null ? 0 : Math.max(0, ended.length - count);
  return ended.filter((session, at) => at < beyond || (ageMs !== null && now - session.keptSince! > ageMs));
}

/** Lets others have their turn every few milliseconds. */
class Slice {
  #until = performance.now() + SLICE_MS;

  async breathe(): Promise<void> {
    if (performance.now() < this.#until) return;
    await nextTurn();
    this.#until = performance.now() + SLICE_MS;
  }
}
