/**
 * The side channel of an agent that serves others beside its terminal: this process is a second client of that server (decision
 * 231). Every message is in the channel's log before it is interpreted. Keeps the recording part of CHAN-3: a killed relay leaves a
 * log without gaps inside a connection, and the next relay connects again. Keeps CHAN-6: the terminal does not depend on a relay.
 *
 * A line for the server names the connection that it was made for. A line for an earlier connection is not sent: the dialect
 * repeats what a new connection needs.
 */
import { constants } from 'node:fs';
import { type FileHandle, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Requester } from '@spool/client/driver';
import { CHANNEL_LINES, type RelayTarget } from '@spool/protocol';
import { type OutputItem, outputLines } from '../output-lines.ts';
import type { BatchWriter, BatchWrites } from '../wire-writer.ts';
import { type ChannelEnd, channelLines, openChannelLog } from './channel-lines.ts';
import { connectHttp } from './http-server.ts';
import { connectLeader } from './leader-client.ts';
import { ServerRefusal } from './server-refusal.ts';
import { connectWebSocket } from './web-socket.ts';

/** The maximum size of a channel's log: beyond it, the relay stops recording. */
const LOG_BYTES_MAX = 1024 * 1024 * 1024;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 1000;
/**
 * The number of attempts to reach a server that has started. After these attempts, which take about five seconds, the server counts
 * as gone.
 */
const ATTEMPTS_MAX = 8;
/** A connection that ends sooner counts as a failed attempt: a server that accepts and closes would keep this process busy. */
const LASTS_MS_MIN = 5000;
const READY = 'R';

/** The agent's server, as seen by a relay. */
export interface RelayPeer {
  onMessage(text: string): void;
  onClosed(why: string): void;
}

export interface RelayLink {
  send(line: string): void;
  close(): void;
}

export class Relay {
  readonly writer: BatchWriter = {
    writtenBefore: (end) => end,
    write: (batch) => this.#send(batch),
    noteClosed() {},
    settled: () => Promise.resolve(),
  };
  readonly #path: string;
  readonly #target: RelayTarget;
  readonly #requester: Requester;
  readonly #session: string;
  #log: FileHandle | null = null;
  #bytes = 0;
  #appended: Promise<unknown> = Promise.resolve();
  #connections = 0;
  #link: { readonly name: string; readonly link: RelayLink } | null = null;
  #wasConnected = false;
  /** The attempts that failed since the last connection that lasted, and the pause after the next one. */
  #attempts = 0;
  #waitMs = AGAIN_MS_FIRST;
  #isOver = false;

  /** Takes the folder of the channel. */
  constructor(folder: string, target: RelayTarget, requester: Requester, session: string) {
    this.#path = `${folder}/${CHANNEL_LINES}`;
    this.#target = target;
    this.#requester = requester;
    this.#session = session;
  }

  /** Returns the lines from this offset on, and meanwhile records the messages of the server. */
  async *lines(from: number): AsyncGenerator<OutputItem, undefined> {
    this.#log = await openChannelLog(this.#path, constants.O_WRONLY | constants.O_APPEND);
    this.#bytes = (await this.#log.stat()).size;
    const ended = this.#ended();
    void this.#connect();
    try {
      yield* outputLines(channelLines(this.#path, from, ended));
    } finally {
      this.#isOver = true;
      this.#link?.link.close();
      await this.#appended;
      await this.#log.close();
    }
    return undefined;
  }

  async #ended(): Promise<ChannelEnd> {
    const { session } = await this.#requester.once('wait', { session: this.#session, until: ['exit'] });
    this.#isOver = true;
    this.#link?.link.close();
    await this.#appended;
    return { exitCode: session.exitCode, signal: session.signal };
  }

  async #connect(): Promise<void> {
    while (!this.#isOver) {
      const failure = await this.#tried();
      if (failure === null) return;
      if (failure instanceof ServerRefusal) return this.#append({ gone: failure.message });
      if (await this.#isLastFailure(failure.message)) return;
    }
  }

  /** Counts a failed attempt. Returns true after the last attempt; otherwise the time of the next one. */
  async #isLastFailure(why: string): Promise<boolean> {
    const outcome = await outcomeOf(this.#target);
    if (outcome !== null && outcome !== READY) return true; // the agent runs as typed
    if ((outcome === READY || this.#wasConnected) && ++this.#attempts >= ATTEMPTS_MAX) {
      this.#append({ gone: why });
      return true;
    }
    await sleep(this.#waitMs);
    this.#waitMs = Math.min(AGAIN_MS_MAX, this.#waitMs * 2);
    return false;
  }

  /** Connects again, after a pause if the last connection was a short one. */
  async #connectAgain(why: string, sinceMs: number): Promise<void> {
    if (performance.now() - sinceMs >= LASTS_MS_MIN) {
      this.#attempts = 0;
      this.#waitMs = AGAIN_MS_FIRST;
    } else if (await this.#isLastFailure(why)) return;
    await this.#connect();
  }

  /** Tries to connect. Returns the failure, or null if it is connected. */
  async #tried(): Promise<Error | null> {
    const name = `${process.pid.toString(36)}.${Date.now().toString(36)}.${++this.#connections}`;
    const early: string[] = [];
    let isRecorded = false;
    const sinceMs = performance.now();
    const peer: RelayPeer = {
      onMessage: (text) => void (isRecorded ? this.#append({ message: text }, name) : early.push(text)),
      onClosed: (why) => {
        this.#link = null;
        this.#append({ lost: why }, name);
        void this.#connectAgain(why, sinceMs);
      },
    };
    try {
      const link = await connect(this.#target, peer);
      this.#link = { name, link };
      this.#wasConnected = true;
      this.#append({ connected: true }, name);
      isRecorded = true;
      for (const text of early) this.#append({ message: text }, name);
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  /** Appends one line in one write, between newlines, so that a line that a full disk has cut does not damage the next one. */
  #append(line: { connected?: true; message?: string; lost?: string; gone?: string }, relay = ''): void {
    if (this.#isOver && line.message === undefined) return;
    const { message, ...rest } = line;
    const body = message === undefined ? JSON.stringify(rest).slice(1) : `"message":${oneLine(message)}}`;
    const bytes = Buffer.from(`\n{"relay":${JSON.stringify(relay)},${body}\n`);
    this.#bytes += bytes.length;
    if (this.#bytes > LOG_BYTES_MAX) return;
    this.#appended = this.#appended.then(() => this.#log!.write(bytes)).catch(() => {}); // the disk is full: the line is missing
  }

  #send({ lines }: BatchWrites): void {
    for (const text of lines) {
      const { relay, line } = JSON.parse(text) as { relay: string | null; line: unknown };
      if (relay !== null && relay === this.#link?.name) this.#link.link.send(JSON.stringify(line));
    }
  }
}

function connect(target: RelayTarget, peer: RelayPeer): Promise<RelayLink> {
  if (target.agent === 'codex') return connectWebSocket(target.socket, peer);
  if (target.agent === 'grok') return connectLeader(target, peer);
  return connectHttp(target.port, target.password, peer);
}

/** Returns `READY` for a server that has started, or the reason why it has not; null while this is unknown. */
async function outcomeOf(target: RelayTarget): Promise<string | null> {
  if (target.agent === 'opencode') return null;
  const text = (await readFile(target.outcome, 'utf8').catch(() => '')).trim();
  return text === '' ? null : text;
}

/** Returns the JSON of a message without line breaks; text that is not JSON becomes a JSON string. */
function oneLine(text: string): string {
  const line = text.trim();
  if (line.startsWith('{') && !/[\r\n]/.test(line)) return line;
  try {
    return JSON.stringify(JSON.parse(line));
  } catch {
    return JSON.stringify(line);
  }
}
