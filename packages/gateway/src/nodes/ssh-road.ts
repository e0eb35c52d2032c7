/**
 * The road `ssh`: one process of ssh for each node. The package that `spool node add` has copied there starts the daemon if
 * necessary, and connects its gateway to stdin and stdout of that process. Keeps NODE-21.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { sshCaller, sshDestination, sshReason, SSH_FOLDER, SSH_MARK, sshWords } from '@spool/client/ssh';
import { fromWireError, type NewNode, type Role, SpoolError, type WireError } from '@spool/protocol';
import type { SshRecord } from './records.ts';

/** The maximum size of a banner before the first line of the protocol, and of the messages of ssh that are kept. */
const BANNER_BYTES_MAX = 64 * 1024;
const SAID_CHARS_MAX = 2000;

/** The time limit from the start of ssh to the answer of the gateway there, which may have to be started. */
const ANSWER_WITHIN_MS = 20_000;

/** The time for ssh to end; the process may be the master of other connections of the user. */
const END_WITHIN_MS = 1000;

interface SshTarget extends Pick<SshRecord, 'url'> {
  readonly agent?: string | undefined;
  /** Absent for a node that is being added. */
  readonly token?: string | undefined;
  readonly role: Role;
}

export function sshTarget({ url, role = 'operator', agent }: NewNode): SshTarget & { readonly road: 'ssh' } {
  return { road: 'ssh', url: sshDestination(url).url, role, ...(agent !== undefined && { agent }) };
}

export interface SshLink {
  readonly duplex: Duplex;
  /** The record of this machine's rights on the node. */
  readonly token: string;
}

/** Connects. Rejects with the reason that ssh or the node gives. */
export async function dialSsh({ url, agent, token, role }: SshTarget, signal?: AbortSignal): Promise<SshLink> {
  const program = `d=${SSH_FOLDER}/current; if [ ! -x "$d/spool" ]; then echo "${SSH_MARK}missing"; exit 3; fi`;
  const script = `${program}; exec "$d/spool" node serve ${sshCaller()} ${token === undefined ? `--role ${role}` : token}`;
  const ssh = spawn('ssh', sshWords(sshDestination(url), script, true), {
    env: { ...process.env, ...(agent !== undefined && { SSH_AUTH_SOCK: agent }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = (): void => {
    ssh.kill('SIGTERM');
    setTimeout(() => ssh.kill('SIGKILL'), END_WITHIN_MS).unref();
  };
  signal?.addEventListener('abort', end);
  const late = setTimeout(end, ANSWER_WITHIN_MS);
  try {
    const line = await firstLine(ssh, url);
    const answer =
      line === 'missing' ? { missing: true } : (JSON.parse(line) as { token?: unknown; error?: WireError });
    if ('missing' in answer)
      throw new SpoolError('HOST_UNREACHABLE', {
        host: url,
        reason: 'the package is gone; run `spool node add` again',
      });
    if (answer.error !== undefined) throw fromWireError(answer.error);
    const duplex = Duplex.from({ readable: ssh.stdout, writable: ssh.stdin });
    duplex.on('error', () => {}); // `close` follows
    duplex.once('close', end);
    ssh.once('exit', () => duplex.destroy());
    return { duplex, token: String(answer.token).slice(0, 20) };
  } catch (error) {
    end();
    throw error;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', end);
  }
}

/** Reads up to the first line of the protocol, and leaves the rest unread. Rejects if ssh ends before. */
async function firstLine(ssh: ChildProcessByStdio<Writable, Readable, Readable>, url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  ssh.stderr.on('data', (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-SAID_CHARS_MAX)));
  ssh.stdin.on('error', () => {}); // `exit` follows
  ssh.once('error', (error) => reject(new SpoolError('HOST_UNREACHABLE', { host: url, reason: error.message })));
  ssh.once('exit', (code) => reject(new SpoolError('HOST_UNREACHABLE', { host: url, reason: sshReason(said, code) })));
  let got = Buffer.alloc(0);
  ssh.stdout.on('data', function read(bytes: Buffer) {
    got = Buffer.concat([got, bytes]);
    const start = got.indexOf(SSH_MARK);
    const stop = start === -1 ? -1 : got.indexOf('\n', start);
    if (stop === -1 && got.length <= BANNER_BYTES_MAX) return;
    ssh.stdout.off('data', read);
    ssh.stdout.pause();
    if (stop === -1)
      return reject(new SpoolError('HOST_UNREACHABLE', { host: url, reason: 'no answer in its banner' }));
    if (got.length > stop + 1) ssh.stdout.unshift(got.subarray(stop + 1));
    resolve(
      got
        .subarray(start + SSH_MARK.length, stop)
        .toString()
        .trim(),
    );
  });
  return await promise;
}
