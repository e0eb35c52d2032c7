/**
 * Tests the real agents without viewers: their state is reported correctly, accepted prompts are detected, and a dialog is not
 * answered by accident. `agents.test.ts` describes the origin of the programs, and how they are isolated from the network.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Client } from '@spool/client';
import { program, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, type Agent, AGENT_STEP_MS_MAX, AGENTS, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';

const PTY = { cols: 100, rows: 30 };

const CLAUDE = AGENTS.find(({ name }) => name === 'claude')!;
const CODEX = AGENTS.find(({ name }) => name === 'codex')!;

async function start(client: Client, agent: Agent, home: AgentHome, extra: readonly string[] = []): Promise<string> {
  const { id } = await client.run({
    command: [program('offline'), ...commandOf(agent, extra)],
    cwd: home.project,
    env: { PATH: process.env.PATH!, ...home.env },
    size: PTY,
  });
  const ready = await client.waitUntil(id, ['idle', 'blocked', 'exit'], { timeoutMs: AGENT_STEP_MS_MAX });
  expect(ready.reason).toBe('idle');
  await until(
    'it takes a prompt',
    async () => (await client.screen(id)).content.includes(agent.ready),
    AGENT_STEP_MS_MAX,
  );
  return id;
}

function skipReason(agent: Agent): string | null {
  if (!isInstalled(agent)) return `it runs once \`node scripts/agents.mjs ${agent.name}\` has brought the program`;
  if (spawnSync(program('offline'), ['true']).status !== 0)
    return 'it runs where a program may be given a network of its own';
  return null;
}

for (const agent of AGENTS) {
  test(
    `[STATE-1] [IN-42] ${agent.name}, the real one: idle, a prompt that is taken, idle again`,
    AGAIN,
    async ({ skip }) => {
      const reason = skipReason(agent);
      skip(reason !== null, reason ?? '');
      using home = new AgentHome(agent);
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      const id = await start(client, agent, home);
      // It may have painted more since it was first idle.
      const idle = await client.waitUntil(id, ['idle', 'blocked', 'exit'], { timeoutMs: AGENT_STEP_MS_MAX });
      expect(idle).toMatchObject({ reason: 'idle', session: { status: { state: 'idle', agent: agent.name } } });
      for (const word of ['one', 'two']) {
        const prompted = await client.prompt(id, `please say ${word}`, { confirmMs: AGENT_STEP_MS_MAX });
        expect(prompted).toMatchObject({ isConfirmed: true });
        const end = await client.waitUntil(id, ['idle', 'blocked', 'exit'], {
          after: prompted.offset,
          timeoutMs: AGENT_STEP_MS_MAX,
        });
        expect(end.reason).toBe('idle');
        expect((await client.screen(id)).content).toContain(`PLEASE SAY ${word.toUpperCase()}.`);
        await client.waitUntil(id, ['idle', 'blocked', 'exit'], { timeoutMs: AGENT_STEP_MS_MAX });
      }
      const { history } = await client.explain(id);
      const states = history.flatMap((item) => (item.type === 'status' ? [item.state] : []));
      expect(states.filter((state, at) => state !== states[at - 1]).slice(-3)).toEqual(['idle', 'working', 'idle']);
      await client.kill(id);
    },
  );
}

test(
  '[STATE-1] [IN-41] claude, the real one: a permission dialog is blocked, takes no prompt, and its answer goes on',
  AGAIN,
  async ({ skip }) => {
    const reason = skipReason(CLAUDE);
    skip(reason !== null, reason ?? '');
    using home = new AgentHome(CLAUDE);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const agent = { ...CLAUDE, ready: 'manual mode on' };
    const id = await start(client, agent, home, ['--permission-mode', 'manual']);
    const { offset } = await client.prompt(id, 'please run touch made-by-the-agent', { confirmMs: AGENT_STEP_MS_MAX });
    const blocked = await client.waitUntil(id, ['blocked', 'exit'], { after: offset, timeoutMs: AGENT_STEP_MS_MAX });
    expect(blocked).toMatchObject({ reason: 'blocked', session: { status: { kind: 'permission', agent: 'claude' } } });
    await expect(client.prompt(id, 'please say no')).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
    expect(existsSync(`${home.project}/made-by-the-agent`)).toBe(false);
    // It reports first, and draws the dialog when no key was typed for a while.
    const dialog = async (): Promise<boolean> => (await client.screen(id)).content.includes('Do you want to proceed?');
    await until('the dialog is there', dialog);
    expect((await client.get(id)).status).toMatchObject({ state: 'blocked', kind: 'permission' });
    // It ignores keys that come too soon for a user: they are pressed again until it continues.
    await until(
      'the answer is taken',
      async () => {
        await client.keys(id, ['1']);
        const end = await client.waitUntil(id, ['idle', 'exit'], { after: blocked.offset, timeoutMs: 1000 });
        return end.reason === 'idle';
      },
      AGENT_STEP_MS_MAX,
    );
    expect(existsSync(`${home.project}/made-by-the-agent`)).toBe(true);
    await client.kill(id);
  },
);

test(
  '[STATE-1] [STATE-8] codex, the real one: its question is shown with the command, and ends with the answer',
  AGAIN,
  async ({ skip }) => {
    const reason = skipReason(CODEX);
    skip(reason !== null, reason ?? '');
    using home = new AgentHome(CODEX);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const id = await start(client, CODEX, home, ['-a', 'on-request', '-s', 'read-only']);
    for (const file of ['first-file', 'second-file']) {
      const { offset } = await client.prompt(id, `please run touch ${file}`, { confirmMs: AGENT_STEP_MS_MAX });
      // Its notification comes before the dialog is drawn: the test waits for the words.
      const blocked = await client.waitUntil(id, ['blocked', 'exit'], { after: offset, timeoutMs: AGENT_STEP_MS_MAX });
      const { question } = blocked.session!.status;
      expect(question).toMatchObject({
        text: 'Would you like to run the following command?',
        subject: `touch ${file}`,
      });
      const yes = question!.options.find(({ label }) => label.startsWith('Yes'))!;
      const answered = await client.answer(id, { question: question!, option: yes.label });
      expect(answered.isConfirmed).toBe(true);
      // The dialog is gone from the screen, and with it all reports about it.
      expect((await client.get(id)).status.state).not.toBe('blocked');
      const end = await client.waitUntil(id, ['idle', 'blocked', 'exit'], {
        after: blocked.offset,
        timeoutMs: AGENT_STEP_MS_MAX,
      });
      expect(end.reason).toBe('idle');
      expect(existsSync(`${home.project}/${file}`)).toBe(true);
    }
    await client.kill(id);
  },
);
