/**
 * Puts files into the user's account and records them, so that `spool uninstall` removes exactly those: a file that was changed
 * since, or belongs to another program, is left alone. Keeps INST-1.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface AccountFile {
  readonly path: string;
  /** The target of a link, or the content of a file. */
  readonly link?: string;
  readonly content?: string;
}

/** A file that was written, and a hash of its content or target. */
interface WrittenFile {
  readonly path: string;
  readonly hash: string;
}

/** Writes the files; if one of them would replace another program's file, it throws before the first. */
export function writeFiles(listPath: string, files: readonly AccountFile[]): void {
  const before = writtenFiles(listPath);
  const foreign = files.find(({ path }) => {
    const hash = hashAt(path);
    return hash !== null && !before.some((each) => each.path === path && each.hash === hash);
  });
  if (foreign !== undefined) throw new Error(`${foreign.path} exists and is not ours; move it away first`);
  for (const { path, link, content } of files) {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    if (link === undefined) writeFileSync(path, content ?? '');
    else symlinkSync(link, path);
  }
  const kept = before.filter(({ path }) => !files.some((file) => file.path === path));
  const all = [...kept, ...files.map(({ path }) => ({ path, hash: hashAt(path)! }))];
  mkdirSync(dirname(listPath), { recursive: true });
  writeFileSync(listPath, `${JSON.stringify(all, null, 2)}\n`);
}

/** Removes the files that have not changed since. Returns the paths of the removed files and of the others. */
export function removeFiles(listPath: string): { readonly removed: string[]; readonly left: string[] } {
  const removed: string[] = [];
  const left: string[] = [];
  for (const { path, hash } of writtenFiles(listPath)) {
    const now = hashAt(path);
    if (now === null) continue;
    if (now === hash) rmSync(path);
    (now === hash ? removed : left).push(path);
  }
  rmSync(listPath, { force: true });
  return { removed, left };
}

function writtenFiles(listPath: string): readonly WrittenFile[] {
  try {
    const list: unknown = JSON.parse(readFileSync(listPath, 'utf8'));
    return Array.isArray(list) ? list.filter(isWrittenFile) : [];
  } catch {
    return []; // nothing was installed, or the list is damaged: then nothing counts as ours
  }
}

function isWrittenFile(value: unknown): value is WrittenFile {
  const { path, hash } = (value ?? {}) as Partial<WrittenFile>;
  return typeof path === 'string' && path.startsWith('/') && typeof hash === 'string';
}

/** Returns a hash of the content of a file or the target of a link; null if there is neither. */
function hashAt(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const content = found.isSymbolicLink() ? `-> ${readlinkSync(path)}` : found.isFile() ? readFileSync(path) : 'other';
  return createHash('sha256').update(content).digest('hex');
}
