/**
 * Finds the git repository of a folder without git, because git would read the repository's configuration on the way. The working
 * tree is the folder with `.git` in it: a repository cannot name another one. Linked working trees and submodules, whose `.git` is
 * a file, are found too.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readPlainText } from './plain-file.ts';

export interface Repository {
  /** The top of the working tree. */
  readonly top: string;
  /** The folder with HEAD and the index. */
  readonly gitFolder: string;
  /** The folder with objects and refs; for a linked working tree, it is a different one. */
  readonly commonFolder: string;
}

/** The maximum size of a `.git` file: the longest path of Linux and the words before it. */
const POINTER_BYTES_MAX = 8192;

/** Finds the repository of `folder`, a real path. Returns null if it is in no working tree. */
export async function findRepository(folder: string): Promise<Repository | null> {
  for (let top = folder; ; top = dirname(top)) {
    const gitFolder = await gitFolderAt(join(top, '.git'));
    const found = gitFolder === null ? null : await repositoryAt(top, gitFolder);
    // Inside `.git` there is no working tree.
    if (found) return `${folder}/`.startsWith(`${found.gitFolder}/`) ? null : found;
    if (top === dirname(top)) return null;
  }
}

/** Returns the target of `.git`: itself, or the folder that it names in linked working trees and submodules. */
async function gitFolderAt(path: string): Promise<string | null> {
  const pointer = await readPlainText(path, POINTER_BYTES_MAX);
  if (pointer === null) return await realpath(path).catch(() => null);
  const named = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(pointer)?.[1];
  return named === undefined ? null : await realpath(resolve(dirname(path), named)).catch(() => null);
}

async function repositoryAt(top: string, gitFolder: string): Promise<Repository | null> {
  const named = await readPlainText(join(gitFolder, 'commondir'), POINTER_BYTES_MAX);
  const common = named === null ? gitFolder : resolve(gitFolder, named.replace(/[\r\n]+$/, ''));
  const commonFolder = common.includes('\0') ? null : await realpath(common).catch(() => null);
  if (commonFolder === null) return null;
  const isWhole = (await isFolder(join(commonFolder, 'objects'))) && (await isFolder(join(commonFolder, 'refs')));
  return isWhole ? { top, gitFolder, commonFolder } : null;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // missing, or not readable by this user
  );
}
