/**
 * The agent itself: a program that serves HTTP on a port of the loopback. It gets a password that nobody else knows, in its
 * environment, and it dies with the bridge (`spool-tied`), also when the bridge is killed. Keeps HTTP-1.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { LineSplitter } from './line-splitter.ts';

/** A first start may convert a database. */
const READY_MS_MAX = 180_000;
const GRACE_MS = 4000;
const LINE_BYTES_MAX = 64 * 1024;

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class AgentServer {
  readonly password = randomBytes(32).toString('base64url');
  /** Resolves with the port, once it answers. */
  readonly ready: Promise<number>;
  readonly exited: Promise<ServerExit>;
  readonly #child: ChildProcess;
  #isEnding = false;

  /** `onText`: what it prints besides the line with its address. */
  constructor(command: readonly string[], onText: (line: string) => void) {
    this.#child = spawn(fileURLToPath(new URL('./spool-tied', import.meta.url)), [String(process.pid), ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // a group of its own: a wrapper may not pass signals on
      env: agentEnvironment(this.password),
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve({ code: 127, signal: null }));
      this.#child.once('exit', (code, signal) => {
        this.#signal('SIGKILL'); // what a wrapper has left
        resolve({ code, signal });
      });
    });
    this.ready = this.#listening(onText);
    this.ready.catch(() => {}); // whoever waits for it is told
  }

  /** SIGTERM, then SIGKILL. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#signal('SIGTERM');
    setTimeout(() => this.#signal('SIGKILL'), GRACE_MS);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // ESRCH: the whole group is gone, which is what we wanted
    }
  }

  /** It accepts connections before, and does not answer them: only its own word counts. */
  #listening(onText: (line: string) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = new Error(`it did not serve within ${READY_MS_MAX / 1000} s`);
      const timer = setTimeout(() => reject(late), READY_MS_MAX);
      const lines = new LineSplitter(LINE_BYTES_MAX, () => {});
      const take = (line: string): void => {
        const port = /listening on http:\/\/[^\s/]*:(\d+)/.exec(line)?.[1];
        if (port === undefined) return onText(line);
        clearTimeout(timer);
        resolve(Number(port));
      };
      this.#child.stdout!.on('data', (chunk: Buffer) => {
        for (const line of lines.push(chunk)) take(line);
      });
      void this.exited.then(() => {
        clearTimeout(timer);
        reject(new Error('it ended before it served'));
      });
    });
  }
}

/** The bridge's own Node reads `NODE_OPTIONS`, so the agent's travel under another name. */
function agentEnvironment(password: string): NodeJS.ProcessEnv {
  const { SPOOL_AGENT_NODE_OPTIONS: nodeOptions, ...env } = process.env;
  return {
    ...env,
    ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_SERVER_USERNAME: USER,
  };
}

export const USER = 'spool';
