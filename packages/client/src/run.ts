/** Starts a session: the request, and the handling of a daemon that is stopping or of an older version. */
import {
  type ProcessIdentity,
  type RunRequest,
  type SessionInfo,
  type Size,
  SpoolError,
  TIMEOUT_MS_MAX,
} from '@spool/protocol';
import { agentEnvironment } from './agents/launch.ts';
import { badArgument, checkWhole } from './check.ts';
import type { Requester } from './link/requests.ts';
import type { Runtime } from './link/runtime.ts';
import type { RunOptions } from './options.ts';

export const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };

/** The maximum wait for a stopping daemon: programs have 5 s to end (default), and are then killed. */
const STOPPING_MS_MAX = 15_000;
const STOPPING_POLL_MS = 100;

/** Returns the request; missing options are taken from the caller's process. */
export function runRequest(runtime: Runtime, options: RunOptions): RunRequest {
  const { size = DEFAULT_SIZE, isTask, inheritEnv } = options;
  const defaults = runtime.runDefaults?.({ isTask, inheritEnv }) ?? { cwd: '/', env: {} };
  return {
    id: options.id ?? runtime.randomId(),
    command: options.command,
    cwd: options.cwd === undefined ? defaults.cwd : absolute(runtime, options.cwd),
    env: { ...(options.agent && agentEnvironment(options.agent.name)), ...(options.env ?? defaults.env) },
    ...(options.keptEnv && options.keptEnv.length > 0 && { keptEnv: options.keptEnv }),
    base: defaults.base,
    name: options.name,
    labels: options.labels,
    size: size ?? undefined,
    umask: options.umask ?? defaults.umask,
    nofileSoft: options.nofileSoft ?? defaults.nofileSoft,
    limits: options.limits ?? defaults.limits,
    nice: options.nice ?? defaults.nice,
    timeoutMs: checkWhole('timeoutMs', options.timeoutMs, { min: 1, max: TIMEOUT_MS_MAX }),
    idleTimeoutMs: checkWhole('idleTimeoutMs', options.idleTimeoutMs, { min: 1, max: TIMEOUT_MS_MAX }),
    sizePolicy: options.sizePolicy,
    echo: options.echo,
    retainBytes: options.retainBytes,
    retainMs: options.retainMs,
    isTask,
    owners: ownersOf(runtime, options),
    whileOwner: options.whileOwner,
    colours: options.colours,
    agent: options.agent,
    sideChannel: options.sideChannel,
  };
}

/**
 * Starts a session. A daemon that is stopping starts no session. The next daemon starts it, and the id ensures that there is no
 * second one.
 */
export async function start(requester: Requester, runtime: Runtime, request: RunRequest): Promise<SessionInfo> {
  const until = runtime.now() + STOPPING_MS_MAX;
  for (;;) {
    try {
      return await startNow(requester, request);
    } catch (error) {
      if (!SpoolError.is(error, 'DAEMON_STOPPING') || runtime.now() >= until) throw error;
      await runtime.sleep(STOPPING_POLL_MS);
    }
  }
}

function ownersOf(runtime: Runtime, { owners, whileOwner }: RunOptions): readonly ProcessIdentity[] | undefined {
  if (owners) return owners;
  const own = runtime.processIdentity?.() ?? null;
  if (own === null && whileOwner) throw badArgument('whileOwner', 'true', 'this process cannot be identified here');
  return own === null ? undefined : [own];
}

async function startNow(requester: Requester, { limits, nice, owners, ...request }: RunRequest): Promise<SessionInfo> {
  try {
    return await requester.again('run', { ...request, limits, nice, owners });
  } catch (error) {
    // A daemon of an older version knows only some of the limits, and no owners.
    const hasNew = limits !== undefined || nice !== undefined || owners !== undefined;
    if (!SpoolError.is(error, 'REQUEST_UNKNOWN') || !hasNew) throw error;
    return await requester.again('run', request);
  }
}

function absolute(runtime: Runtime, cwd: string): string {
  const path = runtime.resolvePath?.(cwd) ?? cwd;
  if (!/^(\/|~(\/|$))/.test(path)) throw badArgument('cwd', cwd, 'it must be absolute');
  return path;
}
