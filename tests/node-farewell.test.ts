/** Tests what a node says when its gateway or its daemon is stopped, and the refusals in its audit log. */
import type { NodeInfo } from '@spool/protocol';
import { encodeFrame, encodeInput, encodeJson, FrameReader, FrameType, PROTOCOL_VERSION } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import type { NodeLink } from '../packages/gateway/src/nodes/node-link.ts';
import { TestGateway } from './support/gateway.ts';
import { LINK_ROADS, LinkedMachine } from './support/linked-machine.ts';
import { TwoMachines } from './support/nodes.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;
const STOPPED = expect.stringContaining('stopped there') as unknown;

test.each([[['web', 'stop']], [['daemon', 'stop']]])(
  '[NODE-64] `spool %s` ends each link with the reason, on every road',
  async (words) => {
    await using daemon = new TestDaemon();
    await using machine = new LinkedMachine(await TestGateway.start(daemon));
    const links: NodeLink[] = [];
    for (const road of LINK_ROADS) links.push((await machine.link(road, 'operator')).link);
    await daemon.spool(words);
    await until('all links have ended', () => links.every(({ isOpen }) => !isOpen), BUSY_MS);
    expect(links.map(({ farewell }) => farewell)).toEqual(LINK_ROADS.map(() => STOPPED));
  },
);

test('[NODE-64] a node that is stopped is away with the reason, and comes back without it', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  const listed = async (): Promise<NodeInfo> => (await primary.json<Json<readonly NodeInfo[]>>('node', 'ls'))[0]!;
  const untilIt = async (state: NodeInfo['state']): Promise<NodeInfo> => {
    await until(`it is ${state}`, async () => (await listed()).state === state, BUSY_MS);
    return await listed();
  };
  await node.spool(['web', 'stop']);
  expect(await untilIt('away')).toMatchObject({ reason: STOPPED });
  await TestGateway.start(node);
  expect((await untilIt('online')).reason).toBeUndefined();
});

test('[NODE-66] what a node refuses to an end user is in its audit log, and a flood of it is counted', async () => {
  await using daemon = new TestDaemon();
  await using machine = new LinkedMachine(await TestGateway.start(daemon));
  const client = await daemon.client();
  const { link } = await machine.link('url', 'viewer');
  const user = { name: 'mallory', role: 'owner' } as const;
  await link.ask(user, { method: 'GET', path: '/api/sessions/r8trftxnwj/files', body: '' });
  const stream = await link.open(user);
  let refusals = 0;
  const reader = new FrameReader();
  stream.on('data', (bytes: Buffer) => reader.push(bytes, ({ channel }) => void (channel !== 0 && refusals++)));
  stream.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '0.1.0' }));
  stream.write(encodeFrame(FrameType.input, 1, encodeInput('r8trftxnwj', Buffer.from('x'))));
  const FLOOD = 300;
  for (let at = 2; at <= FLOOD; at++)
    stream.write(encodeJson(FrameType.request, at, { op: 'kill', session: 'r8trftxnwj' }));
  await until('all are refused', () => refusals === FLOOD, BUSY_MS);
  await daemon.json('token', 'create', '--role', 'viewer'); // the next entry names the number of dropped ones
  const entries = async () => {
    const found = [];
    for await (const { who, what, note } of client.doors.audit()) found.push({ who, what, note });
    return found;
  };
  const refused = async () => (await entries()).filter(({ what }) => what === 'refused');
  await until('they are recorded', async () => (await refused()).length >= 20, BUSY_MS).catch(() => {}); // reported here:
  const all = await refused();
  expect(new Set(all.map(({ who }) => who))).toEqual(new Set(['mallory@laptop']));
  expect(new Set(all.map(({ note }) => note))).toEqual(
    new Set([expect.stringMatching(/^GET .*files: ROLE_TOO_LOW$/), 'input: ROLE_TOO_LOW', 'kill: ROLE_TOO_LOW']),
  );
  expect(all).toHaveLength(20);
});
