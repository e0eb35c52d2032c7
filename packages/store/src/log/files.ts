/** The log's access to the disk: every file 0600, every folder 0700, no symlink followed, no blocking open. Keeps LOG-7. */
import { closeSync, constants, fdatasync, fsync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';

export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;

/** Returns the code of a system error ('ENOSPC'); undefined for anything else, which is then a bug in our code. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as NodeJS.ErrnoException | undefined)?.errno === 'number';
}

/** The errors of a file that cannot be read now or later; EMFILE, a temporary state of this process, is not among them. */
const UNREADABLE: ReadonlySet<string | undefined> = new Set([
  'EIO',
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENOTDIR',
  'ELOOP',
  'ESTALE',
  'EBADMSG',
  'EUCLEAN',
  'ENXIO',
]);

export function isUnreadable(error: unknown): boolean {
  return UNREADABLE.has(errorCode(error));
}

export function openToRead(path: string): number {
  return openSync(path, O_RDONLY | O_NOFOLLOW);
}

/** Opens or creates a file. O_APPEND is never used: splice refuses it. A folder that was removed is created again. */
export function openToWrite(path: string): number {
  try {
    return openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, FILE_MODE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    createFolder(dirname(path));
    return openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, FILE_MODE);
  }
}

/** Creates a folder, but not with `recursive`: on a read-only disk Node then reports ENOENT, which is not the reason. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, FOLDER_MODE);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT') throw error;
    createFolder(dirname(folder));
    mkdirSync(folder, FOLDER_MODE);
  }
}

/** Returns whether the file is gone now. A file that cannot be removed (a read-only disk) stays, which is harmless. */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return error.code === 'ENOENT';
  }
}

/**
 * Syncs a file to the disk, off-thread, by opening it again, because its writer has closed it meanwhile. For open files see
 * `open-file-sync.ts`.
 */
export async function syncFile(path: string): Promise<void> {
  await sync(path, fdatasync);
}

/** Syncs a folder. The names in it are its data: a new file is durable only after this. */
export async function syncFolder(path: string): Promise<void> {
  await sync(path, fsync);
}

type Sync = (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => void;

/** The maximum number of syncs at once: each takes an fd and one of the four threads of Node's pool. */
const SYNCS_AT_ONCE = 3;
const waiting: (() => void)[] = [];
let running = 0;

async function sync(path: string, how: Sync): Promise<void> {
  if (running >= SYNCS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    await syncNow(path, how);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

async function syncNow(path: string, how: Sync): Promise<void> {
  let fd: number;
  try {
    fd = openToRead(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // retention dropped the file, or compression replaced and synced it
    throw error;
  }
  try {
    await new Promise<void>((resolve, reject) => how(fd, (error) => (error ? reject(error) : resolve())));
  } finally {
    closeSync(fd);
  }
}
