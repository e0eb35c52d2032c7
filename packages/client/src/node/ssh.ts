/**
 * The calls of ssh that reach a node, from the command line and from the gateway. The user's own configuration applies (ProxyJump,
 * ControlMaster, keys); only the needs of a link are added.
 */
import { hostname } from 'node:os';
import { SpoolError } from '@spool/protocol';

export interface SshDestination {
  /** The address as it was given, without a slash at the end: `ssh://[USER@]HOST[:PORT]`. */
  readonly url: string;
  readonly host: string;
  readonly words: readonly string[];
}

/** The beginning of the first line of the protocol; the text before it is a banner of the other machine. */
export const SSH_MARK = '@@spool-node@@ ';

/** The folder of the copied package on the node, for `sh`. */
export const SSH_FOLDER = '"${XDG_DATA_HOME:-$HOME/.local/share}/spool-node"';

/** Returns the name of this machine for a node: a word that needs no quoting in any shell. */
export function sshCaller(): string {
  const name = hostname().replaceAll(/[^A-Za-z0-9._-]/g, '');
  return name.replace(/^[^A-Za-z0-9]+/, '').slice(0, 60) || 'spool';
}

/** Parses an address; throws ARGUMENT_INVALID with a reason. */
export function sshDestination(url: string): SshDestination {
  // The characters are allow-listed: the words become arguments of ssh, and its configuration may pass them to a shell.
  const [, user, host, port] =
    /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]{0,63})@)?([A-Za-z0-9][\w.-]{0,252}|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?\/?$/.exec(
      url,
    ) ?? [];
  if (host === undefined)
    throw new SpoolError('ARGUMENT_INVALID', { argument: 'url', value: url, reason: 'use ssh://[USER@]HOST[:PORT]' });
  const name = host.replace(/^\[|\]$/g, '');
  const place = user === undefined ? name : `${user}@${name}`;
  return {
    url: url.replace(/\/$/, ''),
    host: name,
    words: [...(port === undefined ? [] : ['-p', port]), '--', place],
  };
}

/**
 * Returns the command that runs a script with `sh` on the other machine. The login shell may be any, so the only word is quoted in
 * a way that all shells agree on; the script is encoded.
 */
export function remoteCommand(script: string): string {
  return `exec sh -c 'eval "$(echo ${Buffer.from(script).toString('base64')} | base64 -d)"'`;
}

/** Returns the arguments of ssh. `isAlone`: no user is present to answer a question of ssh. */
export function sshWords(destination: SshDestination, script: string, isAlone: boolean): string[] {
  const alive = ['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];
  const alone = isAlone ? ['-o', 'BatchMode=yes'] : [];
  return ['-T', '-o', 'ConnectTimeout=10', ...alone, ...alive, ...destination.words, remoteCommand(script)];
}

/** Returns the reason in the last lines of ssh, with a cure if there is a usual one. */
export function sshReason(said: string, code: number | null): string {
  const lines = said.trim().split('\n');
  const line = (lines.findLast((each) => /^\w*Error\b/.test(each)) ?? lines.at(-1))?.trim().slice(0, 200) ?? '';
  const cure = CURES.find(([pattern]) => pattern.test(said))?.[1];
  return [line === '' ? `ssh ended with ${code}` : line, ...(cure === undefined ? [] : [cure])].join('; ');
}

const CURES: readonly (readonly [RegExp, string])[] = [
  [/Host key verification failed/, 'connect once with ssh to accept the key of the host'],
  [
    /Permission denied/,
    'the daemon has no terminal to ask for a password: use a key that ssh can read alone, or an agent',
  ],
  [/noexec|cannot execute|Permission denied.*bin\/node/, 'its home may be mounted noexec: set XDG_DATA_HOME there'],
];
