/**
 * The side channel of an agent in a terminal, as its driver sees it: a log that hooks and a recorder append to, and answers that
 * hooks wait for (decision 230).
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Requester } from '@spool/client/driver';
import { CHANNEL_LINES } from '@spool/protocol';
import { type OutputItem, outputLines } from '../output-lines.ts';
import { AnswerWriter } from './answer-writer.ts';
import { channelLines } from './channel-lines.ts';
import { ClaudeRecorder } from './claude-recorder.ts';

/** The log of a channel does not grow beyond this: a recorder copies no more then. */
const LOG_BYTES_MAX = 1024 * 1024 * 1024;

export class SideChannelReader {
  readonly writer: AnswerWriter;
  readonly #path: string;
  readonly #requester: Requester;
  readonly #session: string;
  #log: FileHandle | null = null;
  #bytes = 0;

  /** Takes the folder of the channel. */
  constructor(folder: string, requester: Requester, session: string) {
    this.writer = new AnswerWriter(folder);
    this.#path = `${folder}/${CHANNEL_LINES}`;
    this.#requester = requester;
    this.#session = session;
  }

  /** Returns the lines from this offset on, and records meanwhile what the agent writes about itself. */
  async *lines(from: number): AsyncGenerator<OutputItem, undefined> {
    const recorder = new ClaudeRecorder((line) => this.#append(line));
    this.#log = await open(this.#path, 'a');
    this.#bytes = (await this.#log.stat()).size;
    // The whole log says where the agent's files are, and how far they were copied; the driver takes only what is new.
    const known = createInterface({ input: createReadStream(this.#path, { end: Math.max(0, from - 1) }) });
    if (from > 0) for await (const line of known) recorder.learn(line);
    recorder.look();
    try {
      for await (const item of outputLines(channelLines(this.#path, from, this.#ended(recorder)))) {
        if (item.type === 'line') {
          recorder.learn(item.text);
          if (!isCopied(item.text)) recorder.look(); // what a hook reports is soon in the transcript
        }
        yield item;
      }
    } finally {
      recorder.close();
      await this.#log.close();
    }
    return undefined;
  }

  async #ended(recorder: ClaudeRecorder): Promise<{ exitCode: number | null; signal: string | null }> {
    const { session } = await this.#requester.once('wait', { session: this.#session, until: ['exit'] });
    await recorder.settled();
    return { exitCode: session.exitCode, signal: session.signal };
  }

  /** Appends one line with one write, between newlines: a line that a full disk has torn spoils no other. */
  async #append(line: string): Promise<void> {
    const bytes = Buffer.from(`\n${line}\n`);
    this.#bytes += bytes.length;
    if (this.#bytes <= LOG_BYTES_MAX) await this.#log!.write(bytes);
  }
}

const isCopied = (text: string): boolean => text.startsWith('{"file"') || text.startsWith('{"status"');
