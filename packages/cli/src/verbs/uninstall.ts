/** `spool uninstall`: removes what `spool install` has written, and the service. Sessions and logs stay. Keeps INST-1. */
import { homeFrom } from '@spool/client/node';
import { removeFiles } from '../install/account-files.ts';
import { accountFolders } from '../install/account-folders.ts';
import { removeService } from '../install/service.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

const uninstall: VerbAction<'uninstall'> = async ({ flags }) => {
  const { removed, left } = removeFiles(accountFolders(process.env).list);
  const service = await removeService({ ifOurs: true });
  if (flags.json) {
    printJson({ removed, left, service });
    return 0;
  }
  for (const path of removed) print(`removed ${path}`);
  for (const path of left) print(`left ${path}: it was changed since`);
  if (service) print('removed the service');
  if (removed.length + left.length === 0 && !service) notice('Nothing was installed by `spool install`.');
  else notice(`The daemon, its sessions and their logs stay: ${homeFrom(process.env, process.getuid?.() ?? 0).state}`);
  return 0;
};

export default uninstall;
