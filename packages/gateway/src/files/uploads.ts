/**
 * Stores files that a user dropped on the page in the session's folder, under a generated name, in a separate folder: no existing
 * file is ever overwritten, and no name from outside becomes a path. Keeps FILE-3.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SpoolError } from '@spool/protocol';
import { ConfinedFile } from './confined-file.ts';

export const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;

export const UPLOADS_FOLDER = '.spool-uploads';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Returns the path of the new file. `random` distinguishes uploads of one second. */
export async function upload(
  folder: string,
  name: string,
  bytes: Uint8Array,
  random = randomBytes(3).toString('hex'),
): Promise<string> {
  const ownName = uploadName(name, new Date(), random);
  try {
    await using session = await ConfinedFile.open(folder, '');
    const isNew = await mkdir(join(session.path, UPLOADS_FOLDER), { mode: 0o700 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    await using uploads = await ConfinedFile.open(folder, UPLOADS_FOLDER);
    // The uploads are hidden from git.
    if (isNew) await create(join(uploads.path, '.gitignore'), Buffer.from('*\n'));
    await create(join(uploads.path, ownName), bytes);
  } catch (error) {
    throw new SpoolError('UPLOAD_FAILED', { folder, reason: (error as Error).message }, { cause: error });
  }
  return join(folder, UPLOADS_FOLDER, ownName);
}

async function create(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await unlink(path).catch(() => {}); // the disk is full: half a file would be mistaken for a whole one
    throw error;
  }
}

/**
 * Returns a name such as `20261117-001502-9f03d1-screenshot.png`. Of the given name, it keeps letters and digits that are safe in a
 * shell and a terminal.
 */
function uploadName(name: string, at: Date, random: string): string {
  const time = at
    .toISOString()
    .replaceAll(/[-:]|\..*$/g, '')
    .replace('T', '-');
  const ending = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1];
  const stem = name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${time}-${random}${stem === '' ? '' : `-${stem}`}${ending === undefined ? '' : `.${ending.toLowerCase()}`}`;
}
