/** Tests the roads to nodes: each links two daemons, which are then used as over the road `join` (nodes.test.ts). */
import { statSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { userInfo } from 'node:os';
import type { NodeInfo, SessionInfo } from '@spool/protocol';
import { until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { TwoMachines } from './support/nodes.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;

const nodeOf = async ({ primary }: TwoMachines): Promise<NodeInfo | undefined> =>
  (await primary.json<Json<readonly NodeInfo[]>>('node', 'ls'))[0];

/** Waits until the node is in this state. */
async function untilNode(machines: TwoMachines, state: NodeInfo['state']): Promise<void> {
  await until(`the node is ${state}`, async () => (await nodeOf(machines))?.state === state, BUSY_MS);
}

async function gatewayPid({ node }: TwoMachines): Promise<number> {
  return (await (await node.client()).doors.status())!.pid;
}

test('[NODE-20] a node by its address: the token decides, the audit log names the end user, the link returns, and `remove` ends it', async () => {
  await using machines = await TwoMachines.startByUrl('operator');
  const { primary, node, token } = machines as TwoMachines & { token: string };
  expect(await nodeOf(machines)).toMatchObject({ name: 'build1', road: 'url', state: 'online', role: 'operator' });
  expect(statSync(`${primary.home}/doors/nodes.json`).mode & 0o077).toBe(0);
  const { id } = await node.json<Json<SessionInfo>>('run', '-d', '--', 'cat');
  expect((await primary.spool(['send', `build1/${id}`, 'hello'])).code).toBe(0);
  await until('it has arrived', async () => (await node.spool(['logs', id])).stdout.includes('hello'), BUSY_MS);
  await until(
    'the end user is recorded',
    async () => (await node.spool(['audit'])).stdout.includes(`${userInfo().username}@laptop`),
    BUSY_MS,
  );

  const before = await gatewayPid(machines);
  process.kill(before, 'SIGKILL');
  await until('another gateway serves', async () => {
    const status = await (await node.client()).doors.status();
    return status !== null && status.pid !== before;
  });
  await until(
    'the node is used again',
    async () => (await primary.spool(['logs', `build1/${id}`])).code === 0,
    BUSY_MS,
  );

  await node.json('token', 'revoke', token);
  await untilNode(machines, 'away');
  await until('the reason is shown', async () => (await nodeOf(machines))?.reason?.includes('token') === true, BUSY_MS);
  await primary.json('node', 'remove', 'build1');
  expect(await nodeOf(machines)).toBeUndefined();
});

test('[NODE-20] an address without a gateway, a wrong token and a node that is known add nothing', async () => {
  await using machines = await TwoMachines.startByUrl();
  const { primary, node } = machines;
  const file = `${primary.home}/wrong`;
  writeFileSync(file, 'wrong', { mode: 0o600 });
  const add = async (url: string, tokenFile: string, name = 'other'): Promise<string> =>
    (await primary.spool(['node', 'add', url, '--name', name, '--token-file', tokenFile])).stderr;
  const { port } = (await (await node.client()).doors.status())!;
  expect(await add('http://127.0.0.1:1', file)).toContain('cannot reach the host');
  expect(await add(`http://127.0.0.1:${port}`, file)).toContain('token is wrong');
  expect(await add(`http://127.0.0.1:${port}`, file, 'build1')).toContain('another node has this name');
  expect(await add(`http://127.0.0.1:${port}`, `${primary.home}/token`)).toContain('a node already');
  expect((await nodeOf(machines))?.name).toBe('build1');
});

test('[NODE-23] a removed node stops dialling, and says so; a key that is not proved cannot join', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  await primary.json('node', 'remove', 'build1');
  const joined = async (): Promise<{ state: string; reason?: string } | undefined> =>
    (await node.json<Json<readonly { state: string; reason?: string }[]>>('node', 'joined'))[0];
  await until('the node knows', async () => (await joined())?.state === 'refused', BUSY_MS);
  expect((await joined())!.reason).toContain('removed');

  const gateway = await TestGateway.start(primary);
  const { code } = await machines.invite();
  const publicKey = 'MCowBQYDK2VwAyEA'.padEnd(59, 'A');
  const body = { name: 'thief', publicKey, signature: 'A'.repeat(86) };
  const refused = await gateway.ask('/api/nodes', { body, token: code });
  expect([refused.status, refused.code]).toEqual([403, 'NOT_ALLOWED']);
  expect(await nodeOf(machines)).toBeUndefined();
});

test('[NODE-24] a machine that has not proved its key is cut off after some kilobytes', async () => {
  await using machines = await TwoMachines.start();
  const { port } = (await (await machines.primary.client()).doors.status())!;
  // This one is older and silent: it would be closed first if time alone decided.
  const silent = connectTcp(port, '127.0.0.1');
  silent.on('error', () => {});
  await new Promise((resolve) => silent.once('connect', resolve));
  const socket = connectTcp(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  const head = ['GET /join HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'];
  socket.write([...head, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${'A'.repeat(22)}==`, '', ''].join('\r\n'));
  await new Promise((resolve) => socket.once('data', resolve));
  // The head of a text message of 1 MiB, and the first 64 KiB of it: the rest would never come.
  const frame = Buffer.alloc(14 + 64 * 1024);
  frame.set([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0]);
  socket.write(frame);
  await closed;
  expect(silent.destroyed || silent.readyState !== 'open').toBe(false);
  silent.destroy();
  await untilNode(machines, 'online');
});
