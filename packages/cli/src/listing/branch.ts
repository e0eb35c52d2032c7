/**
 * Finds the branch of a folder for `ls`, without git, whose configuration could start programs. Only folders on local file systems
 * are read: a file server that does not answer would make `ls` hang. Keeps LIST-8.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The file systems that answer at once. */
const LOCAL = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'zfs', 'f2fs', 'bcachefs', 'tmpfs', 'ramfs', 'overlay']);
const HEAD_BYTES_MAX = 4096;
const PARENTS_MAX = 64;
const BRANCH = /^ref: refs\/heads\/([^\s\0]+)\s*$/;
const POINTER = /^gitdir: ([^\0]+?)[\r\n]*$/;

/** Returns the branch that is checked out; null if there is none, or if the folder is not on a local file system. */
export function branchOf(folder: string): string | null {
  let top = folder;
  for (let hop = 0; hop < PARENTS_MAX && isLocal(top); hop++) {
    const git = join(top, '.git');
    // In a linked working tree and a submodule, `.git` is a file with the path of the folder.
    const pointer = POINTER.exec(startOf(git) ?? '')?.[1];
    const inside = pointer === undefined ? git : resolve(top, pointer);
    const head = isLocal(inside) ? startOf(join(inside, 'HEAD')) : null;
    if (head !== null) return BRANCH.exec(head)?.[1] ?? null;
    if (top === dirname(top)) return null;
    top = dirname(top);
  }
  return null;
}

function startOf(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null; // missing, or not readable by this user
  }
  try {
    const bytes = Buffer.alloc(HEAD_BYTES_MAX);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } catch {
    return null; // a folder
  } finally {
    closeSync(fd);
  }
}

/** Returns the mount points with their file systems, the deepest first. */
let mounts: readonly (readonly [point: string, type: string])[] | undefined;

function isLocal(path: string): boolean {
  mounts ??= readMounts();
  const found = mounts.find(([point]) => path === point || path.startsWith(point === '/' ? '/' : `${point}/`));
  return found !== undefined && LOCAL.has(found[1]);
}

function readMounts(): readonly (readonly [point: string, type: string])[] {
  let text: string;
  try {
    text = readFileSync('/proc/self/mounts', 'utf8');
  } catch {
    return []; // without a list, no file system is known to be local
  }
  // A later mount hides an earlier one at the same place, so the later one is first.
  return text
    .split('\n')
    .flatMap((line) => {
      const [, point, type] = line.split(' ');
      return point !== undefined && type !== undefined ? [[unescaped(point), type] as const] : [];
    })
    .reverse()
    .sort(([a], [b]) => b.length - a.length);
}

/** The kernel writes blanks and backslashes as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
