/**
 * An agent that speaks HTTP is started through a bridge, which carries its events and calls on pipes (decision 115). An agent in a
 * terminal that gets its own server is started by `native/beside`, which becomes the agent (decision 170). An agent that gets hooks
 * is started with additional arguments (decision 230). The record of the session has the agent's own command. Keeps the holder's
 * part of RUN-27.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownNode } from '@spool/native/own-node';
import type { RunRequest } from '@spool/protocol';

/**
 * Flags for a bridge, which only passes lines on: a small heap, no threads, and only the simplest compiled code (decision 087).
 */
const FLAGS = ['--max-semi-space-size=1', '--v8-pool-size=0', '--no-opt', '--no-maglev'];

/**
 * The time limit of a server's start, which takes 0.5 to 0.8 s on a quiet machine. After that the agent runs as typed, because a
 * longer wait would irritate the user.
 */
const SERVER_READY_MS_MAX = 10_000;

type BridgedChild = Pick<RunRequest, 'command' | 'env'>;

/**
 * Returns the command to execute for `run`; `program` returns the path of a program of the daemon. Throws like `exec` if the
 * command does not exist, because the bridge would detect this too late.
 */
export function executed(run: RunRequest, program: (name: 'bridge.mjs' | 'spool-beside') => string): BridgedChild {
  if (run.agentServer?.hooked !== undefined) return hooked(run, run.agentServer.hooked);
  if (run.agentServer?.launch !== undefined) return besideServer(run, program('spool-beside'));
  if (run.agent?.bridge === undefined) return run;
  const { command, env } = run;
  findProgram(command[0]!, run);
  const { NODE_OPTIONS: nodeOptions, ...rest } = env;
  return {
    // Uses the holder's own Node: a child that is about to execute a program has no other fd of it.
    command: [ownNode(), ...FLAGS, program('bridge.mjs'), ...command],
    // The bridge's own Node would read these variables: the bridge restores them for the agent.
    env: {
      ...rest,
      ...(nodeOptions !== undefined && { SPOOL_AGENT_NODE_OPTIONS: nodeOptions }),
      MALLOC_ARENA_MAX: '1',
    },
  };
}

/** Returns the user's command with the arguments that give the agent its hooks. */
function hooked({ command, env }: RunRequest, extra: readonly string[]): BridgedChild {
  const [program = '', ...words] = command;
  return { command: [program, ...extra, ...words], env };
}

/** Returns the arguments of `native/beside`. */
function besideServer(run: RunRequest, beside: string): BridgedChild {
  const { socket, launch } = run.agentServer!;
  if (socket === undefined || launch === undefined || !existsSync(beside)) return run;
  const { file, server, extra, outcome } = launch;
  const counts = [server.length, extra.length].map(String);
  const limit = String(SERVER_READY_MS_MAX);
  return {
    command: [beside, socket, outcome, limit, file, ...counts, ...server, ...extra, ...run.command],
    env: run.env,
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
