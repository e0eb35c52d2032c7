/**
 * Tests the real OpenCode over HTTP, beside a scripted model: the cases that `tests/agent-matrix.test.ts` does not run with every
 * agent. The tests run if `node scripts/agents.mjs opencode` has downloaded the program.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { until } from '@spool/testkit';
import { AGAIN, AGENT_STEP_MS_MAX } from '@spool/testkit/agents';
import { AgentSession, MATRIX } from './support/agent-session.ts';
import { Turn } from './support/followed-agent.ts';

const OPENCODE = MATRIX.find(({ name }) => name === 'opencode')!;
const PROXY = fileURLToPath(new URL('../packages/testkit/programs/cutting-proxy.mjs', import.meta.url));

test(
  '[HTTP-2, EVT-1] the real OpenCode: driver and keeper are killed and its events are cut while a permission waits and while it speaks',
  AGAIN,
  async ({ skip }) => {
    await using run = await AgentSession.start({ ...OPENCODE, wrapper: [process.execPath, PROXY] }, skip);
    const reconnected = (): number =>
      new Turn(run.events).of('notice').filter(({ code }) => code === 'reconnected').length;
    const cut = (): void => {
      for (const pid of run.processesWith(`${PROXY} `).filter((pid) => isProxy(run, pid))) process.kill(pid, 'SIGUSR2');
    };
    expect((await run.turn('please greet')).texts).toEqual(['Heard 1 of them, at last PLEASE GREET.']);

    const running = await run.submit('please run touch made.txt');
    const ask = await run.asked();
    for (const pid of run.processesWith('spool-driver')) process.kill(pid, 'SIGKILL');
    process.kill((await run.client.status()).keeper.pid, 'SIGKILL');
    cut();
    expect(await run.other.approve(ask)).toMatchObject({ isOurs: true });
    const ran = await run.ended(running);
    expect(existsSync(`${run.project}/made.txt`)).toBe(true);
    expect(ran.of('permission.requested')).toHaveLength(1);
    expect(ran.of('permission.resolved')).toMatchObject([{ decision: 'allow' }]);
    expect(ran.of('tool.started')).toHaveLength(1);
    expect(ran.of('tool.ended')).toMatchObject([{ status: 'ok' }]);
    await until('it is connected again', () => reconnected() === 1, AGENT_STEP_MS_MAX);

    const listing = await run.submit('please list 60');
    await until('it speaks', () => run.turnOf(listing).of('message.delta').length > 0, AGENT_STEP_MS_MAX);
    cut();
    const listed = await run.ended(listing);
    const rows = Array.from({ length: 60 }, (_, row) => `Row ${row + 1} of 60.`).join('\n\n');
    expect(listed.texts).toEqual([rows]);
    expect(listed.of('turn.ended')).toMatchObject([{ outcome: 'completed' }]);
    if (!listed.of('message.done').some(({ replaced }) => replaced))
      expect(
        listed
          .of('message.delta')
          .map(({ text }) => text)
          .join(''),
      ).toBe(rows);

    expect((await run.turn('please greet')).texts).toEqual(['Heard 1 of them, at last PLEASE GREET.']);
    expect(run.unknown).toEqual([]);
    await run.stop();
  },
);

test(
  '[DRV-12, DRV-13] the real OpenCode: a prompt into the running turn, a slash command, a question, a mode and a model that it does not know',
  AGAIN,
  async ({ skip }) => {
    await using run = await AgentSession.start(OPENCODE, skip);
    const running = await run.submit('please run touch slow.txt');
    const ask = await run.asked();
    const { options } = ask;
    expect(options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    expect(options[1]).toMatchObject({ effect: ['touch *'] });
    await run.agent.prompt('please hurry', { when: 'now' });
    await run.other.approve(ask);
    expect((await run.ended(running)).texts.join('')).toContain('PLEASE HURRY');

    const always = await run.submit('please run touch more.txt');
    await run.other.approve(await run.asked(), { option: 'always' });
    await run.ended(always);
    const unasked = await run.turn('please run touch again.txt');
    expect(unasked.of('permission.requested')).toEqual([]);
    expect(existsSync(`${run.project}/again.txt`)).toBe(true);

    const slash = await run.turn('/init please greet');
    expect(slash.outcome).toBe('completed');
    expect(slash.texts.join('')).toContain('AGENTS.MD'); // the expansion of the command

    const questions = [{ question: 'Which colour?', header: 'Colour', options: [{ label: 'blue', description: 'b' }] }];
    const asking = await run.submit(`please call question ${JSON.stringify({ questions })}`);
    await until('it asks', () => new Turn(run.events).of('question.asked').length > 0, AGENT_STEP_MS_MAX);
    const [asked] = new Turn(run.events).of('question.asked');
    await run.other.answer(asked!, { '0': 'blue' });
    expect((await run.ended(asking)).texts.join('')).toContain('BLUE');

    await run.agent.command({ do: 'setMode', mode: 'nobody' });
    const lost = await run.turn('please greet');
    expect(lost.of('turn.ended')).toMatchObject([{ outcome: 'failed' }]);
    expect(JSON.stringify(lost.of('fault'))).toContain('nobody');
    await run.agent.command({ do: 'setMode', mode: 'build' });
    await run.agent.command({ do: 'setModel', model: 'no/where' });
    expect((await run.turn('please greet')).outcome).toBe('failed');
    await run.agent.command({ do: 'setModel', model: 'scripted/scripted' });
    expect((await run.turn('please greet')).texts).toEqual(['Heard 1 of them, at last PLEASE GREET.']);
    expect(run.unknown).toEqual([]);
    await run.stop();
  },
);

/** Returns whether a process is the proxy, not one that runs it. */
function isProxy(run: AgentSession, pid: number): boolean {
  return run.processesWith('scripted-model').includes(pid) === false && !run.processesWith('bridge.mjs').includes(pid);
}
