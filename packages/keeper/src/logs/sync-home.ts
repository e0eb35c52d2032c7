/**
 * Makes the folders that the daemon created durable: every session is found through them. Keeps the part of LIFE-10 about folders.
 */
import { dirname } from 'node:path';
import { LogSync } from '@spool/store';
import type { Home } from '@spool/protocol';

/** The depth of `~/.local/state/spool`: any of these folders may be new. */
const PARENTS_MAX = 3;

export async function syncHome(home: Home): Promise<void> {
  let folder = home.sessions;
  for (let level = 0; level <= PARENTS_MAX; level++) {
    const sync = new LogSync(() => undefined);
    sync.addFolder(folder);
    if ((await sync.flush()) !== undefined) return; // EACCES: not our folder, so it existed before
    folder = dirname(folder);
  }
}
