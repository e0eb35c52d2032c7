/** Resolves HEAD of a repository without git: loose and packed refs, a detached HEAD, a linked working tree. */
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './find-repository.ts';
import { readPlainText } from './plain-file.ts';

export interface Head {
  /** The branch, `main`; null if HEAD is detached. */
  readonly branch: string | null;
  /** The commit; null before the first one. */
  readonly commit: string | null;
}

const REF_BYTES_MAX = 4096;
/** The maximum size: a few hundred thousand refs. */
const PACKED_BYTES_MAX = 64 * 1024 * 1024;
const HOPS_MAX = 5;

const OBJECT_ID = /^([0-9a-f]{64}|[0-9a-f]{40})\s*$/;
/** The refs that exist separately for each linked working tree. */
const OWN_REF = /^refs\/(bisect|worktree|rewritten)\//;
/** The target of HEAD in a repository whose refs are in a reftable. */
const IN_REFTABLE = 'refs/heads/.invalid';

/** Returns null if there is no readable HEAD, as in a repository with a reftable. */
export async function headOf(repository: Repository): Promise<Head | null> {
  const target = await targetOf(join(repository.gitFolder, 'HEAD'));
  if (target === null || target === IN_REFTABLE) return null;
  if (OBJECT_ID.test(target)) return { branch: null, commit: target };
  const commit = await commitOf(repository, target);
  return { branch: target.replace(/^refs\/heads\//, ''), commit };
}

async function commitOf(repository: Repository, name: string): Promise<string | null> {
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    const folder = OWN_REF.test(name) ? repository.gitFolder : repository.commonFolder;
    const target = (await targetOf(join(folder, name))) ?? (await packed(repository, name));
    if (target === null || OBJECT_ID.test(target)) return target;
    name = target;
  }
  return null;
}

/** Returns the id or the name of the ref in a file; old repositories have a symbolic link as HEAD. */
async function targetOf(path: string): Promise<string | null> {
  const link = await readlink(path).catch(() => null);
  const text = link?.startsWith('refs/') ? `ref: ${link}` : await readPlainText(path, REF_BYTES_MAX);
  const id = OBJECT_ID.exec(text ?? '')?.[1];
  const name = /^ref:\s*(\S+)\s*$/.exec(text ?? '')?.[1];
  return id ?? (name !== undefined && isRefName(name) ? name : null);
}

async function packed({ commonFolder }: Repository, name: string): Promise<string | null> {
  const text = (await readPlainText(join(commonFolder, 'packed-refs'), PACKED_BYTES_MAX)) ?? '';
  const at = text.indexOf(` ${name}\n`);
  if (at === -1) return null;
  return OBJECT_ID.exec(text.slice(text.lastIndexOf('\n', at) + 1, at))?.[1] ?? null;
}

/** Returns whether a name can be joined to the folder of a repository without leading elsewhere. */
function isRefName(name: string): boolean {
  const isPart = (part: string): boolean => part !== '' && !/^\.\.?$/.test(part);
  return name.startsWith('refs/') && !name.includes('\0') && name.split('/').every(isPart);
}
