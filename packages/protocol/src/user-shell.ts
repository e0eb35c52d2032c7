/**
 * The user's shell: $SHELL, or that of the account, if it can be executed; else /bin/sh. The command line asks on its own machine,
 * and the keeper asks for callers on another one; each provides its own calls, because this package does not depend on Node.
 */

export interface ShellLookup {
  /** Returns the shell of the account. It may throw: in some containers a user has no account. */
  account(): string | null | undefined;
  /** Throws if the file cannot be executed. */
  checkExecutable(path: string): void;
}

export function userShell(env: Readonly<Record<string, string | undefined>>, lookup: ShellLookup): string {
  return [env.SHELL, accountShell(lookup)].find((path) => isUsable(path, lookup)) ?? '/bin/sh';
}

function accountShell(lookup: ShellLookup): string | undefined {
  try {
    return lookup.account() ?? undefined;
  } catch {
    return undefined;
  }
}

function isUsable(path: string | undefined, lookup: ShellLookup): boolean {
  if (path?.startsWith('/') !== true) return false;
  try {
    lookup.checkExecutable(path);
    return true;
  } catch {
    return false;
  }
}
