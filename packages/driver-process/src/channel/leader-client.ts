/**
 * Connects to the leader of Grok beside its terminal: the second client is a program of Grok itself, which speaks ACP on its pipes.
 * The program dies with this process, even if this process is killed. It is started only while the leader accepts connections:
 * otherwise it would start a leader that is never ended.
 */
import { createConnection } from 'node:net';
import { LineFraming } from '@spool/protocol/line-framing';
import { programPath } from '../program-path.ts';
import type { RelayLink, RelayPeer } from './relay.ts';

const LINE_BYTES_MAX = 64 * 1024 * 1024;

interface LeaderClientTarget {
  /** The program of Grok. */
  readonly file: string;
  readonly socket: string;
  /** The variables that the client needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** Resolves when the client has been started. */
export async function connectLeader({ file, socket, env }: LeaderClientTarget, peer: RelayPeer): Promise<RelayLink> {
  await accepts(socket);
  const command = [file, 'agent', '--leader', '--leader-socket', socket, 'stdio'];
  const { spawn } = process.getBuiltinModule('node:child_process'); // most drivers do not need it, and stay small
  const child = spawn(programPath('spool-tied'), [String(process.pid), ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: '/',
    env,
  });
  let isOpen = true;
  const closed = (why: string): void => {
    if (!isOpen) return;
    isOpen = false;
    child.kill('SIGKILL');
    peer.onClosed(why);
  };
  const lines = new LineFraming({ bytesMax: LINE_BYTES_MAX });
  child.stdout.on('data', (bytes: Buffer) => {
    for (const { text, isDropped } of lines.push(bytes))
      if (isOpen && !isDropped && text.trim() !== '') peer.onMessage(text);
  });
  child.stdin.on('error', () => {}); // EPIPE: the end is reported below
  child.once('error', (error) => closed(error.message));
  child.once('exit', (code, signal) => closed(`its client has ended (${signal ?? code})`));
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    close() {
      isOpen = false;
      child.kill('SIGKILL');
    },
  };
}

/** Resolves if a process accepts connections on this socket, and rejects otherwise. */
function accepts(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
