/**
 * Copies the chat file of a Gemini in a terminal into the log of its side channel (decision 235). The file is identified by the id
 * that Gemini was started with; other chats of the same project are not read. Keeps the recording part of CHAN-30.
 *
 * Nothing in the file ends a turn. Therefore this class appends a line once the terminal is idle after a message of Gemini.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { LineCopier, parseObject, readStart } from './line-copier.ts';
import { RepeatedWork } from './repeated-work.ts';

/** The first line is shorter: the id of the session, a hash and two times. */
const FIRST_LINE_BYTES_MAX = 4096;
/** The intervals of checks for the file: Gemini creates it after its start, which a question about trust can delay. */
const LOOK_AGAIN_MS = 250;
const LOOK_SELDOM_MS = 5000;
const LOOKS_OFTEN_MAX = 240;

export interface GeminiChatSource {
  /** The folder in which Gemini has a folder for each project. */
  readonly folder: string;
  readonly session: string;
}

export interface GeminiRecorderOptions {
  append(line: string): Promise<void>;
  readonly source: GeminiChatSource;
  /** Resolves when the terminal is idle. */
  whenIdle(): Promise<void>;
}

export class GeminiRecorder {
  readonly #options: GeminiRecorderOptions;
  readonly #copier: LineCopier;
  #watcher: FSWatcher | null = null;
  #looks = 0;
  #again: NodeJS.Timeout | null = null;
  readonly #copying = new RepeatedWork(() => this.#copy());
  #isClosed = false;
  /** The number of lines in the log, without those about idleness. */
  #lines = 0;
  #isLastOfGemini = false;
  #isAwaitingIdle = false;

  constructor(options: GeminiRecorderOptions) {
    this.#options = options;
    this.#copier = new LineCopier({
      append: async (line) => {
        this.#note(parseObject(line)!);
        await options.append(line);
      },
      isKept: () => true,
    });
  }

  /** Learns from a line of the log how far the file was copied. */
  learn(text: string): void {
    const line = parseObject(text);
    if (line === null) return;
    if (line['isIdle'] === true) this.#isLastOfGemini = false;
    else if (this.#copier.learn(line)) this.#note(line);
  }

  /** Copies new lines, now or after the copy that is running. */
  look(): void {
    this.#copying.start();
  }

  /** Resolves when everything that was written until now is in the log. */
  async settled(): Promise<void> {
    await this.#copying.settled();
  }

  close(): void {
    this.#isClosed = true;
    this.#copier.close();
    this.#watcher?.close();
    if (this.#again) clearTimeout(this.#again);
  }

  #note({ line }: Readonly<Record<string, unknown>>): void {
    const { type, $set } = line as { type?: unknown; $set?: unknown };
    this.#lines++;
    if ($set === undefined) this.#isLastOfGemini = type === 'gemini';
  }

  async #copy(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#watcher === null) await this.#find();
    await this.#copier.copy();
    if (this.#isLastOfGemini && !this.#isAwaitingIdle) void this.#awaitIdle();
  }

  /** Finds the file, or schedules the next check for it. */
  async #find(): Promise<void> {
    const path = await findChat(this.#options.source);
    if (this.#isClosed) return;
    if (path === null) {
      const delay = ++this.#looks > LOOKS_OFTEN_MAX ? LOOK_SELDOM_MS : LOOK_AGAIN_MS;
      this.#again ??= setTimeout(() => {
        this.#again = null;
        this.look();
      }, delay);
      return;
    }
    this.#copier.add(basename(path), path);
    this.#watcher = watch(dirname(path), () => this.look());
  }

  /** Appends that the terminal is idle. What Gemini writes meanwhile belongs to the turn, so the wait begins again. */
  async #awaitIdle(): Promise<void> {
    this.#isAwaitingIdle = true;
    try {
      while (this.#isLastOfGemini && !this.#isClosed) {
        const before = this.#lines;
        await this.#options.whenIdle();
        await this.settled();
        if (this.#isClosed || this.#lines !== before) continue;
        this.#isLastOfGemini = false;
        await this.#options.append(`{"isIdle":true,"at":${Date.now()}}`);
      }
    } catch {
      // The session or its keeper has ended: the next driver waits again.
    } finally {
      this.#isAwaitingIdle = false;
    }
  }
}

/** Returns the path of the chat with this id; null if it does not exist yet. */
async function findChat({ folder, session }: GeminiChatSource): Promise<string | null> {
  for (const project of await readdir(folder).catch(() => [])) {
    const chats = `${folder}/${project}/chats`;
    const names = await readdir(chats).catch(() => []);
    const name = names.find((each) => each.endsWith(`-${session.slice(0, 8)}.jsonl`));
    if (name === undefined) continue;
    const [first = ''] = (await readStart(`${chats}/${name}`, FIRST_LINE_BYTES_MAX)).split('\n', 1);
    if (parseObject(first)?.['sessionId'] === session) return `${chats}/${name}`;
  }
  return null;
}
