/** The folder column of `ls`: the home folder as `~`, and the branch that is checked out. Keeps LIST-8. */
import { basename } from 'node:path';
import type { SessionInfo } from '@spool/protocol';
import { branchOf } from './branch.ts';

/** Formats the folder of a session. `home` is null for another machine, whose files are not here, so no branch is shown. */
export function folderWords(home: string | null): (session: SessionInfo, isShort: boolean) => string {
  const branches = new Map<string, string | null>();
  return ({ cwd }, isShort) => {
    if (home === null) return isShort ? basename(cwd) || cwd : cwd;
    if (!branches.has(cwd)) branches.set(cwd, branchOf(cwd));
    const branch = branches.get(cwd) ?? null;
    const path = isShort ? basename(cwd) || cwd : tilde(cwd, home);
    return branch === null ? path : `${path} (${branch})`;
  };
}

function tilde(path: string, home: string): string {
  if (path === home) return '~';
  return home !== '/' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
