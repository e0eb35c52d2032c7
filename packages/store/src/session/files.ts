/**
 * The folder of a session: its size, whether it is empty, and its removal. All functions are off-thread and make one call at a
 * time, because a folder may hold thousands of files.
 */
import { readdirSync } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../log/files.ts';

/** Folders inside a session's folder. */
const LOGS: readonly string[] = ['log', 'events'];
const KEYFRAMES = 'keyframes';

/** Returns the size of all files of a session besides its logs: keyframes, history, journal, record. */
export async function bytesBesideLog(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { path, isFolder } of entriesOf(folder)) {
    if (isFolder) bytes += LOGS.some((log) => path === join(folder, log)) ? 0 : await bytesBesideLog(path);
    else bytes += (await lstat(path).catch(ignoreMissing))?.size ?? 0;
  }
  return bytes;
}

/** Returns whether a session has no content: folders and empty files only, or a record that was never finished. */
export async function isEmptySession(folder: string): Promise<boolean> {
  for await (const { path, name, isFolder } of entriesOf(folder)) {
    if (isFolder) {
      if (!(await isEmptySession(path))) return false;
      continue;
    }
    const found = await lstat(path);
    if (!found.isFile() || (found.size > 0 && name !== 'session.json.tmp')) return false;
  }
  return true;
}

/** Removes useless keyframes: those before the first byte that is kept. Their names begin with their offset. */
export async function dropKeyframesBefore(folder: string, offset: number): Promise<void> {
  for await (const { path, name } of entriesOf(join(folder, KEYFRAMES))) {
    if (Number.parseInt(name, 10) < offset) await unlink(path).catch(ignoreMissing);
  }
}

/** Returns the offset of the newest keyframe, or 0 without one: the log has reached it, even if its files are lost. */
export function lastKeyframeIn(folder: string): number {
  try {
    const offsets = readdirSync(join(folder, KEYFRAMES)).map((name) =>
      /^\d+(?:-\d+)?\.key$/.test(name) ? Number.parseInt(name, 10) : 0,
    );
    return Math.max(0, ...offsets.filter((offset) => Number.isSafeInteger(offset)));
  } catch {
    return 0; // there are none, or they are unreadable
  }
}

/** Removes a folder with its content; links are removed, not followed. A missing file is not a failure. */
export async function removeFolder(folder: string): Promise<void> {
  for await (const { path, isFolder } of entriesOf(folder)) {
    if (isFolder) await removeFolder(path);
    else await unlink(path).catch(ignoreMissing);
  }
  await rmdir(folder).catch(ignoreMissing);
}

interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

async function* entriesOf(folder: string): AsyncGenerator<FolderEntry> {
  let entries;
  try {
    entries = await opendir(folder);
  } catch (error) {
    ignoreMissing(error);
    return;
  }
  for await (const entry of entries)
    yield { name: entry.name, path: join(folder, entry.name), isFolder: entry.isDirectory() };
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
  return undefined;
}
