/**
 * Starts a real agent and prompts it at once, many times: a confirmed prompt arrives exactly once, an unconfirmed one at most
 * once, and a refused one never. `agents.test.ts` describes the origin of the programs.
 *
 * `SPOOL_PROMPTS=20` runs each of them twenty times, and again beside eight busy processes; `SPOOL_PROMPTS_LOG` gets a line for each.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { program, TestDaemon } from '@spool/testkit';
import { type Agent, AGENTS, isInstalled } from '@spool/testkit/agents';
import { expect, test } from 'vitest';
import { BusyNeighbours, promptAtOnce } from './support/prompt-at-once.ts';

const TIMES = Number(process.env.SPOOL_PROMPTS ?? 2);
const IS_CAMPAIGN = process.env.SPOOL_PROMPTS !== undefined;
const BUSY = 8;
const RUN_MS_MAX = 180_000;
const WORDS = { times: 0 };

async function promptRepeatedly(agent: Agent, busy: number): Promise<void> {
  using _neighbours = new BusyNeighbours(busy);
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let time = 0; time < TIMES; time++) {
    const result = await promptAtOnce(client, agent, `kumquat${++WORDS.times}x`);
    const line = JSON.stringify({ agent: agent.name, busy, ...result });
    if (process.env.SPOOL_PROMPTS_LOG) appendFileSync(process.env.SPOOL_PROMPTS_LOG, `${line}\n`);
    if (result.outcome === 'confirmed') expect(result.arrivals, line).toBe(1);
    else if (result.outcome === 'unconfirmed') expect(result.arrivals, line).toBeLessThanOrEqual(1);
    else expect(result.arrivals, line).toBe(0);
  }
}

for (const agent of AGENTS) {
  for (const busy of IS_CAMPAIGN ? [0, BUSY] : [0]) {
    const beside = busy === 0 ? '' : `, beside ${busy} busy processes`;
    test(
      `[IN-21, IN-48] ${agent.name}, the real one: started and prompted at once${beside}`,
      { timeout: TIMES * RUN_MS_MAX },
      async ({ skip }) => {
        skip(!isInstalled(agent), `it runs once \`node scripts/agents.mjs ${agent.name}\` has brought the program`);
        const isOffline = spawnSync(program('offline'), ['true']).status === 0;
        skip(!isOffline, 'it runs where a program may be given a network of its own');
        await promptRepeatedly(agent, busy);
      },
    );
  }
}
