/**
 * Tests the side channel of Codex in its own terminal: the real program, beside a scripted model, in a separate network. The tests
 * run if `node scripts/agents.mjs codex` has downloaded it. `SPOOL_RACES` raises the number of requests that both sides answer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@spool/testkit';
import { AGAIN, AGENTS } from '@spool/testkit/agents';
import { expect, test } from 'vitest';
import { missing, OfflineDaemon, STEP_MS_MAX, TerminalAgent } from './support/terminal-agent.ts';

const CODEX = AGENTS.find(({ name }) => name === 'codex')!;
const WORDS = ['--disable', 'plugins', '--disable', 'apps'];
const DIALOG = 'Yes, proceed';
const RACES = Number(process.env.SPOOL_RACES ?? 10);

/** A key is faster than a client: with these delays each is sometimes the first. */
const KEY_AFTER_MS = [0, 10, 20, 40];

/** An item of Codex's own record, in the shape that events are compared in. */
type RecordedItem = readonly [id: string, ...unknown[]];

interface RolloutPayload {
  readonly type?: string;
  readonly call_id?: string;
  readonly item?: Record<string, unknown>;
}

test(
  '[CHAN-1, CHAN-3, CHAN-4, CHAN-5, CHAN-6, CHAN-9] Codex, the real one, in its terminal: answered by a client, by a key, after kills, and by both',
  AGAIN,
  async ({ skip }) => {
    const reason = missing(CODEX);
    skip(reason !== null, reason ?? '');
    await using daemon = new OfflineDaemon();
    const client = await daemon.start();
    using codex = new TerminalAgent({ agent: CODEX, client, words: WORDS, dialog: DIALOG });
    const before = codex.home.files();
    await codex.start();
    const { id, home } = codex;
    expect((await client.explain(id)).sideChannel).toMatchObject({ hasEvents: true, why: null });

    await codex.prompt(
      'please run touch by-client >> touch by-key >> touch refused >> touch after-driver >> touch after-keeper',
    );
    const first = await codex.asked();
    const { typed } = await client.get(id);
    const inspected = await daemon.json<{ requests: unknown[] }>('inspect', id);
    expect(inspected.requests).toMatchObject([
      { request: first, input: { command: "/bin/bash -lc 'touch by-client'" } },
    ]);
    expect(await daemon.spool(['approve', id, '--request', first])).toMatchObject({ code: 0 });

    await codex.asked('by-key');
    expect((await client.get(id)).typed).toEqual(typed); // no key was pressed
    await client.write(id, 'y');

    const third = await codex.asked('refused');
    expect(await daemon.spool(['deny', id, '--request', third, '--message', 'not now'])).toMatchObject({ code: 0 });

    const fourth = await codex.asked('after-driver');
    await codex.killDriver();
    expect(await daemon.spool(['approve', id, '--request', fourth])).toMatchObject({ code: 0 });

    const fifth = await codex.asked('after-keeper');
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('the next keeper knows the request', async () => (await codex.request()) === fifth, STEP_MS_MAX);
    expect(await daemon.spool(['approve', id, '--request', fifth])).toMatchObject({ code: 0 });
    await codex.rests(1);
    expect(['by-client', 'by-key', 'refused', 'after-driver', 'after-keeper'].map((name) => codex.made(name))).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(await codex.decisions()).toEqual([
      ['allow', 'watcher'],
      ['allow', 'terminal'],
      ['deny', 'watcher'],
      ['allow', 'watcher'],
      ['allow', 'watcher'],
    ]);

    // Both sides answer at once: one answer counts, and the author of the other one learns it.
    await codex.prompt(`please run ${Array.from({ length: RACES }, (_, at) => `touch race${at}`).join(' >> ')}`);
    const agent = await client.openAgent(id);
    for (let at = 0; at < RACES; at++) {
      await codex.asked(`race${at}`);
      const [open] = await agent.requests();
      const isDenied = at % 3 === 2;
      const [decided] = await Promise.all([
        isDenied ? agent.deny(open!) : agent.approve(open!),
        sleep(KEY_AFTER_MS[at % KEY_AFTER_MS.length]).then(() => client.write(id, 'y')),
      ]);
      const { decision, by } = decided.outcome as { decision: string; by: string };
      expect([decided.isOurs, decision]).toEqual([by === 'watcher', by === 'watcher' && isDenied ? 'deny' : 'allow']);
      await until('the record shows it', async () => {
        const [ended] = (await codex.of('tool.ended')).filter(({ tool }) => tool === open!.tool);
        return ended !== undefined && (ended.status === 'denied') === (decision === 'deny');
      });
      expect(codex.made(`race${at}`)).toBe(decision === 'allow');
    }
    await codex.rests(2);
    expect(await codex.of('permission.resolved')).toHaveLength(5 + RACES);

    await client.write(id, '\u{15}'); // keys that came too late are in the prompt
    await codex.prompt('please wait');
    await until('it says something', async () =>
      (await codex.of('message.delta')).some(({ text }) => text.includes('tick 1')),
    );
    await agent.interrupt();
    await codex.rests(3);
    expect((await codex.of('turn.ended')).at(-1)).toMatchObject({ outcome: 'interrupted' });

    const events = await codex.events();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    const record = rollout(`${home.env['HOME']}/.codex/sessions`);
    expect(record.texts).toHaveLength(2);
    expect((await codex.of('message.done')).map(({ message, text }) => [message, text]).slice(0, 2)).toEqual(
      record.texts,
    );
    const inputs = new Map(
      (await codex.of('tool.started')).map(({ tool, input }) => [tool, input as { command: string }]),
    );
    const ended = await codex.of('tool.ended');
    const ran = ended.filter(({ status }) => status === 'ok');
    const tools = ran.map(({ tool, output }) => [
      tool,
      inputs.get(tool)!.command.replace(/^\S+ -lc '(.*)'$/, '$1'),
      (output ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(''),
    ]);
    expect(tools).toEqual(record.tools);
    const refused = ended.filter(({ status }) => status === 'denied').map(({ tool }) => tool);
    expect([...ran.map(({ tool }) => tool), ...refused].toSorted()).toEqual(record.calls.toSorted());
    expect(
      codex.home.files().filter((file) => !before.includes(file) && !/^\/(?:\.codex|tmp|project)\//.test(file)),
    ).toEqual([]);

    process.kill(codex.process('app-server'), 'SIGKILL');
    await until('the events say so', async () =>
      (await codex.of('fault')).some(({ error }) => error.code === 'server-gone'),
    );
    expect(await client.get(id)).toMatchObject({ state: 'running' });
  },
);

interface Rollout {
  readonly texts: readonly RecordedItem[];
  /** The commands that ran. */
  readonly tools: readonly RecordedItem[];
  /** The ids of all calls, also of those that were refused. */
  readonly calls: readonly string[];
}

/** Returns what the only rollout file of Codex has: the texts of the agent, and the commands. */
function rollout(sessions: string): Rollout {
  const [file] = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const lines = readFileSync(`${sessions}/${file}`, 'utf8').trim().split('\n');
  const payloads = lines.map((line) => (JSON.parse(line) as { payload: RolloutPayload }).payload);
  const calls = payloads.flatMap(({ type, call_id: call }) => (type === 'function_call' ? [call!] : []));
  const items = payloads.flatMap(({ type, item }) => (type === 'item_completed' && item ? [item] : []));
  const texts = items
    .filter(({ type }) => type === 'AgentMessage')
    .map(({ id, content }): RecordedItem => [
      String(id),
      (content as { text: string }[]).map(({ text }) => text).join(''),
    ]);
  const tools = items
    .filter(({ type }) => type === 'CommandExecution')
    .map(({ id, command, aggregated_output: output }): RecordedItem => [
      String(id),
      (command as string[]).at(-1),
      output ?? '',
    ]);
  return { texts, tools, calls };
}
