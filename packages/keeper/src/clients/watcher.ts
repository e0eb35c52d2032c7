/**
 * One client's subscription to a session's output. A watcher has a cursor, not a queue: what it has not read yet stays
 * in the log. It is sent as much as it granted (credit) and as its connection takes, so a slow watcher costs only
 * itself.
 *
 * A viewer (attached) starts with a snapshot, and gets another whenever it has fallen far behind. A watcher that needs
 * every byte reads on from the log, however late. Keeps ATT-2, SLOW-1, SLOW-2, SLOW-3 and SLOW-5. Keeps ATT-3: the end is the
 * last event of a watcher, and comes after the last byte.
 */
import { encodeHeader, FrameFlag, FrameType, OUTPUT_BYTES_MAX, type Size, type WatchEvent } from '@spool/protocol';
import type { Log, LogRead } from '@spool/core';
import type { Connection } from './connection.ts';
import { historyTurns } from '../logs/history-turns.ts';
import type { Session } from '../session/session.ts';
import { isSameSize } from './viewers.ts';

/** A viewer further behind than this gets a new snapshot: no user can read that fast. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/** So does one that is late (`lateMs`), unless the backlog is hardly larger than a snapshot. */
const LATE_BYTES_MIN = 16 * 1024;

export interface Snapshot {
  readonly offset: number;
  readonly size: Size;
  readonly bytes: Uint8Array;
}

export interface WatcherOptions {
  readonly connection: Connection;
  readonly channel: number;
  readonly session: Session;
  readonly from: number;
  readonly creditBytes: number;
  /** For viewers: takes a snapshot of the present screen, with this many lines above it. */
  readonly takeSnapshot?: (historyLines: number) => Promise<Snapshot>;
  /** For viewers: after this delay a snapshot replaces the backlog (default: only when a megabyte behind). */
  readonly lateMs?: number | undefined;
  /** Report every size to this watcher, also with each snapshot and when it changed the size itself. */
  readonly followsSize?: boolean;
  /** For viewers: the id of their input stream. */
  readonly inputStream?: string;
  /** The session in whose terminal the client shows it. */
  readonly inside?: string | undefined;
  /** Which log of the session it reads (default: the output). */
  readonly events?: WatchedEvents;
}

/** The second log of an agent. */
export interface WatchedEvents {
  readonly log: Log;
  /** The session has ended, and nothing more is appended. */
  readonly isDone: boolean;
}

/** The part of a watcher that sessions and connections use. */
export interface LogWatcher {
  readonly channel: number;
  readonly session: Session;
  /** It is a client, and not the driver of the session. */
  readonly isClient: boolean;
  /** The session in whose terminal the client shows what it reads. */
  readonly inside?: string | undefined;
  /** Sends what there is, as far as the client has room. */
  pump(): void;
  /** The client has room up to this offset. */
  grant(offset: number): void;
  resized(offset: number, cols: number, rows: number): void;
  /** Input of its client, at this offset of its input stream. */
  typed(offset: number, bytes: Uint8Array): void;
  removed(): void;
  close(): void;
}

export class Watcher implements LogWatcher {
  readonly channel: number;
  readonly connection: Connection;
  readonly session: Session;
  readonly #options: WatcherOptions;
  readonly #syncedAt: number;
  /** Resizes beyond the cursor, sent when the cursor gets there. */
  #resizes: { readonly offset: number; readonly cols: number; readonly rows: number }[] = [];
  #cursor: number;
  #credit: number;
  #isSynced = false;
  #isTakingSnapshot = false;
  /** A snapshot is due once the client reads again, with this many lines above it. */
  #wantedHistory: number | null = null;
  /** What the log had at some moment at which not all of it could be sent: what comes before is older than that. */
  #waitsFor: { readonly offset: number; readonly at: number } | null = null;
  /** The latest of each kind, sent once the client reads again. */
  readonly #unsent = new Map<string, WatchEvent>();
  /** Up to this offset, bytes are sent instead of a snapshot, because there was none. */
  #bytesTo = 0;
  #isClosed = false;

  constructor(options: WatcherOptions) {
    const { connection, channel, session, from, creditBytes } = options;
    this.channel = channel;
    this.connection = connection;
    this.session = session;
    this.#options = options;
    this.#cursor = from;
    this.#credit = from + creditBytes;
    this.#syncedAt = this.#log.end;
    session.watchers.add(this);
  }

  get isClient(): boolean {
    return this.connection.driverOf === null;
  }

  get inside(): string | undefined {
    return this.#options.inside;
  }

  get #log(): Log {
    return (this.#options.events ?? this.session).log;
  }

  grant(offset: number): void {
    if (offset <= this.#credit) return;
    this.#credit = offset;
    this.pump();
  }

  /** Brings a viewer to the present. */
  async snapshot(historyLines = 0): Promise<void> {
    const { takeSnapshot, creditBytes } = this.#options;
    if (!takeSnapshot) return;
    if (this.#isTakingSnapshot) {
      if (historyLines > 0) this.#wantedHistory = historyLines; // the one that is being taken has none
      return;
    }
    this.#wantedHistory = this.connection.isFull ? historyLines : null;
    if (this.#wantedHistory !== null) return this.connection.wait(this);
    this.#isTakingSnapshot = true;
    try {
      const { offset, size, bytes } = await takeSnapshot(historyLines);
      if (this.#isClosed) return;
      this.#cursor = offset;
      this.#waitsFor = null;
      this.#credit = offset + creditBytes;
      // A resize at the exact offset of the snapshot may have come after it was taken.
      this.#resizes = this.#resizes.filter(
        (resize) => resize.offset > offset || (resize.offset === offset && !isSameSize(resize, size)),
      );
      this.tellSize(offset, size);
      this.connection.snapshot(this.channel, offset, bytes);
      if (this.followsSize && this.#resizes.length === 0 && !isSameSize(size, this.session.info.size))
        this.tellSize(offset);
    } catch {
      // Without a snapshot (its thread is being restarted), the viewer gets the bytes from its cursor on.
      this.#bytesTo = this.#cursor + BEHIND_BYTES_MAX;
    } finally {
      this.#isTakingSnapshot = false;
    }
    this.pump();
  }

  get followsSize(): boolean {
    return this.#options.followsSize === true;
  }

  /** Sends the size that the session has from this offset on. */
  tellSize(offset: number, size: Size | null = this.session.info.size): void {
    if (this.followsSize && size) this.emit({ type: 'resized', offset, cols: size.cols, rows: size.rows });
  }

  pump(): void {
    if (this.#isClosed || this.#isTakingSnapshot || this.connection.isWaiting(this)) return;
    const log = this.#log;
    this.#noteWait(log.end);
    for (;;) {
      if (this.connection.isFull) return this.connection.wait(this);
      if (this.#wantedHistory !== null) return void this.snapshot(this.#wantedHistory);
      this.#tellUnsent();
      this.#tellResizes();
      if (this.#cursor >= log.end) return this.#atEnd();
      if (this.#cursor >= this.#credit) return;
      if (this.#isFarBehind(log.end)) return void this.snapshot();
      const next = this.#resizes[0]?.offset ?? Infinity;
      const isHistory = log.isHistory(this.#cursor);
      if (isHistory && !historyTurns.admits(this)) return;
      const bytesMax = Math.min(OUTPUT_BYTES_MAX, this.#credit - this.#cursor, next - this.#cursor);
      const readOn = (): LogRead => log.read(this.#cursor, bytesMax);
      const read = isHistory ? historyTurns.read(readOn) : readOn();
      if (read.type === 'end') return this.#atEnd();
      if (read.type === 'gap') {
        this.emit({ type: 'gap', from: read.from, to: read.to, reason: read.reason });
        this.#cursor = read.to;
        // Dropped bytes need no credit.
        this.#credit = Math.max(this.#credit, this.#cursor + 1);
        continue;
      }
      const flags = read.stream === 'stderr' ? FrameFlag.stderr : 0;
      this.connection.output(this.channel, flags, this.#cursor, read.bytes);
      this.#cursor += read.bytes.length;
      if (!this.#isSynced && this.#cursor >= this.#syncedAt) this.#synced();
    }
  }

  resized(offset: number, cols: number, rows: number): void {
    this.#resizes = this.#resizes.filter((resize) => resize.offset !== offset);
    // A watcher far behind while a window is being dragged needs only the latest sizes.
    if (this.#resizes.length >= 64) this.#resizes.shift();
    this.#resizes.push({ offset, cols, rows });
    this.pump();
  }

  /** Input from a viewer that may not type is refused; from one that has left, ignored. */
  typed(offset: number, bytes: Uint8Array): void {
    const { inputStream } = this.#options;
    const viewer = this.session.viewers.of(this);
    if (!viewer || inputStream === undefined) return;
    if (viewer.isReadOnly)
      return this.emit({ type: 'input-refused', offset: offset + bytes.length, code: 'NOT_ALLOWED' });
    if (this.session.input.typed(this, viewer.who, inputStream, offset, bytes)) this.session.view.touch(viewer);
  }

  removed(): void {
    this.emit({ type: 'removed' });
    this.close();
  }

  emit(event: WatchEvent): void {
    this.connection.json(FrameType.event, this.channel, event);
  }

  /** Sends an event that describes the present. A client that does not read gets only the latest of its kind, later. */
  emitLatest(event: Extract<WatchEvent, { type: 'viewers' | 'notice' }>): void {
    this.#unsent.set(event.type, event);
    if (this.connection.isFull) this.connection.wait(this);
    else this.#tellUnsent();
  }

  /** The viewer's input is in the terminal up to this offset of its stream. */
  confirm(typedOffset: number): void {
    this.connection.soon(encodeHeader(FrameType.typed, 0, this.channel, typedOffset, 0));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.session.watchers.delete(this);
    this.connection.forget(this);
    this.session.viewerLeft(this);
  }

  #isFarBehind(end: number): boolean {
    const { takeSnapshot } = this.#options;
    if (takeSnapshot === undefined || this.#cursor < this.#bytesTo) return false;
    const behind = end - this.#cursor;
    return behind > BEHIND_BYTES_MAX || (behind > LATE_BYTES_MIN && this.#isLate);
  }

  /** What would be sent next is older than the viewer wants to show. */
  get #isLate(): boolean {
    const { lateMs = Infinity } = this.#options;
    if (this.#waitsFor === null || this.#cursor >= this.#waitsFor.offset) return false;
    return performance.now() - this.#waitsFor.at > lateMs;
  }

  /** Once what waited is sent, the next wait is measured. */
  #noteWait(end: number): void {
    if (this.#options.lateMs === undefined) return;
    if (this.#waitsFor === null || this.#cursor >= this.#waitsFor.offset)
      this.#waitsFor = { offset: end, at: performance.now() };
  }

  #atEnd(): void {
    if (!this.#isSynced) this.#synced();
    const { lifecycle } = this.session;
    if (lifecycle.phase !== 'ended' || this.#options.events?.isDone === false) return;
    const { state, exit } = lifecycle;
    this.emit({ type: 'exit', offset: this.#cursor, state, exitCode: exit.code, signal: exit.signal });
    this.close();
  }

  #synced(): void {
    this.#isSynced = true;
    this.emit({ type: 'synced', offset: this.#cursor });
  }

  #tellUnsent(): void {
    for (const event of this.#unsent.values()) this.emit(event);
    this.#unsent.clear();
  }

  #tellResizes(): void {
    while (this.#resizes[0] && this.#resizes[0].offset <= this.#cursor) {
      this.emit({ type: 'resized', ...this.#resizes.shift()! });
    }
  }
}
