/**
 * Tests the side channel of Gemini in its own terminal: the real program, beside a scripted model, in a separate network. The test runs
 * if `node scripts/agents.mjs gemini` has downloaded the program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentEvent } from '@spool/protocol/agent';
import { program, seen, TestDaemon, until } from '@spool/testkit';
import { AGAIN, AGENTS, AgentHome, isInstalled } from '@spool/testkit/agents';
import { expect, test } from 'vitest';

const GEMINI = AGENTS.find(({ name }) => name === 'gemini')!;

test(
  '[CHAN-30, CHAN-31] Gemini, the real one, in its terminal: its chat as events, also after the death of its driver',
  AGAIN,
  async ({ skip }) => {
    skip(!isInstalled(GEMINI), 'it runs once `node scripts/agents.mjs gemini` has brought the program');
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    using home = new AgentHome(GEMINI);
    const env = { PATH: process.env.PATH!, ...home.env };
    const command = [home.launcher(GEMINI, offline, '"$@"')];
    // A launcher is in no package, so it is asked for its version, which takes seconds on a busy machine.
    writeFileSync(
      `${dirname(command[0]!)}/package.json`,
      readFileSync(`${dirname(dirname(GEMINI.program))}/package.json`, 'utf8'),
    );
    const { id } = await client.run({ command, cwd: home.project, env, size: { cols: 100, rows: 30 } });
    const text = async (): Promise<string> => (await client.screen(id, { format: 'text' })).content;
    const events = async (): Promise<AgentEvent[]> => {
      const { stdout } = await daemon.spool(['events', id, '--agent', '--json']);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AgentEvent);
    };
    const rests = (turns: number): Promise<void> =>
      until(`${turns} turns have ended`, async () => {
        return (await events()).filter(({ kind }) => kind === 'turn.ended').length === turns;
      });

    await seen(client, id, GEMINI.ready);
    expect(await client.prompt(id, 'please think')).toMatchObject({ isConfirmed: true });
    await rests(1);
    const { driver } = await client.get(id);
    expect(driver).toMatchObject({ name: 'gemini' });

    expect(await client.prompt(id, 'please run touch by-key')).toMatchObject({ isConfirmed: true });
    await until('it asks', async () => (await client.get(id)).status.state === 'blocked');
    const { keeper } = await client.status();
    process.kill(keeper.pid, 'SIGKILL');
    await until('the next keeper serves', async () => {
      const status = await client.status().catch(() => null);
      return status !== null && status.keeper.pid !== keeper.pid;
    });
    await until('the key is taken', async () => {
      await client.write(id, '\r');
      return !(await text()).includes('Allow execution');
    });
    await rests(2);
    expect(existsSync(`${home.project}/by-key`)).toBe(true);

    const all = await events();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at));
    const said = all.flatMap((event) => (event.kind === 'message.done' ? [event.text] : []));
    expect(said).toEqual(chatTexts(home.env['HOME']!));
    expect(all.filter(({ kind }) => kind === 'thinking.done').length).toBeGreaterThan(0);
    expect(all.find(({ kind }) => kind === 'tool.started')).toMatchObject({ input: { command: 'touch by-key' } });
    expect(all.filter(({ kind }) => kind === 'tool.ended')).toMatchObject([{ status: 'ok' }]);
    expect(readFileSync(`${home.env['HOME']}/.gemini/settings.json`, 'utf8')).toBe(
      GEMINI.settings(home.project)['.gemini/settings.json'],
    );
  },
);

/** Returns the texts of Gemini in its only chat: each message once, by its id. */
function chatTexts(home: string): string[] {
  const [file] = globSync(`${home}/.gemini/tmp/*/chats/*.jsonl`);
  const texts = new Map<string, string>();
  for (const line of readFileSync(file!, 'utf8').trim().split('\n')) {
    const { id, type, content } = JSON.parse(line) as { id?: string; type?: string; content?: string };
    if (type === 'gemini' && content) texts.set(id!, content);
  }
  return [...texts.values()];
}
