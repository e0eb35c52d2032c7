/**
 * Both logs of an agent's session in memory, with the part of a requester that a driver needs. A test decides which inputs come
 * before a record is appended, and reads the appended records. After `kill` it answers no more requests.
 */
import {
  type BatchRecord,
  type CommandRecord,
  encodeFrame,
  type EventsRecord,
  type Frame,
  FrameReader,
  FrameType,
  OUTPUT_BYTES_MAX,
  SpoolError,
} from '@spool/protocol';

const SESSION = 's';

interface FrameTaker {
  onFrame(frame: Frame): void;
}

interface OpenWatch {
  readonly taker: FrameTaker;
  readonly bytes: () => Buffer;
  readonly isOutput: boolean;
  sent: number;
  limit: number;
  /** The end of the log when it was opened, until it is reported; else null. */
  syncedAt: number | null;
}

export class FakeLogs {
  #events = Buffer.alloc(0);
  #output = Buffer.alloc(0);
  #hasExited = false;
  #isKilled = false;
  #isSecondTry = false;
  #pumping: NodeJS.Immediate | null = null;
  readonly #watches: OpenWatch[] = [];
  /** Called before each record of a driver that fits. */
  beforeAppend: () => void = () => {};
  /** Called with each line for the agent; the line is written when this resolves. */
  onWrite: () => Promise<void> = () => Promise.resolve();
  /** The number of bytes of output that the driver has understood. */
  consumed = 0;
  onCheckpoint: (base64: string) => void = () => {};

  /** The part of a link that streams use. */
  get link(): object {
    return { isClosed: false, current: this.#connection, connection: () => Promise.resolve(this.#connection) };
  }

  /** Returns the same logs, for another driver. */
  copy(): FakeLogs {
    const logs = new FakeLogs();
    logs.#events = this.#events;
    logs.#output = this.#output;
    return logs;
  }

  get records(): readonly { readonly offset: number; readonly record: EventsRecord }[] {
    let offset = 0;
    const lines = this.#events.toString().split('\n').slice(0, -1);
    return lines.map((line) => {
      const found = { offset, record: JSON.parse(line) as EventsRecord };
      offset += Buffer.byteLength(line) + 1;
      return found;
    });
  }

  get batches(): readonly BatchRecord[] {
    return this.records.flatMap(({ record }) => (record.type === 'batch' ? [record] : []));
  }

  get commands(): readonly { readonly offset: number; readonly record: CommandRecord }[] {
    return this.records.flatMap(({ offset, record }) => (record.type === 'command' ? [{ offset, record }] : []));
  }

  append(record: object | string): void {
    const line = typeof record === 'string' ? record : JSON.stringify(record);
    this.#events = Buffer.concat([this.#events, Buffer.from(`${line}\n`)]);
    this.#pump();
  }

  print(text: string): void {
    this.#output = Buffer.concat([this.#output, Buffer.from(text)]);
    this.#pump();
  }

  get outputBytes(): number {
    return this.#output.length;
  }

  /** Ends the agent, after all its output. */
  exit(): void {
    this.#hasExited = true;
    this.#pump();
  }

  /** Lets the driver wait forever from now on, like a killed one. */
  kill(): void {
    this.#isKilled = true;
  }

  remember(): void {}

  async once(op: string, ask: Record<string, unknown>): Promise<object> {
    if (this.#isKilled) return await new Promise(() => {});
    if (op === 'appendEvents') {
      const answer = this.#appendAt(Number(ask['end']), ask['line'] as string | undefined);
      this.consumed = Number(ask['consumed']);
      return answer;
    }
    if (op === 'type') await this.onWrite();
    if (op === 'putCheckpoint') this.onCheckpoint(String(ask['base64']));
    return this.#isKilled ? await new Promise(() => {}) : {};
  }

  #appendAt(end: number, line: string | undefined): object {
    if (end !== this.#events.length) throw new SpoolError('EVENTS_MOVED', { offset: this.#events.length });
    if (line === undefined) return { offset: end };
    // Called once for each record: the second try is appended.
    if (!this.#isSecondTry) this.beforeAppend();
    this.#isSecondTry = end !== this.#events.length;
    if (this.#isSecondTry) throw new SpoolError('EVENTS_MOVED', { offset: this.#events.length });
    this.append(line);
    return { offset: this.#events.length };
  }

  readonly #connection = {
    open: (op: string, ask: { readonly from: unknown; readonly creditBytes: number }, taker: FrameTaker): number => {
      const isOutput = op === 'watch';
      const from = offsetOf(ask.from);
      const bytes = (): Buffer => (isOutput ? this.#output : this.#events);
      const end = bytes().length;
      const watch: OpenWatch = { taker, isOutput, bytes, sent: from, limit: from, syncedAt: null };
      const channel = this.#watches.push(watch);
      // Called a moment later, as over a socket.
      queueMicrotask(() => {
        json(taker, FrameType.reply, { id: SESSION, from, offset: end });
        watch.limit = Math.max(watch.limit, from + ask.creditBytes);
        watch.syncedAt = end;
        this.#pump();
      });
      return channel;
    },
    send: (frame: Uint8Array): void => {
      new FrameReader().push(frame, ({ type, channel, offset }) => {
        const watch = this.#watches[channel - 1];
        if (type === FrameType.credit && watch) watch.limit = offset;
        this.#pump();
      });
    },
    leave: () => {},
    forget: () => {},
  };

  /** Delivers in a later turn, as over a socket: never within a call of the driver. */
  #pump(): void {
    this.#pumping ??= setImmediate(() => {
      this.#pumping = null;
      for (const watch of [...this.#watches]) this.#pumpOne(watch);
    });
  }

  #pumpOne(watch: OpenWatch): void {
    if (this.#isKilled) return;
    const bytes = watch.bytes();
    while (watch.sent < Math.min(bytes.length, watch.limit)) {
      const to = Math.min(bytes.length, watch.limit, watch.sent + OUTPUT_BYTES_MAX);
      const frame = encodeFrame(FrameType.output, 1, bytes.subarray(watch.sent, to), watch.sent);
      watch.sent = to;
      deliver(watch.taker, frame);
    }
    if (watch.syncedAt !== null && watch.sent >= watch.syncedAt) {
      json(watch.taker, FrameType.event, { type: 'synced', offset: watch.syncedAt });
      watch.syncedAt = null;
    }
    const isWhole = watch.limit >= bytes.length && watch.sent === bytes.length;
    if (!watch.isOutput || !this.#hasExited || !isWhole) return;
    this.#watches.splice(this.#watches.indexOf(watch), 1, { ...watch, taker: { onFrame: () => {} }, isOutput: false });
    json(watch.taker, FrameType.event, {
      type: 'exit',
      offset: bytes.length,
      state: 'exited',
      exitCode: 0,
      signal: null,
    });
  }
}

function offsetOf(from: unknown): number {
  if (typeof from === 'number') return from;
  return from === 'start' ? 0 : (from as { readonly lineAt: number }).lineAt;
}

function json(taker: FrameTaker, type: FrameType, value: object): void {
  deliver(taker, encodeFrame(type, 1, Buffer.from(JSON.stringify(value))));
}

function deliver(taker: FrameTaker, frame: Uint8Array): void {
  new FrameReader().push(frame, (one) => taker.onFrame(one));
}
