/** Snapshots stored beside the log, so that any offset is at most about a megabyte of replay away from one. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Between two keyframes of a session. */
export const KEYFRAME_EVERY_BYTES = 1024 * 1024;

const SUFFIX = '.key';

export class Keyframes {
  readonly #folder: string;
  /** Oldest first; read when first asked for. */
  #offsets: number[] | null = null;

  constructor(sessionFolder: string) {
    this.#folder = `${sessionFolder}/keyframes`;
  }

  /** The offsets of those at or before `offset`, nearest first. */
  before(offset: number): number[] {
    return this.#known()
      .filter((at) => at <= offset)
      .reverse();
  }

  /** What `restore` makes of one, or undefined if it is gone or damaged: then an older one must do. */
  read<T>(offset: number, restore: (bytes: Uint8Array) => T | undefined): T | undefined {
    try {
      return restore(readFileSync(this.#path(offset)));
    } catch {
      return undefined; // a keyframe is a convenience: whatever is wrong with it, the log is there
    }
  }

  /** A full disk is no reason to stop: without it, the way from the one before is longer. */
  write(offset: number, bytes: Uint8Array): void {
    try {
      this.#makeFolder();
      writeFileSync(`${this.#path(offset)}.tmp`, bytes, { mode: 0o600 });
      renameSync(`${this.#path(offset)}.tmp`, this.#path(offset));
      const known = this.#known();
      if (!known.includes(offset)) known.push(offset);
    } catch {
      // ENOSPC and the like: see above; ENOENT: the session was removed meanwhile
    }
  }

  /** Those before the first byte that is kept are of no use any more. */
  dropBefore(offset: number): void {
    const known = this.#known();
    while (known[0] !== undefined && known[0] < offset) rmSync(this.#path(known.shift()!), { force: true });
  }

  get last(): number | undefined {
    return this.#known().at(-1);
  }

  /** Never the session's own folder: one that was removed must not come back. */
  #makeFolder(): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  #known(): number[] {
    this.#offsets ??= this.#list();
    return this.#offsets;
  }

  #list(): number[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => Number.parseInt(name, 10))
        .sort((a, b) => a - b);
    } catch {
      return []; // ENOENT: none yet
    }
  }

  #path(offset: number): string {
    return `${this.#folder}/${String(offset).padStart(16, '0')}${SUFFIX}`;
  }
}
