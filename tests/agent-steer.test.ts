/**
 * Tests every real agent without a terminal, beside a scripted model: a prompt that is sent into the running turn, the used part
 * of a quota, a command of the agent itself, and limits. Each test runs if `node scripts/agents.mjs NAME` has downloaded the
 * program.
 */
import { expect, test } from 'vitest';
import { AgentSession, MATRIX } from './support/agent-session.ts';
import { AGAIN } from '@spool/testkit/agents';

const RESETS_AT = Date.UTC(2100, 0, 1);
/** The agents on pipes; tests of OpenCode's bridge are in `opencode.test.ts`. */
const ON_PIPES = MATRIX.filter(({ isBridged = false }) => !isBridged);
const [claude] = ON_PIPES;

test.for(ON_PIPES)(
  '[DRV-16] $name, the real one: a prompt that waits is sent into the running turn, or refused with a sentence; quota is told',
  AGAIN,
  async (agent, { skip }) => {
    await using run = await AgentSession.start(agent, skip);
    const running = await run.submit(`please run ${agent.shell('steered')}`);
    const ask = await run.asked();
    const waiting = await run.submit('and mind the gap');
    const { code, stderr } = await run.daemon.spool(['queue', run.agent.id, '--send-now', waiting]);
    if (agent.steers) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'No prompts wait.\n' });
      await run.other.approve(ask);
      // The model gets it with the result of the tool.
      expect((await run.ended(running)).texts.join('')).toContain('AND MIND THE GAP');
    } else {
      expect(code).toBe(2);
      expect(stderr).toContain('this agent takes no prompt in a running turn');
      expect((await run.daemon.spool(['queue', run.agent.id])).stdout).toContain('and mind the gap');
      await run.other.approve(ask);
      expect((await run.ended(running)).texts.join('')).not.toContain('AND MIND THE GAP');
      await run.ended(waiting);
    }
    if (agent.name === 'codex') {
      const measured = await run.turn('please measure');
      const quota = { name: 'primary', usedPercent: 91, resetsAt: RESETS_AT };
      expect(measured.of('quota')).toContainEqual(expect.objectContaining(quota));
    }
    if (agent.name === 'claude') {
      const { id } = await run.agent.command({ do: 'slash', name: 'context', clientId: 'slash' });
      expect(id).not.toBe('');
      const context = await run.ended('slash');
      expect(context.outcome).toBe('completed');
      expect(context.texts.join('')).toMatch(/tokens/i);
    }
    await run.stop();
  },
);

test.for([
  [{ maxTurns: 1 }, 'turns'],
  [{ budgetUsd: 0.000_001 }, 'budget'],
] as const)(
  '[DRV-14] claude, the real one: %j ends the turn, and only a prompt goes on',
  AGAIN,
  async ([limits, reason], { skip }) => {
    await using run = await AgentSession.start(claude!, skip, undefined, limits);
    const prompt = await run.submit(`please run ${claude!.shell('limited')}`);
    const ended = await run.ended(prompt, { approving: true });
    expect(ended.of('turn.ended')).toMatchObject([{ outcome: 'limit' }]);
    expect(JSON.stringify(ended.of('turn.ended'))).toContain(reason);
    expect(run.events.filter(({ kind }) => kind === 'turn.started')).toHaveLength(1);
    await run.stop();
  },
);
