/**
 * Adds the values that a caller on another machine cannot know: the home folder, the shell and the environment of the daemon's
 * user. Keeps REM-5: a session that is started remotely gets its user's folder, PATH and shell, and nothing from the caller's
 * machine.
 */
import { accessSync, constants } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { type RunRequest, type ShellLookup, userShell } from '@spool/protocol';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables that sessions do not get. The daemon's own variables are few and harmless (see `daemonEnvironment` of the client),
 * except those about itself.
 */
const NOT_FOR_SESSIONS = /^(SPOOL_|NODE_)/;

const SHELL_LOOKUP: ShellLookup = {
  account: () => userInfo().shell,
  checkExecutable: (path) => accessSync(path, constants.X_OK),
};

export function runFromAfar(run: RunRequest, env: Variables = process.env): RunRequest {
  if (run.base === undefined) return run;
  const { base: _base, ...rest } = run;
  const home = env.HOME ?? homedir();
  const cwd = run.cwd.startsWith('~') ? `${home}${run.cwd.slice(1)}` : run.cwd;
  const shell = userShell(env, SHELL_LOOKUP);
  const command = run.command.length === 0 ? [shell] : run.command;
  return { ...rest, command, cwd, env: { ...userEnvironment(env, home, shell), ...run.env } };
}

function userEnvironment(env: Variables, home: string, shell: string): Record<string, string> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_FOR_SESSIONS.test(entry[0]),
  );
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, SHELL: shell, ...Object.fromEntries(own) };
}
