/** Starts a real agent, prompts it at once, and counts at the scripted model how often the prompt arrived. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { program, until } from '@spool/testkit';
import { type Agent, AgentHome } from '@spool/testkit/agents';

export interface PromptResult {
  readonly outcome: 'confirmed' | 'unconfirmed' | 'refused';
  /** The reaction, the reason or the code of the error. */
  readonly why: string;
  /** The number of times that the conversation contains it, at the model. */
  readonly arrivals: number;
  readonly ms: number;
}

const PTY = { cols: 100, rows: 30 };
const ARRIVAL_MS_MAX = 60_000;
/** The time in which an unconfirmed prompt may still arrive; a second arrival is a failure at any time. */
const LATE_MS = 4000;

export async function promptAtOnce(client: Client, agent: Agent, word: string): Promise<PromptResult> {
  using home = new AgentHome(agent);
  const { id } = await client.run({
    command: [home.launcher(agent, program('offline'))],
    cwd: home.project,
    env: { PATH: process.env.PATH!, TERM: 'xterm-256color', ...home.env, SCRIPTED_FACTS: home.facts },
    size: PTY,
  });
  const begunAt = performance.now();
  try {
    const result = await outcomeOf(client, id, `please say ${word}`);
    const ms = Math.round(performance.now() - begunAt);
    const arrivals = (): number => arrivalsIn(home.facts, word);
    if (result.outcome === 'confirmed') {
      await until('the prompt arrives', () => arrivals() > 0, ARRIVAL_MS_MAX).catch(() => {}); // counted below
      await client.waitUntil(id, ['idle', 'exit'], { timeoutMs: LATE_MS });
    } else await sleep(LATE_MS);
    return { ...result, arrivals: arrivals(), ms };
  } finally {
    await client.kill(id);
    await client.wait(id);
  }
}

async function outcomeOf(client: Client, id: string, text: string): Promise<Pick<PromptResult, 'outcome' | 'why'>> {
  try {
    const { isConfirmed, reaction, reason } = await client.prompt(id, text);
    return isConfirmed
      ? { outcome: 'confirmed', why: String(reaction) }
      : { outcome: 'unconfirmed', why: reason ?? '' };
  } catch (error) {
    if (!SpoolError.is(error)) throw error;
    return { outcome: 'refused', why: error.code };
  }
}

/** Returns the largest number of prompts with this word in one conversation. */
function arrivalsIn(facts: string, word: string): number {
  if (!existsSync(facts)) return 0;
  const lines = readFileSync(facts, 'utf8').split('\n').filter(Boolean);
  const counts = lines.map((line) => {
    const { said = [] } = JSON.parse(line) as { said?: readonly string[] };
    return said.join('\n').split(word).length - 1;
  });
  return Math.max(0, ...counts);
}

/** Processes that only keep the processors busy, until they are disposed. */
export class BusyNeighbours implements Disposable {
  readonly #children;

  constructor(count: number) {
    this.#children = Array.from({ length: count }, () =>
      spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
    );
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
