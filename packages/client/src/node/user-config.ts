/** The user's `config.json`, and the environment that sessions get with it. */
import * as files from 'node:fs';
import { homeFrom } from '@spool/protocol';
import { type Config, readConfig } from '@spool/protocol/config';
import { childEnvironment, TASK_VARIABLES } from './child-environment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the file is, whether it is there or not. */
export function configPath(env: Variables): string {
  return `${homeFrom(env, process.getuid?.() ?? 0).config}/config.json`;
}

export function userConfig(env: Variables): Config {
  return readConfig(configPath(env), files);
}

/** `childEnvironment`, and what `env` in the configuration adds. */
export function sessionEnvironment(
  env: Variables,
  extra: Variables = {},
  { isTask = false }: { readonly isTask?: boolean | undefined } = {},
): Record<string, string> {
  return childEnvironment(env, extra, [...userConfig(env).settings.env, ...(isTask ? TASK_VARIABLES : [])]);
}
