/**
 * Tests drivers that are started again, with a scripted agent (`packages/testkit/programs/scripted-agent.mjs`): they continue
 * from a checkpoint.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const PATIENCE_MS = 60_000;
const DIGEST_CHARACTERS = 64;

class Run {
  readonly client: Client;
  readonly agent: AgentHandle;
  readonly folder: string;
  /** The events in their order of arrival, while the test runs. */
  readonly events: AgentEvent[] = [];

  constructor(client: Client, agent: AgentHandle, folder: string) {
    this.client = client;
    this.agent = agent;
    this.folder = folder;
    void this.#follow().catch(() => {}); // the daemon is stopped
  }

  static async start(daemon: TestDaemon): Promise<Run> {
    const client = await daemon.client();
    const agent = await client.agent('claude', {
      program: [execPath, AGENT, '/dev/null'],
      env: { PATH: process.env.PATH! },
    });
    return new Run(client, agent, `${daemon.home}/sessions/${agent.id}`);
  }

  async #follow(): Promise<void> {
    for await (const item of this.client.watchEvents(this.agent.id))
      if (item.type === 'event') this.events.push(item.event);
  }

  get turns(): number {
    return this.events.filter(({ kind }) => kind === 'turn.ended').length;
  }

  async turn(prompt: string): Promise<void> {
    const turns = this.turns;
    await this.agent.prompt(prompt);
    await until('the turn has ended', () => this.turns > turns, PATIENCE_MS);
  }

  async driver(): Promise<number | undefined> {
    const { keeper } = await this.client.status();
    const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').trim().split(' ');
    return children.map(Number).find((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'));
  }

  /** Kills the driver; returns the bytes that the next one has read when it has published an event. */
  async restarted(): Promise<number> {
    const before = await this.driver();
    process.kill(before!, 'SIGKILL');
    await this.turn('say again');
    const after = (await this.driver())!;
    expect(after).not.toBe(before);
    return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${after}/io`, 'utf8'))![1]);
  }

  async logBytes(): Promise<number> {
    const { offset, driver } = await this.client.get(this.agent.id);
    return offset + driver!.offset;
  }
}

test('[EVT-11] a driver goes on from its checkpoint; without one that is whole and fits, it reads its logs', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon);
  for (let flood = 0; flood < 3; flood++) await run.turn('flood 4000');
  const file = `${run.folder}/checkpoint`;
  await until('there is a checkpoint', () => existsSync(file), PATIENCE_MS);
  const size = await run.logBytes();
  // The driver's own program is part of the bytes that it reads.
  const fromCheckpoint = await run.restarted();
  const whole = readFileSync(file, 'latin1');
  const checkpoint = JSON.parse(Buffer.from(whole.slice(DIGEST_CHARACTERS), 'base64').toString());
  const misfit = Buffer.from(JSON.stringify({ ...checkpoint, lastBatch: { ...checkpoint.lastBatch, at: 1 } })).toString(
    'base64',
  );
  const spoilt: [string, () => void][] = [
    ['one that is damaged', () => writeFileSync(file, `${whole.slice(0, 200)}!${whole.slice(201)}`)],
    ['one that is missing', () => rmSync(file)],
    ['one of another log', () => writeFileSync(file, createHash('sha256').update(misfit).digest('hex') + misfit)],
    ['one of another program', () => writeFileSync(file, another(checkpoint))],
  ];
  for (const [what, spoil] of spoilt) {
    spoil();
    expect([what, (await run.restarted()) - fromCheckpoint > size / 2]).toEqual([what, true]);
  }
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at));
  expect(run.turns).toBe(3 + 1 + spoilt.length);
  await run.agent.close();
  await run.client.wait(run.agent.id);
  await until('nobody needs it any more', () => !existsSync(file), PATIENCE_MS);
});

test('[EVT-1, EVT-11] a driver that is killed again and again while its agent floods: every text arrives once', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon);
  const deltas = 5000;
  await run.agent.prompt(`flood ${deltas}`);
  await run.agent.prompt(`flood ${deltas}`);
  let kills = 0;
  for (let seen = 0; run.turns < 2; kills++) {
    // The next kill comes after some progress: a driver without progress is given up.
    await until('there is something new', () => run.events.length > seen || run.turns === 2, PATIENCE_MS);
    seen = run.events.length + 200;
    const driver = await run.driver();
    if (driver !== undefined && run.turns < 2) process.kill(driver, 'SIGKILL');
  }
  expect(kills).toBeGreaterThan(5);
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at));
  const texts = new Map<string, string>();
  for (const event of run.events)
    if (event.kind === 'message.delta') texts.set(event.message, (texts.get(event.message) ?? '') + event.text);
  const wanted = Array.from({ length: deltas }, (_, at) => `${at} `).join('');
  expect(texts.get('count-1')).toBe(wanted);
  expect(texts.get('count-2')).toBe(wanted);
});

function another(checkpoint: object): string {
  const base64 = Buffer.from(JSON.stringify({ ...checkpoint, build: 'claude 0.0.1' })).toString('base64');
  return createHash('sha256').update(base64).digest('hex') + base64;
}
