/** The environment of a new session on this machine, and what `--env` asks for. */
import { sessionEnvironment } from '@spool/client/node';
import { UsageError } from '../command-line/usage-error.ts';

/** Returns the allow-listed variables of this process (or all), plus the requested ones. */
export function environment(
  asked: readonly string[],
  inheritsAll: boolean,
  options: { readonly isTask?: boolean } = {},
): Record<string, string> {
  const extra = requestedVariables(asked);
  return sessionEnvironment(process.env, inheritsAll ? { ...ownVariables(), ...extra } : extra, options);
}

/** Parses `KEY=VALUE`, or `KEY` for the value of this process. */
export function requestedVariables(asked: readonly string[]): Record<string, string> {
  const extra: Record<string, string> = {};
  for (const text of asked) {
    const equals = text.indexOf('=');
    const key = equals === -1 ? text : text.slice(0, equals);
    if (key === '')
      throw new UsageError(`--env ${JSON.stringify(text)} has no name; use KEY=VALUE, or KEY to copy yours`, 'run');
    const value = equals === -1 ? process.env[key] : text.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--env ${key}: this variable is not set; use ${key}=VALUE`, 'run');
    extra[key] = value;
  }
  return extra;
}

/** These describe the terminal and session of this process; the new session gets its own. */
const NOT_INHERITED = ['SPOOL_SESSION', 'SPOOL_SOCKET', 'TERM', 'COLORTERM', 'TERMCAP', 'LINES', 'COLUMNS'] as const;

function ownVariables(): Record<string, string | undefined> {
  const own: Record<string, string | undefined> = { ...process.env };
  for (const name of NOT_INHERITED) delete own[name];
  return own;
}
