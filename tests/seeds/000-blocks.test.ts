/** Seed 000: its code blocks, run unchanged around a real daemon (see blocks/README.md). */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { SPOOL, TestDaemon, until } from '@spool/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from '../support/gateway.ts';

const env = { PATH: process.env.PATH!, HOME: '/' };
const daemon = new TestDaemon();
afterAll(() => daemon[Symbol.asyncDispose]());

interface Output {
  readonly agent: string;
  readonly data: string;
  readonly ts: number;
}

interface Envelope {
  readonly type: string;
  readonly payload: Partial<Output>;
}

interface Wrapper extends EventEmitter<{ output: [Output] }> {}

interface Server {
  handle(envelope: Envelope, connection: EventEmitter): void;
  forward(pty: Wrapper): void;
}

interface Sdk extends EventEmitter<{ message: [Envelope] }> {
  subscribeWorkerOutput(agentName: string, callback: (data: string, ts: number) => void): () => void;
}

const createEnvelope = (type: string, payload: Partial<Output>): Envelope => ({ type, payload });

const block = (name: string): string => readFileSync(new URL(`blocks/${name}.txt`, import.meta.url), 'utf8');

/** Splits the block before the line that starts with `at`. */
function halves(name: string, at: string): [string, string] {
  const text = block(name);
  const cut = text.indexOf(`\n${at}`);
  expect(cut).toBeGreaterThan(0);
  return [text.slice(0, cut), text.slice(cut)];
}

/** Returns the value of an expression in TypeScript that may use `names`. */
function evaluate(expression: string, names: Readonly<Record<string, unknown>>): unknown {
  const script = stripTypeScriptTypes(`const value = ${expression};`);
  return new Function(...Object.keys(names), `${script}\nreturn value;`)(...Object.values(names));
}

function wrapperOf(child: ChildProcess, name: string): Wrapper {
  const [setup, method] = halves('000-wrapper', 'private handleEvent');
  const expression = `class extends EventEmitter { process; config; constructor(child, config) { super(); this.process = child; this.config = config; ${setup} } ${method} }`;
  const Made = evaluate(expression, { EventEmitter }) as new (child: ChildProcess, config: { name: string }) => Wrapper;
  return new Made(child, { name });
}

function serverOf(): Server {
  const [subscribe, forward] = halves('000-server', '// In spawn-manager output handler');
  const expression = `class { outputSubscriptions; get server() { return this; } handle(envelope, connection) { switch (envelope.type) { ${subscribe} } } forward(pty) { ${forward} } }`;
  return new (evaluate(expression, { createEnvelope }) as new () => Server)();
}

function sdkOf(send: (envelope: Envelope) => void): Sdk {
  const expression = `class extends EventEmitter { ${block('000-sdk')} }`;
  const Made = evaluate(expression, { EventEmitter, createEnvelope }) as new () => Sdk;
  return Object.assign(new Made(), { send });
}

/** Starts `spool run` in place of relay-pty. */
function relayPty(script: string): ChildProcess {
  const child = spawn(SPOOL, ['run', '--json-output', '--', 'sh', '-c', script], {
    env: daemon.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('"parse stderr JSON events", "forward to subscribers", "subscribeWorkerOutput": the wrapper, the server and the SDK of the seed over `spool run --json-output`', async () => {
  const server = serverOf();
  const connection = Object.assign(new EventEmitter(), { send: (envelope: Envelope) => sdk.emit('message', envelope) });
  const sdk = sdkOf((envelope) => server.handle(envelope, connection));
  const heard: [string, number][] = [];
  const unsubscribe = sdk.subscribeWorkerOutput('Planner', (data, ts) => heard.push([data, ts]));
  sdk.subscribeWorkerOutput('Another', () => expect.unreachable());
  const before = Date.now();
  const wrapper = wrapperOf(relayPty('echo "thinking…"; sleep 0.3; echo done'), 'Planner');
  server.forward(wrapper);
  const outputs: Output[] = [];
  wrapper.on('output', (output) => outputs.push(output));
  const text = (): string => heard.map(([data]) => data).join('');
  await until('all is heard', () => text().includes('done'), 60_000);
  expect(text()).toBe('thinking…\r\ndone\r\n');
  expect(outputs.map(({ agent }) => agent)).toEqual(heard.map(() => 'Planner'));
  for (const [, ts] of heard) expect(ts).toBeGreaterThanOrEqual(before); // "as_millis() as u64"
  unsubscribe();
  wrapper.emit('output', { agent: 'Planner', data: 'later', ts: 0 });
  connection.emit('close'); // "Clean up on disconnect"
  expect(text()).not.toContain('later');
});

test('[REM-9] "SUBSCRIBE_WORKER_OUTPUT … WORKER_OUTPUT": the SDK of the seed, its envelopes sent to Spool as they are', async () => {
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('viewer');
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`, ['spool.events.v1'], {
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const sdk = sdkOf((envelope) => socket.send(JSON.stringify(envelope)));
  socket.on('message', (data: Buffer) => sdk.emit('message', JSON.parse(data.toString()) as Envelope));
  let heard = '';
  sdk.subscribeWorkerOutput('Interviewer', (data, ts) => {
    expect(ts).toBeGreaterThan(1e12);
    heard += data;
  });
  const client = await daemon.client();
  for (const name of ['Other', 'Interviewer', 'Interviewer'])
    await client.run({ command: ['echo', `from ${name}`], name, env }).then((session) => session.wait());
  await until('both are heard', () => heard === 'from Interviewer\r\nfrom Interviewer\r\n', 60_000);
});

test('"Once implemented, a planner server can": the use case as it stands, with the client of Spool', async () => {
  const client = await daemon.client();
  const updates: unknown[][] = [];
  const names = {
    relayClient: client,
    emitAgentStatusUpdate: (...update: unknown[]) => updates.push(update),
    extractThinking: (data: string) => /✻ (.*)…/.exec(data)?.[1],
    extractActivity: (data: string) => /● (.*)\r/.exec(data)?.[1],
  };
  const unsub = evaluate(`(() => { ${block('000-use-case')}; return unsub; })()`, names) as () => void;
  const command = ['sh', '-c', 'stty -echo; echo "✻ Pondering…"; read x; echo "● Bash(npm test)"'];
  const agent = await client.run({ command, name: 'Interviewer-abc12345', env });
  await until('the thought is told', () => updates.length === 1);
  await agent.write('\n');
  await until('the activity is told', () => JSON.stringify(updates).includes('npm test'));
  expect(updates).toEqual([
    ['ideation-interviewer', 'working', { thought: 'Pondering', activity: undefined }],
    ['ideation-interviewer', 'working', { thought: undefined, activity: 'Bash(npm test)' }],
  ]);
  unsub();
});
