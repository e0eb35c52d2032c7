/**
 * Suggests folders that begin with typed text, for the form that starts a session. Only users who may start a session get them:
 * such a user could also list the folders by a command. Keeps FILE-5.
 */
import { opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { FolderList } from '@spool/protocol';

const FOLDERS_MAX = 50;
/** The maximum of entries that are read: a folder with a million files is not read to its end for a suggestion. */
const ENTRIES_MAX = 5_000;

/**
 * Returns the folders for `typed`, which is absolute, begins with `~`, or is relative to the home folder. Returns none for a path
 * that does not exist.
 */
export async function foldersLike(typed: string, home = homedir()): Promise<FolderList> {
  const whole = typed === '~' ? `${home}/` : typed.startsWith('~/') ? `${home}${typed.slice(1)}` : typed;
  const path = isAbsolute(whole) ? whole : `${home}/${whole}`; // not `join`, which would remove a dot at the end
  const slash = typed === '' || whole.endsWith('/') ? path.length : path.lastIndexOf('/') + 1;
  const [parent, start] = [resolve(path.slice(0, slash)), path.slice(slash)];
  const found: string[] = [];
  let entries = 0;
  try {
    for await (const entry of await opendir(parent)) {
      if (++entries > ENTRIES_MAX) break;
      const isMeant = entry.name.startsWith(start) && (start.startsWith('.') || !entry.name.startsWith('.'));
      if (isMeant && (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(parent, entry.name))))))
        found.push(join(parent, entry.name));
    }
  } catch {
    return { folders: [], isCut: false }; // the folder does not exist, or may not be read
  }
  found.sort();
  return { folders: found.slice(0, FOLDERS_MAX), isCut: found.length > FOLDERS_MAX || entries > ENTRIES_MAX };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // a broken link
  );
}
