/**
 * The agent and everything that it starts. It dies with this process (`spool-tied`), and when it has ended, whatever it has left
 * is ended too: processes are found by the cookie in their environment (`core/session/process-owners.ts`). Keeps PIPE-3.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COOKIE, ProcessSweep, signalMember } from '@spool/core/processes';

const GRACE_MS = 5000;
const LOOK_MS = 50;
/** What survives SIGKILL this long is stuck in the kernel. */
const GIVE_UP_MS = 5000;

export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentTreeOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** It serves HTTP: a bridge carries it on pipes. */
  readonly isBridged: boolean;
}

export class AgentTree {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exited: Promise<AgentExit>;
  readonly #cookie = `driver-${randomBytes(8).toString('hex')}`;
  readonly #sweep = new ProcessSweep();
  #ending: Promise<void> | null = null;

  constructor({ command, cwd, env, isBridged }: AgentTreeOptions) {
    const { NODE_OPTIONS: nodeOptions, ...rest } = env;
    const bridge = isBridged ? [process.execPath, sibling('bridge.mjs')] : [];
    // As the holder starts it: the bridge's own Node would read the agent's options.
    const own = isBridged
      ? { ...rest, ...(nodeOptions !== undefined && { SPOOL_AGENT_NODE_OPTIONS: nodeOptions }) }
      : env;
    this.child = spawn(sibling('spool-tied'), [String(process.pid), ...bridge, ...command], {
      cwd,
      env: { ...own, [COOKIE]: this.#cookie },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // Ctrl-C in a terminal is for us
    });
    this.child.stdin.on('error', () => {}); // EPIPE: it has ended, which `exit` tells
    this.exited = new Promise((resolve) => {
      this.child.once('error', () => resolve({ exitCode: 126, signal: null }));
      this.child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
  }

  /** SIGTERM to all of them, and SIGKILL to those that are left. Resolves when none is. */
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

/** The programs are side by side in `dist/`. */
function sibling(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
