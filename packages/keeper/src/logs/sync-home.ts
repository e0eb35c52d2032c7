/** The folders that a daemon made for itself, on the disk for good: a session is found through all of them. */
import { dirname } from 'node:path';
import { LogSync } from '@spool/core';
import type { Home } from '@spool/protocol';

/** `~/.local/state/spool`: of these any may be new. */
const PARENTS_MAX = 3;

export async function syncHome(home: Home): Promise<void> {
  let folder = home.sessions;
  for (let level = 0; level <= PARENTS_MAX; level++) {
    const sync = new LogSync(() => undefined);
    sync.addFolder(folder);
    if ((await sync.flush()) !== undefined) return; // EACCES: not ours, so it was there before us
    folder = dirname(folder);
  }
}
