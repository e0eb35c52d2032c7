/** Tests the side channel of an agent in its own terminal with a program that works as Claude does (`scripted-claude.mjs`). */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import type { AgentEvent } from '@spool/protocol/agent';
import { seen, statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const CLAUDE = fileURLToPath(new URL('../packages/testkit/programs/scripted-claude.mjs', import.meta.url));
/** A key is faster than a client: with these delays each is sometimes the first. */
const KEY_AFTER_MS = [0, 5, 20, 60];
const RACES = Number(process.env.SPOOL_RACES ?? 8);
const SIZE = { cols: 80, rows: 24 };

/** Claude in a terminal, and every byte that it gets from there. */
class ScriptedClaude {
  readonly #daemon: TestDaemon;
  client: Client;
  id = '';
  /** The whole text that the test has typed. */
  typed = '';

  constructor(daemon: TestDaemon, client: Client) {
    this.#daemon = daemon;
    this.client = client;
  }

  async start(): Promise<void> {
    const { home, env } = this.#daemon;
    const program = `${home}/claude`;
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${CLAUDE} "$@"\n`);
    chmodSync(program, 0o755);
    const own = { PATH: `${home}:${env['PATH']}`, HOME: home, SCRIPTED_KEYS: this.#keys };
    ({ id: this.id } = await this.client.run({ command: [program], size: SIZE, env: own }));
    await seen(this.client, this.id, 'ready');
  }

  get #keys(): string {
    return `${this.#daemon.home}/keys`;
  }

  /** Returns the bytes that the program got. */
  get keys(): string {
    return existsSync(this.#keys) ? readFileSync(this.#keys, 'utf8') : '';
  }

  async type(text: string): Promise<void> {
    this.typed += text;
    await this.client.write(this.id, text);
  }

  /** Lets it ask for a permission, and resolves once the request and its dialog are there. */
  async asks(words: string): Promise<void> {
    await this.type(`ask ${words}\n`);
    const agent = await this.client.openAgent(this.id);
    await until(`it asks for ${words}`, async () =>
      (await agent.requests()).some((open) => JSON.stringify(open).includes(words)),
    );
    await seen(this.client, this.id, `Do you want to run echo ${words}?`);
  }

  async events(client = this.client): Promise<AgentEvent[]> {
    const found: AgentEvent[] = [];
    await using events = client.watchEvents(this.id);
    for await (const item of events) {
      if (item.type === 'synced') break; // all so far were read
      if (item.type === 'event') found.push(item.event);
    }
    return found;
  }

  async of<K extends AgentEvent['kind']>(kind: K): Promise<Extract<AgentEvent, { kind: K }>[]> {
    return (await this.events()).filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }

  async decisions(): Promise<[decision: string, by: string][]> {
    return (await this.of('permission.resolved')).map(({ decision, by }) => [decision, by]);
  }

  async rests(turns: number): Promise<void> {
    await until(`${turns} turns have ended`, async () => (await this.of('turn.ended')).length === turns, 60_000);
  }
}

test('[CHAN-44, CHAN-45] while clients and keys answer at once the program gets exactly the keys that were typed, and a late viewer gets the events of the first', async () => {
  await using daemon = new TestDaemon();
  const claude = new ScriptedClaude(daemon, await daemon.client());
  await claude.start();
  const { client, id } = claude;
  const live: AgentEvent[] = [];
  await using events = client.watchEvents(id);
  const watching = (async () => {
    for await (const item of events) if (item.type === 'event') live.push(item.event);
  })();
  const agent = await client.openAgent(id);
  for (let at = 0; at < RACES; at++) {
    await claude.asks(`race${at}`);
    const [open] = await agent.requests();
    const isDenied = at % 3 === 2;
    // Within a millisecond, events do not show a refusal by a key beside an allowing client (decision 230).
    const isRefused = isDenied && at % 2 === 1;
    const [decided] = await Promise.all([
      isDenied ? agent.deny(open!, { message: 'not this one' }) : agent.approve(open!),
      sleep(KEY_AFTER_MS[at % KEY_AFTER_MS.length]).then(() => claude.type(isRefused ? 'n\n' : 'y\n')),
    ]);
    const { decision, by } = decided.outcome as { decision: string; by: string };
    expect(decided.isOurs).toBe(by === 'watcher');
    await claude.rests(at + 1);
    const { text } = (await claude.of('message.done')).at(-1)!;
    const isAllowed = text === `typed y: race${at}` || text === `allow: race${at}`;
    expect([at, decision]).toEqual([at, isAllowed ? 'allow' : 'deny']);
  }
  expect(await claude.of('permission.resolved')).toHaveLength(RACES);
  expect(claude.keys).toBe(claude.typed);

  const late = await claude.events(await daemon.client({ who: 'late' }));
  expect(late.map(({ seq }) => seq)).toEqual(late.map((_, at) => at));
  await until('the first viewer has them all', () => live.length >= late.length);
  expect(live).toEqual(late);
  await events[Symbol.asyncDispose]();
  await watching;
});

test('[CHAN-46] a dialog that is open while gateway, keeper and driver are killed, and then the holder too, is answered in the terminal', async () => {
  await using daemon = new TestDaemon();
  const claude = new ScriptedClaude(daemon, await daemon.client());
  await claude.start();
  await TestGateway.start(daemon);
  const { pid } = await claude.client.get(claude.id);

  await claude.asks('first');
  const { holder, keeper } = await claude.client.status();
  const children = childrenOf(holder.pid, keeper.pid);
  const others = children.filter((each) => /^spool-(?:keeper|gateway|driver)/.test(statusField(each, 'Name')));
  expect(others).toHaveLength(3);
  for (const each of others) process.kill(each, 'SIGKILL');
  claude.client = await daemon.client();
  await claude.type('y\n');
  await claude.rests(1);

  await claude.asks('second');
  expect((await claude.client.status()).holder.pid).toBe(holder.pid);
  process.kill(holder.pid, 'SIGKILL');
  claude.client = await daemon.client();
  await claude.type('n\n');
  await claude.rests(2);

  expect(await claude.decisions()).toEqual([
    ['allow', 'terminal'],
    ['deny', 'terminal'],
  ]);
  expect((await claude.of('message.done')).map(({ text }) => text)).toEqual(['typed y: first', 'typed n: second']);
  expect(claude.keys).toBe(claude.typed);
  expect((await claude.client.get(claude.id)).pid).toBe(pid);
});

function childrenOf(...parents: readonly number[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parents.includes(Number(statusField(pid, 'PPid'))));
}
