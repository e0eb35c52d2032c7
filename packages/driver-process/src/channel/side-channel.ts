/**
 * The side channel of an agent in a terminal, as its driver sees it: a log that hooks and a recorder append to, and answers that
 * hooks wait for (decision 230); or a relay to the agent's server (decision 231).
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Requester } from '@spool/client/driver';
import { CHANNEL_CHAT, CHANNEL_LINES, CHANNEL_RELAY, type RelayTarget } from '@spool/protocol';
import { type OutputItem, outputLines } from '../output-lines.ts';
import { AnswerWriter } from './answer-writer.ts';
import { channelLines } from './channel-lines.ts';
import type { BatchWriter } from '../wire-writer.ts';
import { ClaudeRecorder } from './claude-recorder.ts';
import { type GeminiChatSource, GeminiRecorder } from './gemini-recorder.ts';
import { Relay } from './relay.ts';

/** The maximum size of a channel's log: beyond it, a recorder stops copying. */
const LOG_BYTES_MAX = 1024 * 1024 * 1024;

/** Records what an agent writes about itself. */
interface ChannelRecorder {
  /** Learns from a line of the log how far earlier recorders have come. */
  learn(line: string): void;
  look(): void;
  /** Resolves when everything that was written until now is in the log. */
  settled(): Promise<void>;
  close(): void;
}

/** The side channel of an agent in a terminal: the driver reads it instead of the output, and writes its lines to it. */
export interface SideChannelReader {
  readonly writer: BatchWriter;
  lines(from: number): AsyncGenerator<OutputItem, undefined>;
}

/** Returns the side channel in this folder. */
export async function sideChannel(folder: string, requester: Requester, session: string): Promise<SideChannelReader> {
  const target = await readFile(`${folder}/${CHANNEL_RELAY}`, 'utf8').catch(() => null);
  if (target === null) return new HookReader(folder, requester, session);
  return new Relay(folder, JSON.parse(target) as RelayTarget, requester, session);
}

class HookReader implements SideChannelReader {
  readonly writer: AnswerWriter;
  readonly #folder: string;
  readonly #path: string;
  readonly #requester: Requester;
  readonly #session: string;
  #log: FileHandle | null = null;
  #bytes = 0;

  /** Takes the folder of the channel. */
  constructor(folder: string, requester: Requester, session: string) {
    this.writer = new AnswerWriter(folder);
    this.#folder = folder;
    this.#path = `${folder}/${CHANNEL_LINES}`;
    this.#requester = requester;
    this.#session = session;
  }

  /** Returns the lines from this offset on, and meanwhile records the files that the agent writes about itself. */
  async *lines(from: number): AsyncGenerator<OutputItem, undefined> {
    const recorder = await this.#recorder();
    this.#log = await open(this.#path, 'a');
    this.#bytes = (await this.#log.stat()).size;
    // The whole log is read to find the agent's files and how far they were copied; the driver takes only the new lines.
    const known = createInterface({ input: createReadStream(this.#path, { end: Math.max(0, from - 1) }) });
    if (from > 0) for await (const line of known) recorder.learn(line);
    recorder.look();
    try {
      for await (const item of outputLines(channelLines(this.#path, from, this.#ended(recorder)))) {
        if (item.type === 'line') {
          recorder.learn(item.text);
          if (!isCopied(item.text)) recorder.look(); // the transcript soon contains what the hook reports
        }
        yield item;
      }
    } finally {
      recorder.close();
      await this.#log.close();
    }
    return undefined;
  }

  async #recorder(): Promise<ChannelRecorder> {
    const append = (line: string): Promise<void> => this.#append(line);
    const chat = await readFile(`${this.#folder}/${CHANNEL_CHAT}`, 'utf8').catch(() => null);
    if (chat === null) return new ClaudeRecorder(append);
    const source = JSON.parse(chat) as GeminiChatSource;
    const whenIdle = async (): Promise<void> => {
      await this.#requester.once('wait', { session: this.#session, until: ['idle'] });
    };
    return new GeminiRecorder({ append, source, whenIdle });
  }

  async #ended(recorder: ChannelRecorder): Promise<{ exitCode: number | null; signal: string | null }> {
    const { session } = await this.#requester.once('wait', { session: this.#session, until: ['exit'] });
    await recorder.settled();
    return { exitCode: session.exitCode, signal: session.signal };
  }

  /** Appends one line in one write, between newlines, so that a line that a full disk has cut does not damage the next one. */
  async #append(line: string): Promise<void> {
    const bytes = Buffer.from(`\n${line}\n`);
    this.#bytes += bytes.length;
    if (this.#bytes <= LOG_BYTES_MAX) await this.#log!.write(bytes);
  }
}

const isCopied = (text: string): boolean => text.startsWith('{"file"') || text.startsWith('{"status"');
