/** Tests the road `nats`: a node and a machine that uses it are clients of one NATS server, which enforces who speaks for whom. */
import { userInfo } from 'node:os';
import type { NodeInfo, SessionInfo } from '@spool/protocol';
import { until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { FleetOfTwo, missingNats } from './support/nats.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;

const nodeOf = async ({ primary }: FleetOfTwo): Promise<NodeInfo | undefined> =>
  (await primary.json<Json<readonly NodeInfo[]>>('node', 'ls'))[0];

async function untilNode(machines: FleetOfTwo, state: NodeInfo['state']): Promise<void> {
  await until(`the node is ${state}`, async () => (await nodeOf(machines))?.state === state, BUSY_MS);
}

testNeeding(missingNats)(
  '[NODE-50] a node of a fleet is used like any other, and its audit log names the end user',
  async () => {
    await using machines = await FleetOfTwo.begin();
    const { primary, node, nats } = machines;
    await untilNode(machines, 'online');
    expect(await nodeOf(machines)).toMatchObject({ name: 'build1', road: 'nats', role: 'operator', url: nats.url });
    const { id } = await primary.json<Json<SessionInfo>>('run', '--node', 'build1', '-d', '--', 'cat');
    expect((await primary.spool(['send', `build1/${id}`, 'hello'])).code).toBe(0);
    await until('it has arrived', async () => (await node.spool(['logs', id])).stdout.includes('hello'), BUSY_MS);
    await until(
      'the end user is recorded',
      async () => (await node.spool(['audit'])).stdout.includes(`${userInfo().username}@`),
      BUSY_MS,
    );
  },
);
