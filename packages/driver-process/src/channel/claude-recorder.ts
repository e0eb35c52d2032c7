/**
 * Copies what Claude Code writes about a session in a terminal into the log of its side channel: the lines of its transcript, and the
 * status in its session file. Keeps the recording part of CHAN-3. Each copied line has its place in its file, so a recorder that is
 * started again continues behind the last line that is in the log, and a line that two of them copied is taken once.
 */
import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';

/** The lines that have a meaning here. The others are most of a transcript: requests to the model, backups, settings. */
const KEPT_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);
const STATUSES: ReadonlySet<unknown> = new Set(['busy', 'idle', 'waiting']);

const PIECE_BYTES = 256 * 1024;
/** A longer line is left out. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const STATUS_BYTES_MAX = 64 * 1024;
/** The maximum of transcripts, with those of subagents: others are not copied. */
const FILES_MAX = 1000;
/** The interval at which a folder that does not exist yet is looked for, while a turn runs. */
const LOOK_AGAIN_MS = 200;
const NEWLINE = 0x0a;

interface CopiedFile {
  readonly path: string;
  position: number;
}

export class ClaudeRecorder {
  readonly #append: (line: string) => Promise<void>;
  /** The files, by their name in the log. */
  readonly #files = new Map<string, CopiedFile>();
  readonly #positions = new Map<string, number>();
  readonly #folders = new Map<string, FSWatcher>();
  readonly #wanted = new Set<string>();
  #statusPath: string | null = null;
  #status: string | null = null;
  #work: Promise<void> = Promise.resolve();
  #isDue = false;
  #isClosed = false;
  #again: NodeJS.Timeout | null = null;

  constructor(append: (line: string) => Promise<void>) {
    this.#append = append;
  }

  /** Learns from a line of the log: where the transcript is, or how far it was copied. */
  learn(text: string): void {
    const line = parse(text);
    if (line === null) return;
    const { file, to, status, input, parent } = line;
    if (typeof file === 'string' && typeof to === 'number') {
      this.#positions.set(file, Math.max(to, this.#positions.get(file) ?? 0));
      const copied = this.#files.get(file);
      if (copied) copied.position = Math.max(copied.position, to);
    } else if (isObject(status)) this.#status = String(status['status']);
    else if (isObject(input)) this.#learnHook(input, parent);
  }

  /** Copies new lines and a new status, at once or after the present copy. */
  look(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#work = this.#work.then(async () => {
      this.#isDue = false;
      await this.#copy();
    });
  }

  /** Resolves when everything that was written until now is in the log. */
  async settled(): Promise<void> {
    this.look();
    await this.#work;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#again) clearTimeout(this.#again);
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #learnHook({ session_id: session, transcript_path: path }: Record<string, unknown>, parent: unknown): void {
    if (typeof session !== 'string' || typeof path !== 'string' || !isAbsolute(path)) return;
    if (basename(path) !== `${session}.jsonl`) return;
    if (!this.#addFile(basename(path), path)) return;
    this.#wanted.add(dirname(path)).add(`${path.slice(0, -'.jsonl'.length)}/subagents`);
    const config = dirname(dirname(dirname(path)));
    if (typeof parent !== 'number' || basename(dirname(dirname(path))) !== 'projects') return;
    this.#statusPath = `${config}/sessions/${parent}.json`;
    this.#wanted.add(dirname(this.#statusPath));
  }

  /** Returns whether the file is copied. */
  #addFile(name: string, path: string): boolean {
    if (this.#files.has(name)) return true;
    if (this.#files.size >= FILES_MAX) return false;
    this.#files.set(name, { path, position: this.#positions.get(name) ?? 0 });
    return true;
  }

  async #copy(): Promise<void> {
    if (this.#isClosed) return;
    this.#watchFolders();
    for (const folder of this.#wanted) if (basename(folder) === 'subagents') await this.#findSubagents(folder);
    for (const [name, file] of this.#files) await this.#copyFile(name, file);
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
        if (basename(folder) !== 'subagents') isMissing = true; // it is made with the first prompt
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
      if (/^agent-[\w-]+\.jsonl$/.test(name)) this.#addFile(`subagents/${name}`, `${folder}/${name}`);
  }

  async #copyFile(name: string, file: CopiedFile): Promise<void> {
    const handle = await openPlainFile(file.path);
    if (handle === null) return;
    try {
      for (let rest: Buffer | null = Buffer.alloc(0); rest !== null;)
        rest = await this.#copyPiece(handle, name, file, rest);
    } finally {
      await handle.close();
    }
  }

  /** Copies the whole lines of the next piece. Returns the beginning of the next line; null if there is no more. */
  async #copyPiece(handle: FileHandle, name: string, file: CopiedFile, before: Buffer): Promise<Buffer | null> {
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, file.position + before.length);
    if (bytesRead === 0) return null;
    const bytes = Buffer.concat([before, piece.subarray(0, bytesRead)]);
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
      const to = file.position + at + 1 - start;
      await this.#copyLine(name, file.position, to, bytes.toString('utf8', start, at));
      file.position = to;
      start = at + 1;
    }
    const rest = bytes.subarray(start);
    if (rest.length <= LINE_BYTES_MAX) return rest;
    file.position = Number.MAX_SAFE_INTEGER; // such a file is not a transcript
    return null;
  }

  async #copyLine(file: string, from: number, to: number, text: string): Promise<void> {
    const line = parse(text);
    if (line === null || this.#isClosed || !KEPT_TYPES.has(line['type'])) return;
    await this.#append(`{"file":${JSON.stringify(file)},"from":${from},"to":${to},"line":${text}}`);
  }

  async #copyStatus(): Promise<void> {
    if (this.#statusPath === null) return;
    const status = parse(await shortText(this.#statusPath))?.['status'];
    if (!STATUSES.has(status) || status === this.#status) return;
    this.#status = String(status);
    await this.#append(`{"status":${JSON.stringify({ status })},"at":${Date.now()}}`);
  }
}

/** Opens a file; null for everything that is none: a pipe or a device under this name would never end, or keep its reader waiting. */
async function openPlainFile(path: string): Promise<FileHandle | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** Returns the content of a small file; empty if there is none, and cut off if it is not small. */
async function shortText(path: string): Promise<string> {
  const handle = await openPlainFile(path);
  if (handle === null) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(STATUS_BYTES_MAX), 0, STATUS_BYTES_MAX, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
