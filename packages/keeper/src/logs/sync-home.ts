/** Makes the folders that the daemon created durable: every session is found through them. Helps to keep LIFE-10. */
import { dirname } from 'node:path';
import { LogSync } from '@spool/core';
import type { Home } from '@spool/protocol';

/** `~/.local/state/spool`: any of these may be new. */
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
