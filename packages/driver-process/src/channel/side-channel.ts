/**
 * The side channel of an agent in a terminal, as its driver sees it: a log that hooks and a recorder append to, and answers that
 * hooks wait for (decision 230); or a relay to the agent's server (decision 231).
 */
import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Requester } from '@spool/client/driver';
import { agentLines } from '@spool/drivers';
import { CHANNEL_CHAT, CHANNEL_LINES, CHANNEL_RELAY, type RelayTarget } from '@spool/protocol';
import { type OutputItem, outputLines } from '../output-lines.ts';
import { AnswerWriter } from './answer-writer.ts';
import { channelLines, openChannelLog } from './channel-lines.ts';
import type { BatchWriter } from '../wire-writer.ts';
import { ClaudeRecorder } from './claude-recorder.ts';
import { type GeminiChatSource, GeminiRecorder } from './gemini-recorder.ts';
import { readStart } from './line-copier.ts';
import { Relay } from './relay.ts';

/** The maximum size of a channel's log: beyond it, a recorder stops copying. */
const LOG_BYTES_MAX = 1024 * 1024 * 1024;
/** The limit of the file that says where the agent's server or chat is. */
const ABOUT_BYTES_MAX = 64 * 1024;

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
  const target = await readStart(`${folder}/${CHANNEL_RELAY}`, ABOUT_BYTES_MAX);
  if (target === '') return new HookReader(folder, requester, session);
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
    this.#log = await openChannelLog(this.#path, constants.O_WRONLY | constants.O_APPEND);
    this.#bytes = (await this.#log.stat()).size;
    await this.#learn(recorder, from);
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

  /** Gives the recorder the lines before this offset: they say where the agent's files are, and how far they were copied. */
  async #learn(recorder: ChannelRecorder, to: number): Promise<void> {
    if (to === 0) return;
    const lines = agentLines();
    for await (const bytes of createReadStream(this.#path, { end: to - 1 }))
      for (const { text } of lines.push(bytes as Buffer)) recorder.learn(text);
  }

  async #recorder(): Promise<ChannelRecorder> {
    const append = (line: string): Promise<void> => this.#append(line);
    const chat = await readStart(`${this.#folder}/${CHANNEL_CHAT}`, ABOUT_BYTES_MAX);
    if (chat === '') return new ClaudeRecorder(append);
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

  /**
   * Appends one line in one write, between newlines, so that a line that a full disk has cut does not damage the next one. Rejects after
   * a cut, so that the line is appended again.
   */
  async #append(line: string): Promise<void> {
    const bytes = Buffer.from(`\n${line}\n`);
    if (this.#bytes + bytes.length > LOG_BYTES_MAX) return;
    const { bytesWritten } = await this.#log!.write(bytes);
    this.#bytes += bytesWritten;
    if (bytesWritten < bytes.length) throw new Error('the disk is full');
  }
}

const isCopied = (text: string): boolean => text.startsWith('{"file"') || text.startsWith('{"status"');
