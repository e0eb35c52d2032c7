/**
 * Runs the agent: a program that serves HTTP on a port of the loopback. The program gets a secret password in its environment, and
 * dies with the bridge (`spool-tied`), even if the bridge is killed. Keeps HTTP-1.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { LineFraming } from '@spool/protocol/line-framing';
import { programPath } from '../program-path.ts';

/** The time limit of a start; the first start may convert a database. */
const READY_MS_MAX = 180_000;
const GRACE_MS = 4000;
const LINE_BYTES_MAX = 64 * 1024;

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class AgentServer {
  readonly password = randomBytes(32).toString('base64url');
  /** A promise of the port, which resolves once the agent answers. */
  readonly ready: Promise<number>;
  readonly exited: Promise<ServerExit>;
  readonly #child: ChildProcess;
  #isEnding = false;

  /**
   * `onText` gets the printed lines, except the one with the address. `tied` is the path of the program that ties the server to
   * this process.
   */
  constructor(command: readonly string[], onText: (line: string) => void, tied = programPath('spool-tied')) {
    this.#child = spawn(tied, [String(process.pid), ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // in its own process group: a wrapper may not pass signals on
      env: agentEnvironment(this.password),
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve({ code: 127, signal: null }));
      this.#child.once('exit', (code, signal) => {
        this.#signal('SIGKILL'); // processes that a wrapper has left
        resolve({ code, signal });
      });
    });
    this.ready = this.#listening(onText);
    this.ready.catch(() => {}); // the callers that wait get the error
  }

  /** Ends the agent: SIGTERM, then SIGKILL. */
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

  /** Waits for the line in which the agent prints its address: the agent accepts connections earlier, but does not answer them. */
  #listening(onText: (line: string) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = new Error(`it did not serve within ${READY_MS_MAX / 1000} s`);
      const timer = setTimeout(() => reject(late), READY_MS_MAX);
      const lines = new LineFraming({ bytesMax: LINE_BYTES_MAX });
      const take = (line: string): void => {
        const port = /listening on http:\/\/[^\s/]*:(\d+)/.exec(line)?.[1];
        if (port === undefined) return onText(line);
        clearTimeout(timer);
        resolve(Number(port));
      };
      this.#child.stdout!.on('data', (chunk: Buffer) => {
        for (const { text, isDropped } of lines.push(chunk)) if (!isDropped) take(text);
      });
      void this.exited.then(() => {
        clearTimeout(timer);
        reject(new Error('it ended before it served'));
      });
    });
  }
}

/**
 * Returns the environment of the agent: `NODE_OPTIONS` of the agent has another name here, because the bridge's own Node would read
 * it.
 */
function agentEnvironment(password: string): NodeJS.ProcessEnv {
  const { SPOOL_AGENT_NODE_OPTIONS: nodeOptions, ...env } = process.env;
  return {
    ...env,
    ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_SERVER_USERNAME: USER,
  };
}

/** OpenCode's own name for the user, which it also accepts in a terminal, where only a password is set. */
export const USER = 'opencode';
