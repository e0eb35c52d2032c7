/** The user's `config.json`, and the environment that sessions get with it. */
import { readFileSync, statSync } from 'node:fs';
import { homeFrom } from '@spool/protocol';
import { type Config, readConfig } from '@spool/protocol/config';
import { childEnvironment, TASK_VARIABLES } from './child-environment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the path of the file, whether or not it exists. */
export function configPath(env: Variables): string {
  return `${homeFrom(env, process.getuid?.() ?? 0).config}/config.json`;
}

export function userConfig(env: Variables): Config {
  return readConfig(configPath(env), { readFileSync, statSync });
}

/** Returns `childEnvironment` with the additions of `env` in the configuration. */
export function sessionEnvironment(
  env: Variables,
  extra: Variables = {},
  { isTask = false }: { readonly isTask?: boolean | undefined } = {},
): Record<string, string> {
  return childEnvironment(env, extra, [...userConfig(env).settings.env, ...(isTask ? TASK_VARIABLES : [])]);
}
