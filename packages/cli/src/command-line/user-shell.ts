/** The user's shell, for `spool run` without a command: $SHELL, or that of the account. */
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';

export function userShell(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return [env.SHELL, accountShell()].find((path) => path !== undefined && isExecutable(path)) ?? '/bin/sh';
}

function accountShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    return undefined; // a user without an account, as in some containers
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith('/');
  } catch {
    return false;
  }
}
