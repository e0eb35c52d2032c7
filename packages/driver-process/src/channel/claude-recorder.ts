/**
 * Copies what Claude Code writes about a session in a terminal into the log of its side channel: the lines of its transcript, and the
 * status in its session file. Keeps the recording part of CHAN-3.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { isObject, LineCopier, parseObject, readStart } from './line-copier.ts';
import { RepeatedWork } from './repeated-work.ts';

/** The lines that the dialect uses. The others are most of a transcript: requests to the model, backups, settings. */
const KEPT_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);
const STATUSES: ReadonlySet<unknown> = new Set(['busy', 'idle', 'waiting']);

const STATUS_BYTES_MAX = 64 * 1024;
/** The interval of checks for a folder that does not exist yet, while a turn runs. */
const LOOK_AGAIN_MS = 200;

export class ClaudeRecorder {
  readonly #append: (line: string) => Promise<void>;
  readonly #copier: LineCopier;
  readonly #folders = new Map<string, FSWatcher>();
  readonly #wanted = new Set<string>();
  #statusPath: string | null = null;
  #status: string | null = null;
  readonly #copying = new RepeatedWork(() => this.#copy());
  #isClosed = false;
  #again: NodeJS.Timeout | null = null;

  constructor(append: (line: string) => Promise<void>) {
    this.#append = append;
    this.#copier = new LineCopier({ append, isKept: ({ type }) => KEPT_TYPES.has(type) });
  }

  /** Learns from a line of the log where the transcript is, or how far it was copied. */
  learn(text: string): void {
    const line = parseObject(text);
    if (line === null || this.#copier.learn(line)) return;
    const { status, input, parent } = line;
    if (isObject(status)) this.#status = String(status['status']);
    else if (isObject(input)) this.#learnHook(input, parent);
  }

  /** Copies new lines and a new status, now or after the copy that is running. */
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
    if (this.#again) clearTimeout(this.#again);
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #learnHook({ session_id: session, transcript_path: path }: Record<string, unknown>, parent: unknown): void {
    if (typeof session !== 'string' || typeof path !== 'string' || !isAbsolute(path)) return;
    // Claude has its transcripts only there: a hook message that was forged may name another file.
    if (basename(path) !== `${session}.jsonl` || basename(dirname(dirname(path))) !== 'projects') return;
    if (!this.#copier.add(basename(path), path)) return;
    this.#wanted.add(dirname(path)).add(`${path.slice(0, -'.jsonl'.length)}/subagents`);
    const config = dirname(dirname(dirname(path)));
    if (typeof parent !== 'number') return;
    this.#statusPath = `${config}/sessions/${parent}.json`;
    this.#wanted.add(dirname(this.#statusPath));
  }

  async #copy(): Promise<void> {
    if (this.#isClosed) return;
    this.#watchFolders();
    for (const folder of this.#wanted) if (basename(folder) === 'subagents') await this.#findSubagents(folder);
    await this.#copier.copy();
    await this.#copyStatus();
  }

  #watchFolders(): void {
    let isMissing = false;
    for (const folder of this.#wanted) {
      if (this.#folders.has(folder)) continue;
      try {
        this.#folders.set(
          folder,
          watch(folder, () => this.look()),
        );
      } catch {
        if (basename(folder) !== 'subagents') isMissing = true; // Claude creates it with the first prompt
      }
    }
    if (isMissing && this.#again === null)
      this.#again = setTimeout(() => {
        this.#again = null;
        this.look();
      }, LOOK_AGAIN_MS);
  }

  async #findSubagents(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    for (const name of names)
      if (/^agent-[\w-]+\.jsonl$/.test(name)) this.#copier.add(`subagents/${name}`, `${folder}/${name}`);
  }

  async #copyStatus(): Promise<void> {
    if (this.#statusPath === null) return;
    const status = parseObject(await readStart(this.#statusPath, STATUS_BYTES_MAX))?.['status'];
    if (!STATUSES.has(status) || status === this.#status) return;
    await this.#append(`{"status":${JSON.stringify({ status })},"at":${Date.now()}}`);
    this.#status = String(status);
  }
}
