/** The files that `spool install` puts into the account. Keeps INST-1. */
import { VERSION } from '@spool/client/node';
import { type AccountFile, writeFiles } from './account-files.ts';
import { accountFolders } from './account-folders.ts';
import { launcherPath } from './launcher.ts';
import { manPage } from './man-page.ts';

/** Writes the link to this installation, the manual page and `more`; returns all of them. Throws if a file of another program is there. */
export function installInAccount(env: NodeJS.ProcessEnv, more: readonly AccountFile[] = []): readonly AccountFile[] {
  const { bin, data, list } = accountFolders(env);
  const files: AccountFile[] = [
    { path: `${bin}/spool`, link: launcherPath() },
    { path: `${data}/man/man1/spool.1`, content: manPage(VERSION) },
    ...more,
  ];
  writeFiles(list, files);
  return files;
}
