/** The folders of the command line's own files (contexts, hints, cases of rules), for this user alone. */
import { mkdirSync, statSync } from 'node:fs';
import { makeFolders } from '@spool/protocol';

export function makeOwnFolders(folder: string): void {
  makeFolders(folder, process.getuid?.() ?? 0, {
    mkdir: (path) => mkdirSync(path, { mode: 0o700 }),
    stat: (path) => statSync(path, { throwIfNoEntry: false }),
  });
}
