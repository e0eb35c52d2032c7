/**
 * Chooses the folder and the environment of a new session: on this machine, the current folder with the allow-listed environment;
 * on another machine, the home folder and the environment there. Keeps REM-5: of the caller's variables, only those that describe
 * the viewer's terminal, and requested ones, are sent.
 */
import { callerLimits } from '@spool/client/node';
import { resolve } from 'node:path';
import { UsageError } from '../command-line/usage-error.ts';
import type { ProgramLocation } from '../program.ts';
import { environment, requestedVariables } from './run-environment.ts';

/** The variables for the user's choice of colours. TERM and COLORTERM are set for each session. */
const OF_THE_VIEWER = ['NO_COLOR', 'COLORFGBG'] as const;

export interface PlaceFlags {
  readonly cwd?: string | undefined;
  readonly env: readonly string[];
  readonly inheritEnv: boolean;
}

export function runPlace(
  program: ProgramLocation,
  flags: PlaceFlags,
  options: { readonly isTask?: boolean } = {},
): { readonly cwd: string | undefined; readonly env: Record<string, string> } & Partial<
  ReturnType<typeof callerLimits>
> {
  if (program.host() === null)
    return {
      cwd: resolve(flags.cwd ?? process.cwd()),
      env: environment(flags.env, flags.inheritEnv, options),
      ...callerLimits(),
    };
  if (flags.inheritEnv)
    throw new UsageError('--inherit-env would send your whole environment to another machine; use --env NAME');
  const viewer = Object.fromEntries(
    OF_THE_VIEWER.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return { cwd: flags.cwd, env: { ...viewer, ...requestedVariables(flags.env) } };
}
