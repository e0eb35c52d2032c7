/** Tests machines with other versions of Spool: their place in the list, refusals, and a request that is open while a node is upgraded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { NodeInfo } from '@spool/protocol';
import { encodeJson, FrameReader, FrameType, PROTOCOL_VERSION, VERSION } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { LightNode } from '../packages/gateway/src/nodes/testing/light-node.ts';
import { askingAgent } from './support/asking-agent.ts';
import { TestGateway } from './support/gateway.ts';
import { LinkedMachine } from './support/linked-machine.ts';
import { TwoMachines } from './support/nodes.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;

test('[NODE-62] [NODE-63] nodes of other releases are listed with their version; one without a version in common has the reason', async () => {
  await using daemon = new TestDaemon();
  await TestGateway.start(daemon);
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const join = async (name: string): Promise<LightNode> => {
    const { url, code } = await daemon.json<Json<{ url: string; code: string }>>('node', 'invite');
    const node = new LightNode(name, folder, url, []);
    onTestFinished(() => node.end());
    await node.join(code);
    return node;
  };
  const claims = {
    older: { min: 1, max: 1, spool: '0.0.9' },
    newer: { min: 1, max: 2, spool: '0.2.0' },
    far: { min: 2, max: 3, spool: '0.9.0' },
    strange: { min: 1, max: 1, spool: VERSION },
  };
  for (const [name, claim] of Object.entries(claims)) {
    const node = await join(name);
    node.end();
    if (name === 'strange') node.protocol = PROTOCOL_VERSION + 1;
    const dialled = node.dial(claim);
    if (name === 'far') await expect(dialled).rejects.toMatchObject({ code: 'VERSION_UNSUPPORTED' });
    else await dialled;
  }
  const refused = { reason: expect.stringMatching(/no version of the protocol in common/) as unknown };
  const wanted = [
    { name: 'older', state: 'online', version: '0.0.9' },
    { name: 'newer', state: 'online', version: '0.2.0' },
    { name: 'far', state: 'away', version: '0.9.0', ...refused },
    { name: 'strange', state: 'online', version: VERSION, ...refused },
  ];
  let nodes: readonly NodeInfo[] = [];
  const areListed = async (): Promise<boolean> => {
    nodes = await daemon.json<Json<readonly NodeInfo[]>>('node', 'ls');
    return nodes.filter(({ reason }) => reason !== undefined).length === 2;
  };
  await until('two have a reason', areListed, BUSY_MS).catch(() => {}); // reported here:
  expect(nodes).toMatchObject(wanted);
  expect(nodes.slice(0, 2).map(({ reason }) => reason)).toEqual([undefined, undefined]);

  // The cure is for the reader of a terminal, and for `doctor`; the output of a script has none.
  const { stdout, stderr } = await daemon.spool(['node', 'ls']);
  expect([stdout, stderr]).toEqual([expect.stringContaining('0.0.9'), '']);
  const found = (await daemon.spool(['doctor'])).stdout;
  expect(found).toContain('older runs 0.0.9; spool daemon upgrade there');
  expect(found).toContain(`newer runs 0.2.0, and this machine ${VERSION}; spool daemon upgrade here`);
});

test('[NODE-63] a request that a node does not know is answered with a typed error, and the stream goes on', async () => {
  await using daemon = new TestDaemon();
  await using machine = new LinkedMachine(await TestGateway.start(daemon));
  const { link } = await machine.link('url', 'operator');
  const stream = await link.open({ name: 'alice', role: 'operator' });
  const answers: string[] = [];
  const reader = new FrameReader();
  stream.on('data', (bytes: Buffer) =>
    reader.push(bytes, ({ type, channel, payload }) => {
      if (channel === 0) return;
      const { code } = JSON.parse(Buffer.from(payload).toString()) as { code?: string };
      answers.push(`${channel}: ${type === FrameType.error ? code : 'answered'}`);
    }),
  );
  stream.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '9.0.0' }));
  stream.write(encodeJson(FrameType.request, 1, { op: 'teleport', session: 'x' }));
  await until('it is refused', () => answers.length === 1, BUSY_MS);
  stream.write(encodeJson(FrameType.request, 2, { op: 'list' }));
  await until('the next one is answered', () => answers.length === 2, BUSY_MS);
  expect(answers).toEqual(['1: REQUEST_UNKNOWN', '2: answered']);
});

test('[NODE-65] a request that is open while its node is upgraded is answered once, by the machine that uses the node', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  const agent = await askingAgent(node, await node.client(), 1);
  expect((await node.spool(['daemon', 'restart'])).code).toBe(0);
  const answered = await primary.spool(['approve', `build1/${agent.name}`, '--request', agent.request]);
  expect([answered.code, answered.stderr]).toEqual([0, '']);
  await until('the agent has the answer', () => agent.answers().length > 0, BUSY_MS);
  expect((await node.spool(['daemon', 'restart'])).code).toBe(0);
  const again = await primary.spool(['approve', `build1/${agent.name}`, '--request', agent.request]);
  expect(again.code).not.toBe(0);
  expect(agent.answers()).toEqual([agent.request]);
});
