/**
 * Tests the rights on a link between machines, by the table that decides: every request, for each role that the node has granted and each role
 * of an end user, over a token and over ssh; and with rights that were revoked or have expired.
 */
import { connect } from 'node:net';
import {
  encodeJson,
  FrameReader,
  FrameType,
  homeFrom,
  nodeSocketBeside,
  type Op,
  OP_ROLES,
  PROTOCOL_VERSION,
  type Role,
  ROLES,
  type TokenInfo,
} from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeLink } from '../packages/gateway/src/nodes/node-link.ts';
import { dialGateway } from '../packages/gateway/src/nodes/url-road.ts';
import { TestGateway } from './support/gateway.ts';

const BUSY_MS = 60_000;
const ops = Object.keys(OP_ROLES) as Op[];

let daemon: TestDaemon;
let gateway: TestGateway;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

/** Links over each road as another machine with this role. */
const ROADS = {
  async url(role: Role): Promise<NodeLink> {
    const { token } = await gateway.token(role, '--name', 'laptop');
    return new NodeLink(await dialGateway({ url: gateway.origin, token }), '', () => {});
  },
  async ssh(role: Role): Promise<NodeLink> {
    const socket = connect(nodeSocketBeside(homeFrom(daemon.env, process.getuid!()).socket));
    socket.write(`${JSON.stringify({ ask: 'serve', name: 'laptop', role })}\n`);
    await new Promise<void>((resolve) => {
      socket.once('data', (bytes: Buffer) => {
        socket.pause();
        const end = bytes.indexOf('\n') + 1;
        if (end < bytes.length) socket.unshift(bytes.subarray(end));
        resolve();
      });
    });
    return new NodeLink(socket, '', () => {});
  },
};

/** Sends each request for an end user. A field that no request has makes the keeper refuse those that pass the guard. */
async function answers(link: NodeLink, role: Role): Promise<ReadonlyMap<Op, string>> {
  const stream = await link.open({ name: 'alice', role });
  const found = new Map<Op, string>();
  const reader = new FrameReader();
  stream.on('data', (bytes: Buffer) =>
    reader.push(bytes, ({ type, channel, payload }) => {
      if (channel === 0) return;
      const { code } = JSON.parse(Buffer.from(payload).toString()) as { code?: string };
      found.set(ops[channel - 1]!, type === FrameType.error ? (code ?? '') : 'answered');
    }),
  );
  stream.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '0.1.0', who: 'alice' }));
  for (const [at, op] of ops.entries())
    stream.write(encodeJson(FrameType.request, at + 1, { op, session: 'none', nonsense: true }));
  await until('all are answered', () => found.size === ops.length, BUSY_MS);
  stream.destroy();
  return found;
}

test.each(Object.keys(ROADS) as (keyof typeof ROADS)[])(
  '[NODE-26] %s: each request is decided by the lower of two roles: that of the machine, and that of the end user',
  async (road) => {
    for (const granted of ROLES) {
      const link = await ROADS[road](granted);
      for (const user of ROLES) {
        const found = await answers(link, user);
        const rank = Math.min(ROLES.indexOf(granted), ROLES.indexOf(user));
        const refused = ops.filter((op) => found.get(op) === 'ROLE_TOO_LOW');
        const expected = ops.filter((op) => {
          const needed = ROLES.indexOf(OP_ROLES[op] as Role);
          return needed === -1 || needed > rank;
        });
        expect([granted, user, refused]).toEqual([granted, user, expected]);
      }
      link.close();
    }
  },
  180_000,
);

test('[NODE-26] revoked and expired rights end the open streams, and open no other', async () => {
  const link = await ROADS.ssh('operator');
  const stream = await link.open({ name: 'alice', role: 'owner' });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  const peers = (await daemon.json<readonly TokenInfo[] & Record<string, never>>('token', 'ls')).filter(
    ({ kind }) => kind === 'peer',
  );
  for (const { id } of peers) await daemon.json('token', 'revoke', id);
  await closed;
  await expect(link.open({ name: 'alice', role: 'owner' })).rejects.toMatchObject({
    code: expect.stringMatching(/^(TOKEN_REFUSED|CONNECTION_LOST)$/),
  });

  const { token } = await gateway.token('operator', '--expires', '3s');
  const short = new NodeLink(await dialGateway({ url: gateway.origin, token }), '', () => {});
  const brief = await short.open({ name: 'alice', role: 'owner' });
  await new Promise((resolve) => brief.once('close', resolve));
  await expect(dialGateway({ url: gateway.origin, token })).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
});
