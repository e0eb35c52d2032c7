/**
 * The variables that the user gave an agent (`run -e`), for the session that resumes it. They may be secrets: they are in a file
 * of the session that only its user can read, are sent to no client, and are deleted with the session (decision 162). Keeps EVT-40.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { RunRequest } from '@spool/protocol';

type Variables = Readonly<Record<string, string>>;

const fileIn = (folder: string): string => `${folder}/environment.json`;

/** Stores the variables that a resumed agent gets again. Throws if the disk refuses it. */
export function keepEnvironment(folder: string, { env, keptEnv = [] }: Pick<RunRequest, 'env' | 'keptEnv'>): void {
  const kept = Object.fromEntries(keptEnv.flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])));
  if (Object.keys(kept).length === 0) return;
  writeFileSync(`${fileIn(folder)}.tmp`, JSON.stringify(kept), { mode: 0o600 });
  renameSync(`${fileIn(folder)}.tmp`, fileIn(folder));
}

export function readEnvironment(folder: string): Variables {
  try {
    const read = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as unknown;
    return Object.fromEntries(
      Object.entries(Object(read) as object).filter((each): each is [string, string] => typeof each[1] === 'string'),
    );
  } catch {
    return {}; // the file does not exist, or is damaged
  }
}

/** Returns the `run` that resumes a session: with the variables of the earlier session, unless the caller has given others. */
export function withKeptEnvironment(run: RunRequest, before: Variables): RunRequest {
  const { env, keptEnv = [] } = run;
  const given = Object.fromEntries(keptEnv.flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]!]] : [])));
  const names = new Set([...Object.keys(before), ...keptEnv]);
  return names.size === 0 ? run : { ...run, env: { ...env, ...before, ...given }, keptEnv: [...names] };
}
