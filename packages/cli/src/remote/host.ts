/**
 * Decides which machine a command targets: this one, or another through its gateway. Keeps REM-6.
 *
 * The order is `--context`, `--host`, SPOOL_HOST, and the saved context. They come before the verb, because `--host` after `web`
 * has another meaning. Inside a session the saved context does not apply: hooks and agents there use the daemon that runs them.
 */
import { SpoolError } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';
import { readContexts } from './contexts.ts';
import { readToken } from './token-file.ts';

/** Another machine: by the address of its gateway, or as a node of this one. */
export type Host = GatewayHost | NodeHost;

interface GatewayHost {
  readonly url: string;
  readonly token: string;
  readonly node?: undefined;
  /** The origin of this choice, for messages. */
  readonly from: string;
}

export interface NodeHost {
  readonly node: string;
  readonly url?: undefined;
  readonly token?: undefined;
  readonly from: string;
}

export interface HostFlags {
  readonly host?: string;
  readonly 'token-file'?: string;
  readonly context?: string;
  readonly node?: string;
}

/** The name of this machine in `--context`. */
export const LOCAL = 'local';

const FLAGS: ReadonlySet<string> = new Set(['host', 'token-file', 'context', 'node'] satisfies (keyof HostFlags)[]);

/** Removes the flags before the verb from the words. */
export function splitHostFlags(words: readonly string[]): {
  readonly flags: HostFlags;
  readonly rest: readonly string[];
} {
  const flags: Record<string, string> = {};
  let at = 0;
  for (;;) {
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[at] ?? '') ?? [];
    if (name === undefined || !FLAGS.has(name)) break;
    at++;
    const found = value ?? words[at++];
    if (found === undefined || found === '') throw new UsageError(`--${name} needs a value`);
    flags[name] = found;
  }
  return { flags, rest: words.slice(at) };
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the chosen host; null for this machine. */
export function chooseHost(flags: HostFlags, env: Variables = process.env): Host | null {
  if (flags.node !== undefined) {
    if (flags.host !== undefined || flags.context !== undefined)
      throw new UsageError('use one of --node, --host and --context');
    return { node: flags.node, from: `the node ${flags.node}` };
  }
  if (flags.context !== undefined) {
    if (flags.host !== undefined) throw new UsageError('use --host or --context, not both');
    return flags.context === LOCAL ? null : savedHost(flags.context, env);
  }
  const url = flags.host ?? nonEmpty(env.SPOOL_HOST);
  if (url !== undefined) {
    const file = flags['token-file'] ?? nonEmpty(env.SPOOL_TOKEN_FILE);
    if (file === undefined)
      throw new UsageError('--host needs --token-file FILE; `spool token create` on that machine makes a token');
    return { url, token: readToken(file), from: flags.host === undefined ? 'SPOOL_HOST' : '--host' };
  }
  if (flags['token-file'] !== undefined) throw new UsageError('--token-file needs --host URL');
  if (env.SPOOL_SESSION !== undefined) return null;
  const { current } = readContexts(env);
  return current === null ? null : savedHost(current, env);
}

function savedHost(name: string, env: Variables): Host {
  const found = readContexts(env).contexts[name];
  if (found === undefined) throw new SpoolError('CONTEXT_UNKNOWN', { context: name });
  return { ...found, from: `the context ${JSON.stringify(name)}` };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
