/**
 * The real Claude without a terminal, beside a scripted model: a command that is approved from another client, after the driver
 * and the keeper were killed while it waited. It runs where `node scripts/agents.mjs claude` has brought the program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { program, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, AGENTS, AgentHome, commandOf, isInstalled } from './support/agents.ts';

const claude = AGENTS.find(({ name }) => name === 'claude')!;

test(
  '[EVT-1, EVT-5, EVT-6] claude, the real one: a permission survives the keeper, is approved once, and the command runs',
  AGAIN,
  async ({ skip }) => {
    skip(!isInstalled(claude), 'it runs once `node scripts/agents.mjs claude` has brought the program');
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    using home = new AgentHome(claude);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const agent = await client.agent('claude', {
      prompt: 'please run touch made.txt',
      mode: 'manual',
      program: [offline, ...commandOf(claude)],
      cwd: home.project,
      env: { PATH: process.env.PATH!, ...home.env },
    });
    const { session } = await client.waitUntil(agent.id, 'blocked');
    expect(session.status.question).toMatchObject({ subject: 'touch made.txt' });
    expect(existsSync(`${home.project}/made.txt`)).toBe(false);
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('it is blocked again', async () => (await client.get(agent.id)).status.state === 'blocked');
    expect(await daemon.spool(['approve', agent.id])).toMatchObject({ code: 0 });
    await until('the command has run', () => existsSync(`${home.project}/made.txt`), 60_000);
    await client.waitUntil(agent.id, 'idle');
    const kinds: string[] = [];
    for await (const item of client.watchEvents(agent.id)) {
      if (item.type === 'synced') break;
      if (item.type === 'event') kinds.push(item.event.kind);
    }
    const count = (kind: string): number => kinds.filter((each) => each === kind).length;
    for (const kind of ['permission.requested', 'permission.resolved', 'turn.started', 'turn.ended', 'tool.ended'])
      expect([kind, count(kind)]).toEqual([kind, 1]);
    expect(count('raw')).toBe(0);
  },
);
