/**
 * Snapshots stored beside the log: the screen at any offset is a keyframe plus a short replay. Keeps SCR-2 and SCR-8.
 *
 * Their number is bounded: at most `FILES_MAX` files, in a long log one for each `LONG_APART_BYTES`, in a costly one two for each
 * `REPLAY_MS_MAX` of drawing, and no more bytes than the log itself. Near the end there is one "latest" keyframe, which the next
 * one replaces; the others are spread over the log by the replay time between them.
 *
 * A file is called `OFFSET-COST.key`. The cost is the time in milliseconds that drawing takes from the beginning of the log.
 * Earlier versions called the file `OFFSET.key`.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { REPLAY_MS_MAX } from './drawing-cost.ts';

/** The distance between two keyframes of a session. */
export const KEYFRAME_EVERY_BYTES = 1024 * 1024;
/** The distance between two keyframes in a flood that is skipped, and during a replay. */
export const FLOOD_KEYFRAME_EVERY_BYTES = 8 * 1024 * 1024;
/**
 * The minimum for a session whose output is costly to draw: each keyframe needs a picture, and the live screen waits while it is
 * drawn.
 */
export const COSTLY_FLOOD_KEYFRAME_EVERY_BYTES = 2 * 1024 * 1024;
/** The minimum distance: a closer keyframe saves only some 10 ms of replay. */
export const KEYFRAME_APART_BYTES = 128 * 1024;

export const FILES_MAX = 20;
/** The distance in a long log, so that any moment of it is shown at once: the replay between two keyframes takes some 20 ms. */
const LONG_APART_BYTES = 4 * 1024 * 1024;
/** The distance in a costly log: of two such distances, one keyframe may be removed. */
const COSTLY_APART_MS = REPLAY_MS_MAX / 2;
/** The maximum of files, enough for 2 GiB or two minutes of drawing; beyond that they are further apart. */
const LONG_FILES_MAX = 512;
/** The bytes of keyframes that even a short log may have. */
const BYTES_FREE = 64 * 1024;
/** The maximum size of an unpacked keyframe: even a model of 1000 × 1000 cells is smaller. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

interface Keyframe {
  readonly offset: number;
  /** The time that drawing took up to this keyframe. */
  readonly costMs: number;
  readonly bytes: number;
  readonly name: string;
}

export class Keyframes {
  readonly #folder: string;
  readonly #logFolder: string;
  /** The keyframes, oldest first; read on first use. */
  #frames: Keyframe[] | null = null;

  constructor(sessionFolder: string) {
    this.#folder = `${sessionFolder}/keyframes`;
    this.#logFolder = `${sessionFolder}/log`;
  }

  /** Returns the offsets of the keyframes at or before `offset`, nearest first. */
  before(offset: number): number[] {
    return this.#known()
      .map((frame) => frame.offset)
      .filter((at) => at <= offset)
      .reverse();
  }

  /** Returns the result of `restore`, or undefined if the keyframe is missing or damaged; the caller then uses an older one. */
  read<T>(offset: number, restore: (bytes: Uint8Array) => T | undefined): T | undefined {
    try {
      const stored = readFileSync(`${this.#folder}/${this.#known().find((frame) => frame.offset === offset)?.name}`);
      const isPacked = stored.length >= 4 && stored.readUInt32LE(0) === ZSTD_MAGIC;
      return restore(isPacked ? zstdDecompressSync(stored, { maxOutputLength: UNPACKED_BYTES_MAX }) : stored);
    } catch {
      return undefined; // a keyframe is optional: if it is damaged, the log is still there
    }
  }

  /** Returns whether a keyframe at this offset would save time; drawing takes `sinceMs` from the one before. */
  isWanted(offset: number, apartBytes: number, sinceMs: number): boolean {
    const known = this.#known();
    // Among many keyframes, it would only replace another one.
    const apart = Math.max(apartBytes, spanOf(known) / filesMax(known) / 2);
    if (known.every((frame) => Math.abs(frame.offset - offset) >= apart)) return true;
    const apartMs = Math.max(COSTLY_APART_MS, costOf(known) / filesMax(known));
    return sinceMs >= apartMs && known.every((frame) => frame.offset !== offset);
  }

  /**
   * Writes a keyframe; drawing takes `sinceMs` from the one before. A full disk is not an error here: the replay then starts at the
   * previous keyframe, and takes longer.
   */
  write(offset: number, sinceMs: number, bytes: Uint8Array): void {
    try {
      this.#makeFolder();
      const costMs = (this.#known().findLast((frame) => frame.offset < offset)?.costMs ?? 0) + Math.round(sinceMs);
      const name = `${digits(offset)}-${digits(costMs)}${SUFFIX}`;
      const packed = zstdCompressSync(bytes);
      writeFileSync(`${this.#folder}/${name}.tmp`, packed, { mode: 0o600 });
      renameSync(`${this.#folder}/${name}.tmp`, `${this.#folder}/${name}`);
      this.#add({ offset, costMs, bytes: packed.length, name });
    } catch {
      // ENOSPC and the like: see above; ENOENT: the session was removed meanwhile
    }
  }

  /** Drops the keyframes before the first byte in the log, which are useless. */
  dropBefore(offset: number): void {
    const known = this.#known();
    while (known[0] !== undefined && known[0].offset < offset) this.#remove(0);
  }

  get last(): number | undefined {
    return this.#known().at(-1)?.offset;
  }

  #add(frame: Keyframe): void {
    const known = this.#known();
    const same = known.findIndex(({ offset }) => offset === frame.offset);
    if (same >= 0) {
      if (known[same]!.name === frame.name) known.splice(same, 1);
      else this.#remove(same);
    }
    const at = known.findLastIndex(({ offset }) => offset < frame.offset) + 1;
    known.splice(at, 0, frame);
    // The previous "latest" is kept only if it is far enough from its neighbours to be part of the grid.
    const isEnd = at === known.length - 1;
    if (isEnd && known[at - 1] && !isApart(known[at - 2], frame)) this.#remove(at - 1);
    this.#thin();
  }

  /** Removes the least useful keyframes: those whose neighbours are nearest to each other. The latest is never removed. */
  #thin(): void {
    const known = this.#known();
    let bytes = known.reduce((sum, frame) => sum + frame.bytes, 0);
    let bytesMax = Infinity;
    const isTooMuch = (): boolean => known.length > filesMax(known) || bytes > bytesMax;
    if (bytes > BYTES_FREE) bytesMax = Math.max(BYTES_FREE, folderBytes(this.#logFolder));
    while (known.length > 1 && isTooMuch()) {
      let least = 0;
      let leastGap = Infinity;
      for (let at = 0; at < known.length - 1; at++) {
        const gap = gapOf(known[at - 1], known[at + 1]!);
        if (gap < leastGap) [least, leastGap] = [at, gap];
      }
      bytes -= known[least]!.bytes;
      this.#remove(least);
    }
  }

  #remove(at: number): void {
    const [frame] = this.#known().splice(at, 1);
    rmSync(`${this.#folder}/${frame!.name}`, { force: true });
  }

  /** Creates the folder of the keyframes, but never the session's own folder: a removed session must not come back. */
  #makeFolder(): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  #known(): Keyframe[] {
    this.#frames ??= this.#list();
    return this.#frames;
  }

  #list(): Keyframe[] {
    try {
      const names = readdirSync(this.#folder);
      // A keeper was killed while it wrote this file.
      for (const name of names) if (name.endsWith('.tmp')) rmSync(`${this.#folder}/${name}`, { force: true });
      return names
        .flatMap((name) => {
          const [, offset, cost = 0] = NAME.exec(name) ?? [];
          if (offset === undefined) return [];
          return [
            { offset: Number(offset), costMs: Number(cost), bytes: statSync(`${this.#folder}/${name}`).size, name },
          ];
        })
        .sort((a, b) => a.offset - b.offset);
    } catch {
      return []; // ENOENT: the folder does not exist yet
    }
  }
}

const spanOf = (known: readonly Keyframe[]): number => (known.at(-1)?.offset ?? 0) - (known[0]?.offset ?? 0);

const costOf = (known: readonly Keyframe[]): number => (known.at(-1)?.costMs ?? 0) - (known[0]?.costMs ?? 0);

function filesMax(known: readonly Keyframe[]): number {
  const wanted = Math.floor(spanOf(known) / LONG_APART_BYTES + costOf(known) / COSTLY_APART_MS);
  return Math.max(FILES_MAX, Math.min(LONG_FILES_MAX, wanted));
}

/** Returns whether a keyframe between these two would be worth its file. */
const isApart = (from: Keyframe | undefined, to: Keyframe): boolean =>
  to.offset - (from?.offset ?? 0) >= KEYFRAME_EVERY_BYTES || to.costMs - (from?.costMs ?? 0) >= REPLAY_MS_MAX;

/** Returns the distance of two keyframes, as a multiple of their usual distance in a long or costly log. */
const gapOf = (from: Keyframe | undefined, to: Keyframe): number =>
  Math.max((to.offset - (from?.offset ?? 0)) / LONG_APART_BYTES, (to.costMs - (from?.costMs ?? 0)) / COSTLY_APART_MS);

const SUFFIX = '.key';
const NAME = /^(\d+)(?:-(\d+))?\.key$/;

const digits = (value: number): string => String(value).padStart(16, '0');

function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

const ZSTD_MAGIC = 0xfd2fb528;
