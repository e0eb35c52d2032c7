/**
 * Seed 004, sections 14 and 15: an attach that crosses three processes, client, primary and secondary. The seed's `NodeProxy` is a stream
 * that names its node first; then the frames of the attach pass unchanged (decision 200).
 */
import { connect as connectSocket } from 'node:net';
import type { Attachment, AttachItem } from '@spool/client';
import { nodeSocketBeside } from '@spool/protocol';
import { seen, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from '../support/gateway.ts';
import { TwoMachines } from '../support/nodes.ts';

const SIZE = { cols: 80, rows: 24 };
const BUSY_MS = 60_000;

let machines: TwoMachines;

beforeAll(async () => {
  machines = await TwoMachines.start();
});

afterAll(async () => {
  await machines[Symbol.asyncDispose]();
});

/** Reads an attachment in the background. */
function reading(attachment: Attachment): AttachItem[] {
  const items: AttachItem[] = [];
  void (async () => {
    for await (const item of attachment) items.push(item);
  })();
  return items;
}

const textOf = (items: readonly AttachItem[]): string =>
  items
    .map((item) => (item.type === 'output' || item.type === 'snapshot' ? Buffer.from(item.bytes).toString() : ''))
    .join('');

test('[NODE-3] §15 "CLI sends NodeProxy { node, inner: AttachSubscribe } via IPC": a line names the node, then frames follow', async () => {
  const { primary } = machines;
  const status = await (await primary.client()).status();
  const ask = async (line: string): Promise<string> =>
    await new Promise((resolve, reject) => {
      const socket = connectSocket(nodeSocketBeside(status.socket));
      socket.once('error', reject);
      socket.once('data', (data) => {
        resolve(data.toString());
        socket.destroy();
      });
      socket.write(`${line}\n`);
    });
  expect(JSON.parse(await ask('{"ask":"open","node":"build1"}'))).toEqual({ ok: {} });
  expect(JSON.parse(await ask('{"ask":"open","node":"nowhere"}'))).toMatchObject({ error: { code: 'NODE_UNKNOWN' } });
  expect(JSON.parse(await ask('{"ask":"frobnicate"}'))).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
});

test('[NODE-3] §15 "While a proxied streaming session is active, the CLI continues to send AttachInput, AttachResize, and AttachDetach": over IPC', async () => {
  const { primary, node } = machines;
  const client = await primary.client();
  const there = await node.client();
  await using proxied = client.node('build1');
  const script = 'stty -echo; echo ready; read a; echo "got $a"; stty size; read b; echo "bye $b"; exit 7';
  const { id } = await there.run({ command: ['sh', '-c', script], size: SIZE });
  await seen(there, id, 'ready');
  const attachment = proxied.attach(id, { size: SIZE });
  const items = reading(attachment);
  await until('"Each frame is sent": the screen', () => textOf(items).includes('ready'), BUSY_MS);
  attachment.view({ size: { cols: 100, rows: 30 } });
  await until('"AttachResize"', async () => (await there.get(id)).size?.cols === 100, BUSY_MS);
  await attachment.type(Buffer.from('input\r'));
  await until('"AttachInput" and its output', () => textOf(items).includes('30 100'), BUSY_MS);
  expect(textOf(items)).toContain('got input');

  // A second viewer of the same link detaches; the first one stays.
  const other = proxied.attach(id, { isReadOnly: true });
  await until('two viewers', async () => (await there.get(id)).viewers.length === 2, BUSY_MS);
  other.close();
  await until('"AttachDetach"', async () => (await there.get(id)).viewers.length === 1, BUSY_MS);
  expect(await node.json('node', 'joined')).toHaveLength(1); // "Existing WebSocket (shared)"

  await attachment.type(Buffer.from('done\r'));
  await until('"Stream ends when done: true is received"', () => items.at(-1)?.type === 'exit', BUSY_MS);
  expect(items.at(-1)).toMatchObject({ type: 'exit', exitCode: 7 });
});

test('[NODE-43] §15 the same over the JSON dialect of the WebSocket: input, resize and detach during a proxied stream', async () => {
  const { primary, node } = machines;
  const gateway = await TestGateway.start(primary);
  const { token } = await gateway.token('operator');
  const there = await node.client();
  const { id } = await there.run({ command: ['sh', '-c', 'echo first; read x; echo "got $x"; exec cat'], size: SIZE });
  await seen(there, id, 'first');
  const told: { readonly type: string; readonly data?: string }[] = [];
  const open = (bearer: string, query: string): WebSocket =>
    new WebSocket(`ws://127.0.0.1:${gateway.port}/ws?${query}`, ['spool.attach.v1'], {
      headers: { authorization: `Bearer ${bearer}` },
    });
  const socket = open(token, `session=${id}&node=build1`);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('message', (data: Buffer) => told.push(JSON.parse(data.toString()) as (typeof told)[number]));
  const shown = (): string => told.map(({ data = '' }) => Buffer.from(data, 'base64').toString()).join('');
  await until('"init"', () => told.some(({ type }) => type === 'init') && shown().includes('first'), BUSY_MS);
  socket.send(JSON.stringify({ type: 'resize', cols: 90, rows: 25 }));
  await until('"resize"', async () => (await there.get(id)).size?.cols === 90, BUSY_MS);
  socket.send(JSON.stringify({ type: 'input', data: 'keys\r' }));
  await until('"input"', () => shown().includes('got keys'), BUSY_MS);
  socket.send(JSON.stringify({ type: 'detach' }));
  expect(await closed).toBe(1000);
  await until('it is detached', async () => (await there.get(id)).viewers.length === 0, BUSY_MS);
  expect((await there.get(id)).state).toBe('running');

  // The node checks the role of the client itself, and a token that is limited reaches no node.
  const viewer = open((await gateway.token('viewer')).token, `session=${id}&node=build1`);
  viewer.on('message', () => viewer.send(JSON.stringify({ type: 'input', data: 'no\r' })));
  expect(await new Promise((resolve) => viewer.once('close', resolve))).toBe(4003);
  const own = await (await primary.client()).run({ command: ['cat'] });
  const limited = await gateway.token('operator', '--session', own.id);
  for (const [bearer, query] of [
    [limited.token, `session=${id}&node=build1`],
    [token, `session=${id}&node=nowhere`],
    ['wrong', `session=${id}&node=build1`],
  ] as const) {
    const refused = open(bearer, query).on('error', () => {}); // it is refused
    const status = await new Promise((resolve) => {
      refused.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      refused.once('open', () => resolve('open'));
    });
    expect([query, status]).toEqual([query, expect.any(Number) as number]);
    refused.terminate();
  }
});

test('[NODE-3] §14 "Node proxy disconnect: stream receiver gets None": here the stream continues at its offset when the node is back', async () => {
  const { primary, node } = machines;
  const there = await node.client();
  await using proxied = (await primary.client()).node('build1');
  const { id } = await there.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size: SIZE });
  await seen(there, id, 'ready');
  const attachment = proxied.attach(id, { size: SIZE });
  const items = reading(attachment);
  await attachment.type(Buffer.from('before,'));
  await until('the echo', () => textOf(items).includes('before,'), BUSY_MS);
  process.kill((await there.doors.status())!.pid, 'SIGKILL'); // "WebSocket closed"
  await attachment.type(Buffer.from('after,'));
  await until('the echo continues', () => textOf(items).includes('after,'), BUSY_MS);
  expect(await seen(there, id, 'after,')).toContain('before,after,'); // each key once
  attachment.close();
});
