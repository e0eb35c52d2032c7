/**
 * The files of a session: its record, its lifecycle and its log. Every change is written at once; the end becomes durable before
 * the holder releases the fds. Keeps LIFE-10 with `record-keeper.ts`. Keeps LIST-4: the record contains the first offset of an
 * ended session's log.
 */
import { statSync } from 'node:fs';
import {
  bytesBesideLog,
  dropKeyframesBefore,
  type Exit,
  firstOffsetIn,
  lastKeyframeIn,
  type Lifecycle,
  Log,
  LOG_DEFAULTS,
  type LogOptions,
  type SessionRecord,
  step,
} from '@spool/store';
import { ageMs } from '@spool/native/process-identity';
import type { EndedBy, HeldSession, SessionState, Size, SizePolicy } from '@spool/protocol';
import { programName } from './names.ts';
import { folderTrouble, troubleOf } from './folder-trouble.ts';
import { RecordKeeper } from './record-keeper.ts';
import type { SessionServices } from './services.ts';
import type { InputAuthor } from '../input/journal.ts';

export class SessionFile {
  readonly folder: string;
  /** The reason why the log cannot be written or read, or why the exit code is unknown; null if there is no fault. */
  trouble: string | null = null;
  readonly #services: SessionServices;
  readonly #records: RecordKeeper;
  #record: SessionRecord;
  #lifecycle: Lifecycle;
  #log: Log | null = null;
  #lastOutputAt: number | null = null;
  #foundFirstOffset: number | null = null;
  #isRemoved = false;

  constructor(services: SessionServices, record: SessionRecord) {
    const { end, ending } = record;
    this.folder = `${services.home.sessions}/${record.run.id}`;
    this.#services = services;
    this.#records = new RecordKeeper({ folder: this.folder, diskAccess: services.diskAccess, warn: services.warn });
    this.#record = record;
    this.#lifecycle = end
      ? {
          phase: 'ended',
          state: end.state,
          exit: { code: end.exitCode, signal: end.signal },
          endedAt: end.at,
          endedBy: end.by,
        }
      : { phase: 'running', ending };
  }

  /** Adopts a running child; another keeper may have written the record. */
  adopt(endAtLeast: number, isKnown: boolean): void {
    this.#openLog(Math.max(endAtLeast, lastKeyframeIn(this.folder)));
    if (isKnown) return this.#records.adopt();
    this.#record = { ...this.#record, ...inodeOf(this.folder) };
    this.#write();
  }

  /**
   * Adopts the size, after `adopt` and before anything reads the log. If the record was deleted, only the terminal has the size.
   */
  adoptSize({ cols, rows }: Size): void {
    const { size } = this.#record;
    if (size === null || (size.cols === cols && size.rows === rows)) return;
    this.log.markResize(cols, rows, Date.now());
    this.change({ size: { ...size, cols, rows } });
  }

  /** Adopts an end that the last keeper wrote before it died, without having released the holder's fds. */
  adoptEnd(): void {
    this.#records.adopt();
    void this.#letGo();
  }

  /** Records that the end of the child was missed. */
  lose(typed: InputAuthor | null = null): void {
    const at = this.log.timeAt(this.log.end - 1) ?? this.#record.startedAt;
    this.#lifecycle = step(this.#lifecycle, { type: 'lost', at });
    // A log that cannot be read now may be readable later, so its end is then read again.
    if (folderTrouble(`${this.folder}/log`) === null) this.#recordEnd(typed, { noticedAt: Date.now() });
    this.#write();
  }

  get record(): SessionRecord {
    return this.#record;
  }

  get lifecycle(): Lifecycle {
    return this.#lifecycle;
  }

  get state(): SessionState {
    return this.#lifecycle.phase === 'ended' ? this.#lifecycle.state : 'running';
  }

  get isRunning(): boolean {
    return this.#lifecycle.phase === 'running';
  }

  get startedAt(): number {
    return this.#record.startedAt;
  }

  get endedAt(): number | null {
    return this.#lifecycle.phase === 'ended' ? this.#lifecycle.endedAt : null;
  }

  /** The start of an ended session's retention; null while it runs. */
  get keptSince(): number | null {
    const { endedAt } = this;
    const { end } = this.#record;
    if (endedAt === null) return null;
    return end === null ? Infinity : Math.max(endedAt, end.noticedAt ?? 0); // an end that is not on disk is recent
  }

  get retainMs(): number {
    return this.#record.run.retainMs ?? LOG_DEFAULTS.retainMs;
  }

  /**
   * The time until its timeout. It is counted by the age of its child if that is known, so that a clock that was set forward does
   * not end it.
   */
  get timeLeftMs(): number | null {
    const { run, startedAt, process = null } = this.#record;
    if (run.timeoutMs === undefined) return null;
    return run.timeoutMs - (ageMs(process) ?? Date.now() - startedAt);
  }

  get sizePolicy(): SizePolicy {
    return this.#record.run.sizePolicy ?? 'latest';
  }

  /** Whether its folder was copied from another state folder, whose daemon may still run the process in the record. */
  get isCopy(): boolean {
    const { folderInode } = this.#record;
    return !this.isRunning && folderInode !== undefined && inodeOf(this.folder).folderInode !== folderInode;
  }

  get log(): Log {
    const log = this.#log ?? this.#openLog(this.#record.end?.offset ?? lastKeyframeIn(this.folder));
    this.#services.openLogs.touch(log);
    return log;
  }

  /** Returns the end of the log; an ended session's log is not opened for this. */
  get endOffset(): number {
    return this.#record.end?.offset ?? this.log.end;
  }

  /**
   * Returns the start of the log; an ended session's log is not opened for this, and for an older record it is taken from the
   * folder.
   */
  get firstOffset(): number {
    if (this.#log) return this.#log.start;
    return (this.#foundFirstOffset ??= this.#record.end?.firstOffset ?? firstOffsetIn(`${this.folder}/log`));
  }

  /** Returns the time of the last output; the log of a session that is only on disk is not opened for this. */
  get lastOutputAt(): number | null {
    if (this.#lastOutputAt !== null) return this.#lastOutputAt;
    if (!this.#log || this.#log.end === 0) return this.#record.end?.at ?? null;
    return (this.#lastOutputAt = this.#log.timeAt(this.#log.end - 1) ?? null);
  }

  get readTrouble(): string | null {
    const failure = this.#log?.failure;
    return failure ? troubleOf(`${this.folder}/log`, failure.code) : null;
  }

  /** Notes that the log has grown. */
  grown(): void {
    this.#lastOutputAt = Date.now();
    this.#services.flusher.note(this.log);
  }

  change(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#write();
  }

  /** Records that a client wants the session to end. The terminator does the rest. */
  askEnd(by: EndedBy, graceMs: number): void {
    this.#lifecycle = step(this.#lifecycle, { type: 'end', by, at: Date.now(), graceMs });
    this.#changeEnding();
  }

  /** Records that the first signal has been sent: the next keeper must not send it again. */
  recordAsked(): void {
    if (this.#lifecycle.phase !== 'running' || this.#lifecycle.ending === null || this.#lifecycle.ending.isAsked)
      return;
    this.#lifecycle = step(this.#lifecycle, { type: 'asked' });
    this.#changeEnding();
  }

  exited(exit: Exit): void {
    this.#lifecycle = step(this.#lifecycle, { type: 'exit', exit, at: Date.now() });
  }

  /** Records the end once all output of the child is in the log. */
  persistEnd(typed: InputAuthor | null = null): void {
    if (this.#isRemoved || this.#lifecycle.phase !== 'ended') return;
    this.#recordEnd(typed);
    this.#write();
    void this.#letGo();
  }

  /** Resolves when the files of the session would survive a power cut. */
  durable(): Promise<void> {
    return this.#records.durable();
  }

  /** Returns, for the housekeeper, the size of its files besides the log. */
  bytesBeside(): Promise<number> {
    return bytesBesideLog(this.folder);
  }

  /** Notes that the housekeeper has dropped the start of the log. */
  dropped(): void {
    if (this.#isRemoved) return;
    const { end } = this.#record;
    dropKeyframesBefore(this.folder, this.log.start).catch((error: Error) =>
      this.#services.warn(`old keyframes of session ${this.#record.run.id} could not be removed: ${error.message}`),
    );
    if (end !== null) this.change({ end: { ...end, firstOffset: this.log.start } });
  }

  /** Stops all writes: the folder is about to be removed. */
  close(): void {
    this.#isRemoved = true;
    this.#records.close();
  }

  remove(): void {
    if (this.#log) {
      this.#services.openLogs.forget(this.#log);
      this.#services.flusher.forget(this.#log);
      this.#log.close();
    }
    this.#services.remover.take(this.folder);
  }

  #openLog(endAtLeast: number): Log {
    const { retainBytes, retainMs } = this.#record.run;
    const retention: Partial<LogOptions> = {
      ...(retainBytes !== undefined && { retainBytes }),
      ...(retainMs !== undefined && { retainMs }),
    };
    return (this.#log = Log.open(`${this.folder}/log`, { lenient: true, endAtLeast, ...retention }));
  }

  #changeEnding(): void {
    if (this.#lifecycle.phase === 'running') this.#record = { ...this.#record, ending: this.#lifecycle.ending };
    this.#write();
  }

  /** Lets the holder release the fds when the end is durable: the last bytes first, then the record that refers to them. */
  async #letGo(): Promise<void> {
    const { log } = this;
    const failure = log.isDirty ? await this.#services.diskAccess.run(() => log.flush()) : undefined;
    if (failure) this.#services.flusher.note(log); // the flusher retries; the end itself is valid anyway
    await this.#records.durable();
    this.#services.release(this.#record.run.id);
  }

  #recordEnd(typed: InputAuthor | null, more: { readonly noticedAt?: number } = {}): void {
    if (this.#lifecycle.phase !== 'ended') return;
    const { state, exit, endedAt, endedBy } = this.#lifecycle;
    const { end: offset, start: firstOffset } = this.log;
    this.#record = {
      ...this.#record,
      ...(typed && { typed }),
      end: { state, exitCode: exit.code, signal: exit.signal, at: endedAt, by: endedBy, offset, firstOffset, ...more },
    };
  }

  #write(): void {
    this.#records.write(this.#record);
  }
}

/** Returns the record without the environment, which may contain secrets and is no longer needed. */
export function recordOf({ run, pid, startedAt, process = null, controlGroup }: HeldSession): SessionRecord {
  return {
    run: { ...run, env: {}, ...(run.agent && { agent: { ...run.agent, commands: undefined } }) },
    name: run.name ?? programName(run.command),
    pid,
    startedAt,
    size: run.size ?? null,
    process,
    controlGroup,
    ending: null,
    end: null,
  };
}

/** Returns an empty object if the folder cannot be read. */
function inodeOf(folder: string): { readonly folderInode?: number } {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found ? { folderInode: found.ino } : {};
}
