/** The user's shell, for `spool run` without a command. */
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import { userShell as userShellOf } from '@spool/protocol';

export function userShell(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return userShellOf(env, {
    account: () => userInfo().shell,
    checkExecutable: (path) => accessSync(path, constants.X_OK),
  });
}
