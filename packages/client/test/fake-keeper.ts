/**
 * A small fake keeper, at the other end of in-memory connections: sessions are byte arrays, watches follow credit as in
 * the protocol. It records its requests, and the test can answer any of them instead.
 */
import {
  decodeInput,
  decodeJson,
  encodeFrame,
  encodeJson,
  type Frame,
  FrameFlag,
  FrameReader,
  FrameType,
  type Op,
  PROTOCOL_VERSION,
  type SessionInfo,
  type Waited,
  SpoolError,
  toWireError,
  type WatchEvent,
} from '@spool/protocol';
import type { Runtime, Transport } from '../src/index.ts';
import { FakeClock } from './fake-clock.ts';
import { type CutOptions, memoryPair } from './memory-transport.ts';

export interface FakeKeeperSession {
  readonly id: string;
  name: string;
  bytes: Uint8Array;
  firstOffset: number;
  /** Returns whether the byte at this offset is from stderr. */
  isStderr: (offset: number) => boolean;
  exit: { exitCode: number | null; signal: string | null } | null;
}

export interface FakeWatcher {
  readonly session: FakeKeeperSession;
  readonly peer: Peer;
  readonly channel: number;
  /** The input stream of an attachment, and the room that a snapshot gives it. */
  readonly typing?: string;
  readonly creditBytes?: number;
  cursor: number;
  credit: number;
  isSynced: boolean;
}

/** One connection, seen from the keeper. */
export interface Peer {
  readonly number: number;
  send(frame: Uint8Array): void;
  close(): void;
}

export interface ReceivedRequest {
  readonly op: Op | 'input' | 'credit';
  readonly connection: number;
  readonly channel: number;
  // oxlint-disable-next-line no-explicit-any -- each request has its own, and a test knows which
  readonly ask: any;
}

/** Answers instead of the keeper: with a value, an error, or nothing at all (`'silence'`). */
export type FakeReply = (asked: ReceivedRequest, peer: Peer) => unknown;

export class FakeKeeper implements Runtime {
  readonly clock = new FakeClock();
  readonly sessions = new Map<string, FakeKeeperSession>();
  readonly asked: ReceivedRequest[] = [];
  readonly watchers = new Set<FakeWatcher>();
  readonly peers = new Set<Peer>();
  readonly received: { session: string; bytes: Uint8Array }[] = [];
  /** The text in the terminal, by input stream. */
  readonly typed = new Map<string, string>();
  /** Whether typed input is confirmed as soon as it comes. */
  confirmsTyped = true;
  helloes: unknown[] = [];
  /** Whether it respects the credit, so that a client can be tested against one that does not. */
  keepsCredit = true;
  frameBytesMax = 65_536;
  dials = 0;
  dialledAt: number[] = [];
  answers: Partial<Record<Op | 'input', FakeReply>> = {};
  /** Returns, for each dial, how this connection will break, or an error instead of a connection. */
  fate: (dial: number) => CutOptions | Error = () => ({});
  hello: unknown = { protocol: PROTOCOL_VERSION, version: 'fake' };
  #ids = 0;

  session(id: string, bytes: Uint8Array | string = '', rest: Partial<FakeKeeperSession> = {}): FakeKeeperSession {
    const session: FakeKeeperSession = {
      id,
      name: id,
      bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      firstOffset: 0,
      isStderr: () => false,
      exit: null,
      ...rest,
    };
    this.sessions.set(id, session);
    return session;
  }

  /** Appends output of the child. */
  print(session: FakeKeeperSession, bytes: Uint8Array | string): void {
    session.bytes = Buffer.concat([session.bytes, Buffer.from(bytes as Uint8Array)]);
    this.pump();
  }

  end(session: FakeKeeperSession, exitCode = 0): void {
    session.exit = { exitCode, signal: null };
    this.pump();
  }

  /** Breaks every connection. */
  hangUp(): void {
    for (const peer of this.peers) peer.close();
  }

  // Runtime

  now(): number {
    return this.clock.now();
  }

  sleep(...args: Parameters<Runtime['sleep']>): Promise<void> {
    return this.clock.sleep(...args);
  }

  randomId(): string {
    return `r${String(++this.#ids).padStart(9, '0')}`;
  }

  async dial(): Promise<Transport> {
    this.clock.activity++;
    this.dialledAt.push(this.now());
    const fate = this.fate(++this.dials);
    if (fate instanceof Error) throw fate;
    const { client, keeper } = memoryPair(this.clock, fate);
    this.#accept(keeper, this.dials);
    return client;
  }

  #accept(transport: Transport, number: number): void {
    const reader = new FrameReader();
    const peer: Peer = { number, send: (frame) => transport.send(frame), close: () => transport.close() };
    this.peers.add(peer);
    transport.onData = (chunk) => reader.push(chunk, (frame) => this.#handle(frame, peer));
    transport.onClose = () => {
      this.peers.delete(peer);
      for (const watcher of this.watchers) if (watcher.peer === peer) this.watchers.delete(watcher);
    };
  }

  #handle(frame: Frame, peer: Peer): void {
    const { type, channel, payload } = frame;
    if (type === FrameType.hello) {
      this.helloes.push(decodeJson(payload));
      if (this.hello !== 'silence') peer.send(encodeJson(FrameType.hello, 0, this.hello));
      return;
    }
    if (type === FrameType.credit) {
      this.asked.push({ op: 'credit', connection: peer.number, channel, ask: frame.offset });
      for (const watcher of this.watchers) {
        if (watcher.peer === peer && watcher.channel === channel)
          watcher.credit = Math.max(watcher.credit, frame.offset);
      }
      return this.pump();
    }
    if (type === FrameType.input) {
      const { session, bytes } = decodeInput(payload);
      if ((frame.flags & FrameFlag.typed) !== 0) return this.#hearTyped(frame, peer, session, bytes);
      return this.#answer(
        { op: 'input', connection: peer.number, channel, ask: { session, bytes: new Uint8Array(bytes) } },
        peer,
      );
    }
    const { op, ...ask } = decodeJson(payload) as { op: Op };
    this.#answer({ op, connection: peer.number, channel, ask }, peer);
  }

  /** Takes input that continues its stream; repeated bytes are not taken twice; a gap is a fault. */
  #hearTyped({ channel, offset }: Frame, peer: Peer, session: string, bytes: Uint8Array): void {
    const watcher = [...this.watchers].find((each) => each.peer === peer && each.channel === channel);
    this.asked.push({
      op: 'input',
      connection: peer.number,
      channel,
      ask: { session, offset, typed: Buffer.from(bytes).toString() },
    });
    if (watcher?.typing === undefined) return;
    const before = this.typed.get(watcher.typing) ?? '';
    if (offset > before.length) throw new Error(`a hole in what was typed: ${before.length} to ${offset}`);
    const text =
      before +
      Buffer.from(bytes)
        .toString('latin1')
        .slice(before.length - offset);
    this.typed.set(watcher.typing, text);
    if (this.confirmsTyped) this.confirm(watcher, text.length);
  }

  #answer(asked: ReceivedRequest, peer: Peer): void {
    this.asked.push(asked);
    const answer = this.answers[asked.op as Op] ?? DEFAULTS[asked.op as Op] ?? (() => ({}));
    const tell = (value: unknown): void => {
      if (value === 'silence') return;
      if (value instanceof Error) peer.send(encodeJson(FrameType.error, asked.channel, toWireError(value)));
      else peer.send(encodeJson(FrameType.reply, asked.channel, value));
    };
    try {
      const value = answer.call(this, asked, peer);
      if (value instanceof Promise) value.then(tell, tell);
      else tell(value);
    } catch (error) {
      tell(error);
    }
  }

  find(reference: string): FakeKeeperSession {
    const found =
      reference === ''
        ? [...this.sessions.values()].at(-1)
        : (this.sessions.get(reference) ?? [...this.sessions.values()].findLast(({ name }) => name === reference));
    if (found === undefined) throw new SpoolError('SESSION_UNKNOWN', { session: reference });
    return found;
  }

  watch({ channel, ask }: ReceivedRequest, peer: Peer): unknown {
    const session = this.find(ask.session);
    const { firstOffset, bytes } = session;
    const from =
      ask.from === 'start'
        ? firstOffset
        : ask.from === 'end'
          ? bytes.length
          : (ask.from.tailBytes ?? null) === null
            ? ask.from
            : Math.max(firstOffset, bytes.length - ask.from.tailBytes);
    peer.send(encodeJson(FrameType.reply, channel, { id: session.id, from, offset: bytes.length }));
    this.watchers.add({ session, peer, channel, cursor: from, credit: from + ask.creditBytes, isSynced: false });
    this.pump();
    return 'silence';
  }

  attach({ channel, ask }: ReceivedRequest, peer: Peer): unknown {
    const session = this.find(ask.session);
    const typedOffset = (this.typed.get(ask.typing) ?? '').length;
    peer.send(encodeJson(FrameType.reply, channel, { id: session.id, size: null, typedOffset }));
    const watcher: FakeWatcher = {
      session,
      peer,
      channel,
      typing: ask.typing,
      creditBytes: ask.creditBytes,
      cursor: ask.from ?? session.bytes.length,
      credit: (ask.from ?? 0) + ask.creditBytes,
      isSynced: false,
    };
    this.watchers.add(watcher);
    if (ask.from === undefined) this.snapshot(watcher);
    this.pump();
    return 'silence';
  }

  /** Sends a viewer a new snapshot. */
  snapshot(watcher: FakeWatcher): void {
    const { session, peer, channel } = watcher;
    watcher.cursor = session.bytes.length;
    watcher.credit = watcher.cursor + watcher.creditBytes!;
    peer.send(encodeFrame(FrameType.snapshot, channel, Buffer.from(`<${watcher.cursor}>`), watcher.cursor));
  }

  unwatch({ ask }: ReceivedRequest, peer: Peer): unknown {
    for (const watcher of this.watchers) {
      if (watcher.peer === peer && watcher.channel === ask.channel) this.watchers.delete(watcher);
    }
    return {};
  }

  confirm(watcher: { peer: Peer; channel: number }, typedOffset: number): void {
    watcher.peer.send(encodeFrame(FrameType.typed, watcher.channel, undefined, typedOffset));
  }

  tell(watcher: { peer: Peer; channel: number }, event: WatchEvent): void {
    watcher.peer.send(encodeJson(FrameType.event, watcher.channel, event));
  }

  pump(): void {
    for (const watcher of this.watchers) this.#pump(watcher);
  }

  #pump(watcher: FakeWatcher): void {
    const { session, peer, channel } = watcher;
    const { bytes, firstOffset, exit } = session;
    if (watcher.cursor < firstOffset && watcher.credit > watcher.cursor) {
      this.tell(watcher, { type: 'gap', from: watcher.cursor, to: firstOffset, reason: 'retention' });
      watcher.cursor = firstOffset;
      watcher.credit = Math.max(watcher.credit, firstOffset + 1);
    }
    while (watcher.cursor < bytes.length) {
      const room = this.keepsCredit ? watcher.credit - watcher.cursor : Infinity;
      if (room <= 0) return;
      const isStderr = session.isStderr(watcher.cursor);
      let end = Math.min(bytes.length, watcher.cursor + Math.min(room, this.frameBytesMax));
      for (let at = watcher.cursor; at < end; at++) if (session.isStderr(at) !== isStderr) end = at;
      const flags = isStderr ? FrameFlag.stderr : 0;
      peer.send(encodeFrame(FrameType.output, channel, bytes.subarray(watcher.cursor, end), watcher.cursor, flags));
      watcher.cursor = end;
    }
    if (!watcher.isSynced) this.tell(watcher, { type: 'synced', offset: watcher.cursor });
    watcher.isSynced = true;
    if (exit === null) return;
    this.tell(watcher, {
      type: 'exit',
      offset: watcher.cursor,
      state: exit.exitCode === 0 ? 'exited' : 'failed',
      ...exit,
    });
    this.watchers.delete(watcher);
  }

  info(session: FakeKeeperSession): SessionInfo {
    const { id, name, bytes, firstOffset, exit } = session;
    const state = exit === null ? 'running' : exit.exitCode === 0 ? 'exited' : 'failed';
    return {
      id,
      name,
      state,
      exitCode: exit?.exitCode ?? null,
      signal: null,
      pid: 1,
      startedAt: 0,
      endedAt: exit === null ? null : 0,
      endedBy: null,
      taskName: null,
      timeoutMs: null,
      startedBy: null,
      offset: bytes.length,
      firstOffset,
      command: ['sh'],
      cwd: '/',
      size: null,
      labels: {},
      watchers: 0,
      sizePolicy: 'latest',
      viewers: [],
      typed: null,
      trouble: null,
      status: {
        state: exit === null ? 'starting' : 'exited',
        since: 0,
        source: 'process',
        confidence: 1,
        why: '',
        kind: null,
        agent: null,
        activity: null,
        thought: null,
        progress: null,
        offset: 0,
      },
      milestone: null,
      title: '',
      lastOutputAt: null,
      isTask: false,
    };
  }

  waited(session: FakeKeeperSession): Waited {
    return { reason: 'exit', offset: session.bytes.length, session: this.info(session) };
  }

  /** Returns the requests, without those that are irrelevant for the test. */
  ops(): string[] {
    return this.asked.map(({ op }) => op);
  }
}

const DEFAULTS: Partial<Record<Op | 'input', (this: FakeKeeper, asked: ReceivedRequest, peer: Peer) => unknown>> = {
  run({ ask }) {
    return this.info(
      this.sessions.get(ask.id) ?? this.session(ask.id, '', ask.name === undefined ? {} : { name: ask.name }),
    );
  },
  list() {
    return { sessions: [...this.sessions.values()].map((session) => this.info(session)), next: null };
  },
  get({ ask }) {
    return this.info(this.find(ask.session));
  },
  watch(asked, peer) {
    return this.watch(asked, peer);
  },
  attach(asked, peer) {
    return this.attach(asked, peer);
  },
  unwatch(asked, peer) {
    return this.unwatch(asked, peer);
  },
  remove({ ask }) {
    const session = this.find(ask.session);
    this.sessions.delete(session.id);
    return this.info(session);
  },
  input({ ask }) {
    this.received.push(ask);
    return {};
  },
};
