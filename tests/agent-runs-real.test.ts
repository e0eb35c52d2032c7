/**
 * Tests the real agents without a terminal, beside a scripted model: a prompt that is answered with text, and a command that is
 * approved from another client, after the driver and the keeper were killed while it waited. Each test runs if `node
 * scripts/agents.mjs NAME` has downloaded the program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Client } from '@spool/client';
import { program, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, AGENTS, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';

/** A command that does not contain its own output. */
const COMMAND = "printf '%s-%s' out put && touch made.txt";
const RUN_MS = 60_000;

interface Case {
  readonly name: string;
  /** The agent's own mode in which it asks. */
  readonly mode?: string;
  readonly command?: string;
}

const CASES: readonly Case[] = [
  { name: 'claude', mode: 'manual' },
  { name: 'codex' },
  { name: 'gemini' },
  // It runs the other command without asking.
  { name: 'grok', command: `for once in 1; do ${COMMAND}; done` },
];

test.for(CASES)(
  '[EVT-1, EVT-5, EVT-6] $name, the real one: it answers, its permission survives the keeper, and the approved command runs once',
  AGAIN,
  async ({ name, mode, command = COMMAND }, { skip }) => {
    const real = AGENTS.find((each) => each.name === name)!;
    skip(!isInstalled(real), `it runs once \`node scripts/agents.mjs ${name}\` has brought the program`);
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    using home = new AgentHome(real);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const agent = await client.agent(name, {
      prompt: 'please greet',
      mode,
      program: [offline, ...commandOf(real)],
      cwd: home.project,
      env: { PATH: process.env.PATH!, ...home.env },
    });
    const endOf = (turns: number) => async (): Promise<boolean> =>
      (await eventsOf(client, agent.id)).filter(({ kind }) => kind === 'turn.ended').length === turns;
    await until('the first turn has ended', endOf(1), RUN_MS);
    const greeting = (await eventsOf(client, agent.id)).find((event) => event.kind === 'message.done');
    expect(greeting).toMatchObject({ text: 'Heard 1 of them, at last PLEASE GREET.' });

    await agent.prompt(`please run ${command}`);
    const { session } = await client.waitUntil(agent.id, 'blocked', { timeoutMs: RUN_MS });
    expect(session.status.question?.subject).toContain('touch made.txt');
    expect(existsSync(`${home.project}/made.txt`)).toBe(false);
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('it is blocked again', async () => (await client.get(agent.id)).status.state === 'blocked', RUN_MS);
    const [ask] = await agent.requests();
    expect(await daemon.spool(['approve', agent.id, '--request', ask!.request])).toMatchObject({ code: 0 });
    await until('the command has run', () => existsSync(`${home.project}/made.txt`), RUN_MS);
    await until('the second turn has ended', endOf(2), RUN_MS);
    expect(await client.waitUntil(agent.id, 'idle', { timeoutMs: RUN_MS })).toMatchObject({ reason: 'idle' });

    const events = await eventsOf(client, agent.id);
    const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
    for (const kind of ['permission.requested', 'permission.resolved', 'tool.started', 'tool.ended'])
      expect([kind, count(kind)]).toEqual([kind, 1]);
    expect(count('turn.started')).toBe(2);
    expect(events.filter((event) => event.kind === 'turn.ended')).toMatchObject([
      { outcome: 'completed' },
      { outcome: 'completed' },
    ]);
    expect(events.find((event) => event.kind === 'tool.ended')).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(events.find((event) => event.kind === 'tool.ended'))).toContain('out-put');
    expect(events.filter((event) => event.kind === 'raw')).toEqual([]);
  },
);

async function eventsOf(client: Client, session: string) {
  const events = [];
  for await (const item of client.watchEvents(session)) {
    if (item.type === 'synced' || item.type === 'exit') break;
    if (item.type === 'event') events.push(item.event);
  }
  return events;
}
