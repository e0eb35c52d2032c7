/**
 * One client's subscription to a session's output. A watcher has a cursor, not a queue: output that it has not read yet stays in
 * the log. It is sent only as much as it has granted (credit) and as its connection accepts, so a slow watcher delays only itself.
 *
 * A viewer (attached) starts with a snapshot, and gets another whenever it has fallen far behind. A watcher that needs every byte
 * continues to read from the log, however late it is. Keeps ATT-2, SLOW-1, SLOW-2, SLOW-3 and SLOW-5. Keeps ATT-3: the end is the
 * last event of a watcher, and comes after the last byte.
 */
import { encodeHeader, FrameFlag, FrameType, OUTPUT_BYTES_MAX, type Size, type WatchEvent } from '@spool/protocol';
import type { Log, LogRead } from '@spool/store';
import type { ClientConnection } from '../clients/connection.ts';
import { historySlices } from '../logs/time-slices.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { isSameSize } from './viewers.ts';

/** The distance from the present above which a viewer gets a new snapshot, because no user can read that fast. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/** A late viewer (`lateMs`) gets a new snapshot too, unless the backlog is hardly larger than a snapshot. */
const LATE_BYTES_MIN = 16 * 1024;

export interface Snapshot {
  readonly offset: number;
  readonly size: Size;
  readonly bytes: Uint8Array;
}

export interface WatcherOptions {
  readonly connection: ClientConnection;
  readonly channel: number;
  readonly session: KeeperSession;
  readonly from: number;
  readonly creditBytes: number;
  /** Takes a snapshot of the present screen, with this many lines above it (viewers only). */
  readonly takeSnapshot?: (historyLines: number) => Promise<Snapshot>;
  /** The delay after which a snapshot replaces a viewer's backlog (default: none, only a backlog of a megabyte). */
  readonly lateMs?: number | undefined;
  /** Whether every size is reported to this watcher, with each snapshot and even when it changed the size itself. */
  readonly followsSize?: boolean;
  /** The id of a viewer's input stream. */
  readonly inputStream?: string;
  /** The session in whose terminal the client shows this session. */
  readonly inside?: string | undefined;
  /** The form in which it sends output (default: as bytes). */
  readonly output?: WatcherOutput;
  /** The log of the session that it reads (default: the output). */
  readonly events?: WatchedEvents;
}

/** Another form of a watcher's output. The watcher owns the cursor, and reads only as much as the connection has room for. */
export interface WatcherOutput {
  /** The maximum of bytes that are read at once. */
  readonly bytesMax: number;
  bytes(offset: number, stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
  event(event: WatchEvent): void;
  close(): void;
}

/** The second log of an agent. */
interface WatchedEvents {
  readonly log: Log;
  /** Whether the session has ended, and no event will be appended any more. */
  readonly isDone: boolean;
}

export class Watcher {
  readonly channel: number;
  readonly connection: ClientConnection;
  readonly session: KeeperSession;
  readonly #options: WatcherOptions;
  readonly #syncedAt: number;
  /** The resizes beyond the cursor, sent when the cursor gets there. */
  #resizes: { readonly offset: number; readonly cols: number; readonly rows: number }[] = [];
  #cursor: number;
  #credit: number;
  #isSynced = false;
  #isTakingSnapshot = false;
  /** The number of history lines for a snapshot that is due once the client reads again; null if none is due. */
  #wantedHistory: number | null = null;
  /** The end of the log at a time when not all of it could be sent: output before this offset is older than that time. */
  #waitsFor: { readonly offset: number; readonly at: number } | null = null;
  /** The latest event of each kind, sent once the client reads again. */
  readonly #unsent = new Map<string, WatchEvent>();
  /** The offset up to which bytes are sent because no snapshot could be taken. */
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

  /** Whether it belongs to a client rather than the driver of the session. */
  get isClient(): boolean {
    return this.connection.driverOf === null;
  }

  get inside(): string | undefined {
    return this.#options.inside;
  }

  get #log(): Log {
    return (this.#options.events ?? this.session).log;
  }

  /** Notes that the client has room up to this offset. */
  grant(offset: number): void {
    if (offset <= this.#credit) return;
    this.#credit = offset;
    this.pump();
  }

  /** Sends a viewer a snapshot of the present screen. */
  async snapshot(historyLines = 0): Promise<void> {
    const { takeSnapshot, creditBytes } = this.#options;
    if (!takeSnapshot) return;
    if (this.#isTakingSnapshot) {
      if (historyLines > 0) this.#wantedHistory = historyLines; // the snapshot that is being taken has none
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

  /** Sends the available output, as far as the client has room. */
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
      if (isHistory && !historySlices.admits(this)) return;
      const { bytesMax: most = OUTPUT_BYTES_MAX } = this.#options.output ?? {};
      const bytesMax = Math.min(most, this.#credit - this.#cursor, next - this.#cursor);
      const readOn = (): LogRead => log.read(this.#cursor, bytesMax);
      const read = isHistory ? historySlices.read(readOn) : readOn();
      if (read.type === 'end') return this.#atEnd();
      if (read.type === 'gap') {
        this.emit({ type: 'gap', from: read.from, to: read.to, reason: read.reason });
        this.#cursor = read.to;
        // Dropped bytes need no credit.
        this.#credit = Math.max(this.#credit, this.#cursor + 1);
        continue;
      }
      this.#send(read.stream, read.bytes);
      this.#cursor += read.bytes.length;
      if (!this.#isSynced && this.#cursor >= this.#syncedAt) this.#synced();
    }
  }

  /**
   * The socket of a viewer that sees the present, and how many bytes of the next output it may be sent at once; null if something
   * else comes first: a snapshot, an event, or unread output.
   */
  get relay(): { readonly fd: number; readonly bytesMax: number } | null {
    const { connection } = this;
    const fd = connection.idleFd;
    if (fd === -1 || this.#isClosed || this.#isTakingSnapshot || this.#wantedHistory !== null) return null;
    if (this.#options.takeSnapshot === undefined || !this.#isSynced || connection.isWaiting(this)) return null;
    if (this.#unsent.size > 0 || this.#resizes.length > 0 || this.#cursor !== this.#log.end) return null;
    const bytesMax = this.#credit - this.#cursor;
    return bytesMax > 0 ? { fd, bytesMax } : null;
  }

  /** Begins the frame of such output; see `Connection.beginRelay`. */
  beginRelay(frame: Uint8Array, bytesMax: number): number {
    return this.connection.beginRelay(frame, this.channel, this.#cursor, bytesMax);
  }

  /** Notes that `frame` was sent, up to `sentBytes`; it ends with this many bytes of the log. */
  endRelay(frame: Uint8Array, sentBytes: number, logBytes: number): void {
    this.#cursor += logBytes;
    this.connection.endRelay(frame, sentBytes);
  }

  resized(offset: number, cols: number, rows: number): void {
    this.#resizes = this.#resizes.filter((resize) => resize.offset !== offset);
    // A watcher far behind while a window is being dragged needs only the latest sizes.
    if (this.#resizes.length >= 64) this.#resizes.shift();
    this.#resizes.push({ offset, cols, rows });
    this.pump();
  }

  /**
   * Takes input at this offset of the client's input stream. Refuses it from a viewer that may not type, and ignores it from a
   * viewer that has left.
   */
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
    if (this.#options.output) this.#options.output.event(event);
    else this.connection.json(FrameType.event, this.channel, event);
  }

  /** Sends an event that describes the present. A client that does not read gets only the latest event of each kind, later. */
  emitLatest(event: Extract<WatchEvent, { type: 'viewers' | 'notice' }>): void {
    this.#unsent.set(event.type, event);
    if (this.connection.isFull) this.connection.wait(this);
    else this.#tellUnsent();
  }

  /** Confirms that the viewer's input is in the terminal up to this offset of its stream. */
  confirm(typedOffset: number): void {
    this.connection.soon(encodeHeader(FrameType.typed, 0, this.channel, typedOffset, 0));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.session.watchers.delete(this);
    this.connection.forget(this);
    this.session.viewerLeft(this);
    this.#options.output?.close();
  }

  #send(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const { output } = this.#options;
    if (output) return output.bytes(this.#cursor, stream, bytes);
    this.connection.output(this.channel, stream === 'stderr' ? FrameFlag.stderr : 0, this.#cursor, bytes);
  }

  #isFarBehind(end: number): boolean {
    const { takeSnapshot } = this.#options;
    if (takeSnapshot === undefined || this.#cursor < this.#bytesTo) return false;
    const behind = end - this.#cursor;
    return behind > BEHIND_BYTES_MAX || (behind > LATE_BYTES_MIN && this.#isLate);
  }

  /** Returns whether the next bytes are older than the viewer wants to show. */
  get #isLate(): boolean {
    const { lateMs = Infinity } = this.#options;
    if (this.#waitsFor === null || this.#cursor >= this.#waitsFor.offset) return false;
    return performance.now() - this.#waitsFor.at > lateMs;
  }

  /** Measures the next wait once the waiting output is sent. */
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
