/** Seed 000, "PTY output streaming": its statements, as a user of that system expects them. */
import { spawn } from 'node:child_process';
import type { Client } from '@spool/client';
import { BareClient, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/sources.ts';

const env = { PATH: process.env.PATH!, HOME: '/' };
const LINES = 40;
const ROUNDS = 100;

/** An agent that counts: `round:line`. It pauses in the middle. */
const counting = (round: number): string[] => [
  'sh',
  '-c',
  `i=0; while [ $i -lt ${LINES} ]; do echo "${round}:$i"; i=$((i+1)); [ $i = 20 ] && sleep 0.05; done`,
];

const countedBy = (rounds: readonly number[]): string =>
  rounds.flatMap((round) => Array.from({ length: LINES }, (_, line) => `${round}:${line}\r\n`)).join('');

async function runsToItsEnd(client: Client, name: string, round: number): Promise<void> {
  const session = await client.run({ command: counting(round), name, env });
  await session.wait();
}

test('[OUT-7] "subscribeWorkerOutput(agentName, callback)": before or after the agent starts, over two respawns and a killed keeper, each line once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const watcher = await daemon.client();
  const heard = new Map<string, string>();
  const errors: unknown[] = [];
  const one = async (round: number): Promise<void> => {
    const name = `agent-${round}`;
    const subscribe = (): (() => void) =>
      watcher.subscribeWorkerOutput(name, (data) => heard.set(name, (heard.get(name) ?? '') + data), {
        onError: (error) => errors.push(error),
      });
    // A third of the subscriptions start before the agent exists, a third while it starts, a third while it runs.
    const unsubscribe = round % 3 === 0 ? subscribe() : undefined;
    const running = runsToItsEnd(client, name, 0);
    if (round % 3 === 2) await until('it runs', async () => (await client.list({ name })).length > 0);
    const later = unsubscribe ?? subscribe();
    await running;
    await runsToItsEnd(client, name, 1);
    if (round === ROUNDS / 2) process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await runsToItsEnd(client, name, 2);
    await until(`all of ${name} is heard`, () => (heard.get(name)?.length ?? 0) >= countedBy([0, 1, 2]).length);
    later();
  };
  for (let first = 0; first < ROUNDS; first += 10)
    await Promise.all(Array.from({ length: 10 }, (_, at) => one(first + at)));
  expect(errors).toEqual([]);
  for (const text of heard.values()) expect(text).toBe(countedBy([0, 1, 2]));
  expect(heard.size).toBe(ROUNDS);
});

test('[OUT-7] a respawn is told apart from the end: `onEnd` once for each session, after all of its output', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told: string[] = [];
  const stop = client.subscribeWorkerOutput('Planner', (data) => told.push(data.trim()), {
    chunking: 'line',
    onEnd: (info) => told.push(`end ${info.exitCode}`),
  });
  for (const code of [0, 3]) {
    const { id } = await client.run({ command: ['sh', '-c', `echo code ${code}; exit ${code}`], name: 'Planner', env });
    await until('its end is told', () => told.includes(`end ${code}`));
    await client.remove(id); // a removed session does not end the subscription
  }
  expect(told).toEqual(['code 0', 'end 0', 'code 3', 'end 3']);
  stop();
});

test('[OUT-7] "status UIs": `*` hears every agent by its name, also those that start later', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const heard: Record<string, string> = {};
  await client.run({ command: ['sh', '-c', 'echo first; exec sleep 60'], name: 'early', env });
  await client.run({ command: ['echo', 'over'], name: 'ended', env }).then((session) => session.wait());
  const stop = client.subscribeWorkerOutput('*', (data, ts, agent) => {
    heard[agent] = (heard[agent] ?? '') + data;
    expect(ts).toBeGreaterThan(1e12);
  });
  await until('the first is heard', () => heard.early === 'first\r\n');
  await client.run({ command: ['echo', 'second'], name: 'late', env });
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await client.run({ command: ['echo', 'third'], name: 'later', env });
  await until('all are heard', () => heard.late !== undefined && heard.later !== undefined);
  expect(heard).toEqual({ early: 'first\r\n', late: 'second\r\n', later: 'third\r\n' });
  stop();
});

test('[OUT-7] nothing is lost between `run` and `subscribe`: a session is heard from its first byte', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let round = 0; round < 20; round++) {
    const session = await client.run({ command: ['sh', '-c', 'echo one; echo two'], env });
    const { promise, resolve } = Promise.withResolvers<string>();
    let heard = '';
    session.subscribe((data) => (heard += data), { onEnd: () => resolve(heard) });
    expect(await promise).toBe('one\r\ntwo\r\n');
  }
});

test('[OUT-7] the strict form says that there is no such agent, and ends with its session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.subscribeWorkerOutput('nobody', () => {}, { wait: false, onError: resolve });
  expect(await promise).toMatchObject({ code: 'SESSION_UNKNOWN' });
});

/** A program that prints each line of its input, once it is ready: its terminal repeats earlier lines as well. */
const ECHO = ['sh', '-c', 'stty -echo; echo ready; while read -r line; do echo "$line"; done'];

test('[OUT-7] a rename moves the name: what gets it is heard, what loses it is not', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  let heard = '';
  const names: string[] = [];
  const stop = client.subscribeWorkerOutput('Interviewer', (data) => (heard += data));
  const stopAll = client.subscribeWorkerOutput('*', (_data, _ts, agent) => names.push(agent));
  const one = await client.run({ command: ECHO, name: 'draft', env });
  const says = async (text: string): Promise<void> => {
    await one.write(`${text}\n`);
    await until('it is stored', async () => (await client.tail(one.id, { lines: 3 })).includes(text));
  };
  const isReady = async (): Promise<boolean> => (await client.tail(one.id, { lines: 3 })).includes('ready');
  await until('its terminal no longer repeats what is typed', isReady);
  await says('before');
  await one.update({ name: 'Interviewer' });
  await says('with the name');
  await until('it is heard from its first byte', () => heard === 'ready\r\nbefore\r\nwith the name\r\n');
  await one.update({ name: 'retired' });
  await says('without the name');
  await until('the other one hears the new name', () => names.includes('retired'));
  const two = await client.run({ command: ['echo', 'the next'], name: 'Interviewer', env });
  await until('the next one is heard', () => heard.endsWith('the next\r\n'));
  await two.wait(); // a session that runs is not removed
  await client.remove(two.id);
  await one.update({ name: 'Interviewer' });
  await says('again');
  await until('it is heard again', () => heard.endsWith('again\r\n'));
  expect(heard).toBe('ready\r\nbefore\r\nwith the name\r\nthe next\r\nagain\r\n');
  expect([...new Set(names)]).toEqual(expect.arrayContaining(['draft', 'retired', 'Interviewer']));
  stop();
  stopAll();
});

test('[OUT-7] "case SUBSCRIBE_WORKER_OUTPUT": the daemon itself holds a subscription by name, before the agent exists', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const bare = await BareClient.connect((await client.status()).socket);
  const said = (channel: number): string =>
    bare
      .told(channel)
      .map(({ type, data }) => (type === 'WORKER_OUTPUT' ? data : `[${type}]`))
      .join('');
  expect(await bare.answer(1, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: 'Interviewer' })).toMatchObject({ id: null });
  await bare.answer(2, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: '*' });
  for (const word of ['one', 'two']) {
    await client.run({ command: ['echo', word], name: 'Interviewer', env }).then((session) => session.wait());
  }
  await client.run({ command: ['echo', 'other'], name: 'other', env });
  await until('both are told', () => said(1) === 'one\r\n[end]two\r\n[end]' && said(2).includes('other'));
  expect(bare.told(2).filter(({ type }) => type === 'WORKER_OUTPUT')).toMatchObject([
    { agent: 'Interviewer', data: 'one\r\n', ts: expect.any(Number), id: expect.any(String) },
    { agent: 'Interviewer' },
    { agent: 'other' },
  ]);
  const renamed = await client.run({ command: ECHO, name: 'draft', env });
  await renamed.update({ name: 'Interviewer' });
  await renamed.write('with the name\n');
  await until('it is told', () => said(1).endsWith('with the name\r\n'));
  await renamed.update({ name: 'retired' });
  await renamed.write('without\n');
  await until('the other one is told', () => said(2).includes('without'));
  expect(said(1)).not.toContain('without');
  await bare.answer(3, { op: 'UNSUBSCRIBE_WORKER_OUTPUT', channel: 1 });
  await bare.answer(4, { op: 'UNSUBSCRIBE_WORKER_OUTPUT', channel: 2 });
  expect((await client.get(renamed.id)).watchers).toBe(0);
  await expect(bare.answer(5, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: 'nobody', wait: false })).rejects.toThrow(
    'the daemon refused',
  );
  bare.close();
});

/** Plays a recording of a real agent at its own times, from the first key on; long pauses are shortened. */
const PLAYER = `
  const { readFileSync } = require('node:fs');
  const file = process.argv[1];
  const bytes = readFileSync(file);
  const pieces = JSON.parse(readFileSync(file + '.json', 'utf8')).events.filter((event) => event[1] === 'o');
  process.stdin.setRawMode(true);
  process.stdin.once('data', () => next());
  let at = 0;
  const next = () => {
    const piece = pieces.shift();
    if (!piece) return setInterval(() => {}, 1000);
    process.stdout.write(bytes.subarray(at, (at += piece[2])));
    setTimeout(next, Math.min(500, (pieces[0]?.[0] ?? 0) - piece[0]));
  };`;

test('[STATE-11] "thought: extractThinking(data), activity: extractActivity(data)": the planner server of the use case, as an example program', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const feed = spawn(process.execPath, [`${ROOT}/examples/status-feed.ts`, 'Interviewer-abc12345'], {
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void feed.kill('SIGKILL'));
  let printed = '';
  feed.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const recording = `${ROOT}/tests/fixtures/terminal/claude/tui-subagent.pty`;
  const { id } = await client.run({
    command: [process.execPath, '-e', PLAYER, recording],
    name: 'Interviewer-abc12345',
    size: { cols: 120, rows: 40 },
    env,
  });
  const updates = (): { status: string; activity?: string | null; said?: string | null }[] =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { status: string });
  await until('the feed tells something', () => printed !== '', 60_000);
  await client.write(id, 'x');
  await until('the last sentence is told', () => updates().some(({ said }) => said === 'Done.'), 60_000);
  expect(updates().some(({ activity }) => activity === 'Agent(Count the files)')).toBe(true);
  expect(updates().some(({ status }) => status === 'output')).toBe(true);
});
