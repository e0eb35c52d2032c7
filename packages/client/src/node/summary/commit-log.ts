/**
 * Reads commits from `git log`, and the times when they were made.
 *
 * Git records seconds. A session may start and end within one second, so the mtime of the commit's file counts too: the file was
 * written at that moment, unless it was fetched or packed.
 */
import { lstat } from 'node:fs/promises';
import { type ChangedFile, changeOf } from '../../summary/changed-file.ts';
import { type TimeSpan, whenOf } from './span.ts';

export interface Commit {
  readonly hash: string;
  /** The time in seconds since 1970. */
  readonly second: number;
  readonly files: readonly ChangedFile[];
}

export const COMMIT_FORMAT = '--format=%H %ct';
const HEADING = /^([0-9a-f]{40,64}) (\d+)$/;

/** Parses `hash second`, then `M`, path; for a rename `R100`, old path, new path. */
export function parseLog(text: string): Commit[] {
  const words = text.split('\0');
  const commits: (Commit & { files: ChangedFile[] })[] = [];
  for (let at = 0; at < words.length;) {
    const word = words[at++]!.trim(); // git leaves a newline before the first letter
    const heading = HEADING.exec(word);
    if (heading) {
      commits.push({ hash: heading[1]!, second: Number(heading[2]), files: [] });
      continue;
    }
    const letter = word[0];
    if (letter === undefined) continue;
    const from = letter === 'R' || letter === 'C' ? words[at++] : undefined;
    const path = words[at++] ?? '';
    if (path === '') continue;
    commits.at(-1)?.files.push({ path, change: changeOf(letter), isCommitted: true, ...(letter === 'R' && { from }) });
  }
  return commits;
}

/** Returns when a commit was made, relative to the span; undefined if that is unknown. */
export async function whenMade(
  { hash, second }: Commit,
  span: TimeSpan,
  objects: string,
): Promise<'before' | 'within' | 'after' | undefined> {
  const [first, last] = [second * 1000, second * 1000 + 999];
  if (whenOf(first, span) === whenOf(last, span)) return whenOf(first, span);
  try {
    const { mtimeMs } = await lstat(`${objects}/${hash.slice(0, 2)}/${hash.slice(2)}`);
    return Math.floor(mtimeMs / 1000) === second ? whenOf(mtimeMs, span) : undefined;
  } catch {
    return undefined; // the commit is packed
  }
}
