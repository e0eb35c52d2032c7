/**
 * Runs the agent and ends all processes that it starts. The agent dies with this process (`spool-tied`). After the agent has ended,
 * its remaining processes are ended too: they are found by the cookie in their environment (`store/session/process-owners.ts`).
 * Keeps PIPE-3.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { COOKIE, ProcessSweep, signalMember } from '@spool/store/processes';
import { programPath } from '../program-path.ts';

const GRACE_MS = 5000;
const LOOK_MS = 50;
/** The time after which a process that survives SIGKILL counts as stuck in the kernel. */
const GIVE_UP_MS = 5000;

export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentTreeOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the agent serves HTTP, so that a bridge connects it to pipes. */
  readonly isBridged: boolean;
  /** The program that ties it to this process (default: that of this installation). */
  readonly tied?: string | undefined;
}

export class AgentTree {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exited: Promise<AgentExit>;
  readonly #cookie = `driver-${randomBytes(8).toString('hex')}`;
  readonly #sweep = new ProcessSweep();
  #ending: Promise<void> | null = null;

  constructor({ command, cwd, env, isBridged, tied = programPath('spool-tied') }: AgentTreeOptions) {
    const { NODE_OPTIONS: nodeOptions, ...rest } = env;
    const bridge = isBridged ? [process.execPath, programPath('bridge.mjs')] : [];
    // The holder starts it in the same way: the bridge's own Node would read the agent's options.
    const own = isBridged
      ? { ...rest, ...(nodeOptions !== undefined && { SPOOL_AGENT_NODE_OPTIONS: nodeOptions }) }
      : env;
    this.child = spawn(tied, [String(process.pid), ...bridge, ...command], {
      cwd,
      env: { ...own, [COOKIE]: this.#cookie },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // a Ctrl-C in a terminal must reach this process, not the agent
    });
    this.child.stdin.on('error', () => {}); // EPIPE: the agent has ended, which `exit` reports
    this.exited = new Promise((resolve) => {
      this.child.once('error', () => resolve({ exitCode: 126, signal: null }));
      this.child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
  }

  /** Sends SIGTERM to all processes, and SIGKILL to those that remain. Resolves when all are gone. */
  end(graceMs = GRACE_MS): Promise<void> {
    return (this.#ending ??= this.#end(graceMs));
  }

  async #end(graceMs: number): Promise<void> {
    const asked = new Set<string>();
    const startedAt = performance.now();
    for (;;) {
      const members = await this.#members();
      if (members.length === 0) return;
      const sinceMs = performance.now() - startedAt;
      if (sinceMs > graceMs + GIVE_UP_MS) return;
      for (const member of members) {
        const key = `${member.pid} ${member.startTicks}`;
        if (sinceMs > graceMs) signalMember(member, ['SIGKILL']);
        else if (!asked.has(key)) signalMember(member, ['SIGTERM', 'SIGCONT']);
        asked.add(key);
      }
      await sleep(LOOK_MS);
    }
  }

  async #members(): Promise<readonly { readonly pid: number; readonly startTicks: string }[]> {
    const found = await this.#sweep.find(new Map([[this.#cookie, { leader: null, controlGroup: null }]]));
    return found.get(this.#cookie) ?? [];
  }
}
