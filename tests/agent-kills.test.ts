/**
 * Tests the real agents without a terminal, with all processes around them killed and at last the agents themselves
 * (`bodies/agent-kills.ts`). Each test runs if `node scripts/agents.mjs NAME` has downloaded the program.
 */
import { spawnSync } from 'node:child_process';
import { inNamespace, NAMESPACES_MISSING, program } from '@spool/testkit';
import { expect, test } from 'vitest';
import type { KillReport } from './bodies/agent-kills.ts';
import { MATRIX } from './support/agent-session.ts';
import { AGAIN, AGENTS, isInstalled } from '@spool/testkit/agents';

const BODY = new URL('bodies/agent-kills.ts', import.meta.url);
/** The time for two runs and two resumed ones, on a machine with other work. */
const RUN_MS = 240_000;

test.for(MATRIX)(
  '[EVT-1, EVT-9] $name, the real one: driver, keeper and holder are killed in a stream and while a permission waits, then the agent',
  { ...AGAIN, timeout: RUN_MS + 10_000 },
  async ({ name, resumesNextMinute }, { skip }) => {
    const real = AGENTS.find((each) => each.name === name)!;
    skip(!isInstalled(real), `it runs once \`node scripts/agents.mjs ${name}\` has brought the program`);
    skip(NAMESPACES_MISSING !== null, NAMESPACES_MISSING ?? '');
    skip(spawnSync(program('offline'), ['true']).status !== 0, 'it needs a network of its own');
    const killed = await inNamespace<KillReport>(BODY, { name }, { withinMs: RUN_MS });
    expect(killed.disturbed).toEqual(killed.undisturbed);
    expect(killed.outOfOrder).toEqual([]);
    expect(killed.unknown).toEqual([]);
    expect(killed.deaths).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(/in its turn 3; it can be resumed$/), balance: '0 0 0' },
      { outcome: 'failed', message: expect.stringMatching(/in its turn 2; it can be resumed$/), balance: '0 0 0' },
    ]);
    expect(killed.refused).toBe('AGENT_ENDED');
    expect(killed.ranAfterDeath).toBe(false);
    // The model got the whole conversation again, from its first prompt on.
    const recalled = 'At first PLEASE COUNT 60.';
    expect(killed.recalled).toEqual(resumesNextMinute ? [recalled] : [recalled, recalled]);
  },
);
