/**
 * An agent that speaks HTTP is started through a bridge, which carries its events and calls on pipes (decision 115). The record of
 * the session has the agent's own command.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunRequest } from '@spool/protocol';

/** A bridge passes lines on: a small heap, no threads of its own, and no compiled code but the simplest (decision 087). */
const FLAGS = ['--max-semi-space-size=1', '--v8-pool-size=0', '--no-opt', '--no-maglev'];

type Child = Pick<RunRequest, 'command' | 'env'>;

/** What is executed for `run`. Throws as `exec` does when there is no such program: the bridge would learn it too late. */
export function executed(run: RunRequest): Child {
  if (run.agent?.bridge === undefined) return run;
  const { command, env } = run;
  findProgram(command[0]!, run);
  const { NODE_OPTIONS: nodeOptions, ...rest } = env;
  return {
    command: [process.execPath, ...FLAGS, fileURLToPath(new URL('./bridge.mjs', import.meta.url)), ...command],
    // The bridge's own Node would read them: it gives them back to the agent.
    env: {
      ...rest,
      ...(nodeOptions !== undefined && { SPOOL_AGENT_NODE_OPTIONS: nodeOptions }),
      MALLOC_ARENA_MAX: '1',
    },
  };
}

function findProgram(file: string, { env, cwd }: Pick<RunRequest, 'env' | 'cwd'>): void {
  const folders = file.includes('/') ? [''] : (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':');
  let code = 'ENOENT';
  for (const folder of folders) {
    const path = resolve(cwd, folder, file);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return;
      code = 'EACCES';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') code = 'EACCES';
    }
  }
  throw Object.assign(new Error(`${file} cannot be executed`), { code, syscall: 'execve' });
}
