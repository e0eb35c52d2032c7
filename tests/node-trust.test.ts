/**
 * Tests the rights on a link between machines, by the tables that decide: every request, frame and relayed route, for each road, each role that
 * the node has granted and each role of an end user; and with rights that were revoked or have expired.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@spool/client';
import { gatewayAddress } from '@spool/client/remote';
import {
  encodeFrame,
  encodeInput,
  encodeJson,
  FRAME_ROLES,
  FrameReader,
  doorsFolder,
  FrameType,
  homeFrom,
  type NodeInfo,
  type Op,
  OP_ROLES,
  PROTOCOL_VERSION,
  type Role,
  ROLES,
  ROUTE_ROLES,
  type RouteRole,
} from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { introduceNode } from '../packages/gateway/src/nodes/handshake.ts';
import { acceptedInvite } from '../packages/gateway/src/nodes/invite.ts';
import { MachineKey } from '../packages/gateway/src/nodes/machine-key.ts';
import { NodeLink } from '../packages/gateway/src/nodes/node-link.ts';
import { duplexOver } from '../packages/gateway/src/nodes/socket-duplex.ts';
import { dialGateway } from '../packages/gateway/src/nodes/url-road.ts';
import { TestGateway } from './support/gateway.ts';
import { LINK_ROADS, LinkedMachine, linkOverSsh } from './support/linked-machine.ts';

const BUSY_MS = 60_000;
const ops = Object.keys(OP_ROLES) as Op[];
const routes = Object.entries(ROUTE_ROLES) as [string, RouteRole][];

/** The prefix of the routes that pass a request on to its node. */
const RELAYED = '/api/nodes/:node/';
const relayed = routes.filter(([route]) => route.includes(RELAYED));
const relayedNames = relayed.map(([route]) => route);

/** A field that no request has: one that passes the guard is refused by the keeper, without any effect. */
const HARMLESS = { nonsense: true };

let daemon: TestDaemon;
let client: Client;
let gateway: TestGateway;
let machine: LinkedMachine;
let own: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  machine = new LinkedMachine(gateway);
  client = await daemon.client();
  own = (await client.run({ command: ['cat'], size: { cols: 80, rows: 24 } })).id;
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

/** Returns the name of the end user with this role. */
const userOf = (role: Role): string => `alice-${role}`;

/** Sends each request and a frame of input for an end user. Returns the code of each refusal. */
async function refusals(link: NodeLink, role: Role, session: string): Promise<ReadonlyMap<Op | 'input', string>> {
  const stream = await link.open({ name: userOf(role), role });
  const found = new Map<Op | 'input', string>();
  const asked = [...ops, 'input', 'get'] as const; // the last one is answered after the frame of input
  let answered = 0;
  const reader = new FrameReader();
  stream.on('data', (bytes: Buffer) =>
    reader.push(bytes, ({ type, channel, payload }) => {
      if (channel === 0) return;
      if (channel !== ops.length + 1) answered++;
      if (type !== FrameType.error) return;
      const { code } = JSON.parse(Buffer.from(payload).toString()) as { code: string };
      if (channel <= ops.length + 1) found.set(asked[channel - 1]!, code);
    }),
  );
  stream.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '0.1.0', who: 'somebody else' }));
  for (const [at, op] of asked.entries())
    if (op === 'input') stream.write(encodeFrame(FrameType.input, at + 1, encodeInput(session, Buffer.from('x'))));
    else stream.write(encodeJson(FrameType.request, at + 1, { op, session, sessions: [session], ...HARMLESS }));
  await until('all are answered', () => answered === asked.length - 1, BUSY_MS);
  stream.destroy();
  return found;
}

/** Returns whether this end user may do it, over a link with this role. Computed independently of the gateway's code. */
function mayDo(granted: Role, user: Role, needed: string): boolean {
  const order = ['viewer', 'prompter', 'operator', 'owner'];
  const place = order.indexOf(needed);
  return place !== -1 && place <= Math.min(order.indexOf(granted), order.indexOf(user));
}

/** Returns the statuses of these routes of the node. */
async function statuses(link: NodeLink, role: Role, asked: readonly string[]): Promise<readonly number[]> {
  const answers = asked.map(async (route) => {
    const [method, place] = route.split(' ') as [string, string];
    const path = `${place.replace(RELAYED, '/api/').replace(':id', own)}?nonsense=1`;
    const body = method === 'POST' ? JSON.stringify(HARMLESS) : '';
    return (await link.ask({ name: userOf(role), role }, { method, path, body })).status;
  });
  return await Promise.all(answers);
}

/** Returns the entries that the audit log must have about the requests of an end user. */
function recordedFor(granted: Role, user: Role): readonly string[] {
  const whats = ops.filter(
    (op) => mayDo(granted, user, OP_ROLES[op]) && (op === 'attach' || OP_ROLES[op] !== 'viewer'),
  );
  const typed = mayDo(granted, user, 'operator') ? ['input'] : [];
  return [...whats, ...typed].map((what) => `${userOf(user)}@laptop ${what}`);
}

test.each(LINK_ROADS)(
  '[NODE-26] %s: each request, frame and route is decided by the lower of two roles, that of the machine and that of the end user, and the audit log names the end user',
  async (road) => {
    for (const granted of ROLES) {
      const since = Date.now();
      const { link } = await machine.link(road, granted);
      for (const user of ROLES) {
        const may = (needed: string): boolean => mayDo(granted, user, needed);
        const found = await refusals(link, user, own);
        const refused = [...ops, 'input' as const].filter((op) => found.get(op) === 'ROLE_TOO_LOW');
        const expected = [...ops.filter((op) => !may(OP_ROLES[op])), ...(may('operator') ? [] : ['input'])];
        expect([granted, user, refused]).toEqual([granted, user, expected]);

        const codes = relayed.map(([, needed]) => (may(needed) ? 400 : 403));
        expect([granted, user, await statuses(link, user, relayedNames)]).toEqual([granted, user, codes]);
      }
      const carried = relayedNames.map((route) => route.replace(RELAYED, '/api/'));
      const others = routes
        .map(([route]) => route)
        .filter((route) => route.includes(' /api/') && !route.includes(RELAYED));
      const inside = others.filter((route) => !carried.includes(route));
      expect(new Set(await statuses(link, 'owner', inside))).toEqual(new Set([404]));
      // What changes something is recorded, with the end user; so is who looks at a screen.
      const missing = new Set(ROLES.flatMap((user) => recordedFor(granted, user)));
      const isRecorded = async (): Promise<boolean> => {
        for await (const { at, who, what } of client.doors.audit()) if (at >= since) missing.delete(`${who} ${what}`);
        return missing.size === 0;
      };
      await until('it is recorded', isRecorded, BUSY_MS).catch(() => {}); // reported here:
      expect([granted, [...missing]]).toEqual([granted, []]);
      link.close();
    }
  },
);

test('[NODE-26] a session of another machine does not exist here, whatever is asked', async () => {
  const id = 'r8trftxnwj';
  const { link } = await machine.link('ssh', 'owner');
  for (const name of [id, `other/${id}`]) {
    const stream = await link.open({ name: 'alice', role: 'owner' });
    const reader = new FrameReader();
    const codes = new Map<number, string>();
    stream.on('data', (bytes: Buffer) =>
      reader.push(bytes, ({ type, channel, payload }) => {
        if (type === FrameType.error)
          codes.set(channel, (JSON.parse(Buffer.from(payload).toString()) as { code: string }).code);
      }),
    );
    const asked = { get: {}, wait: {}, explain: {}, stop: {}, kill: {}, closeInput: {} };
    stream.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '0.1.0' }));
    for (const [at, [op, more]] of Object.entries(asked).entries())
      stream.write(encodeJson(FrameType.request, at + 1, { op, session: name, ...more }));
    await until('all are refused', () => codes.size === Object.keys(asked).length, BUSY_MS);
    expect([...new Set(codes.values())]).toEqual(['SESSION_UNKNOWN']);
    stream.destroy();
  }
  link.close();
});

test.each(LINK_ROADS)(
  '[NODE-26] %s: revoked rights end what is open within a second, and open nothing',
  async (road) => {
    for (const role of ROLES) {
      const { link, token } = await machine.link(road, role);
      const stream = await link.open({ name: 'alice', role: 'owner' });
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await client.doors.revokeToken(token);
      await closed;
      const over = { code: expect.stringMatching(/^(TOKEN_REFUSED|CONNECTION_LOST)$/) as unknown };
      await expect(link.open({ name: 'alice', role: 'owner' })).rejects.toMatchObject(over);
      const asked = link.ask(
        { name: 'alice', role: 'owner' },
        { method: 'GET', path: '/api/folders?path=/', body: '' },
      );
      await expect(
        asked.then(
          ({ status }) => status === 403 || Promise.reject(new Error(`${status}`)),
          () => true,
        ),
      ).resolves.toBe(true);
    }
  },
);

test('[NODE-26] expired rights end what is open, and open nothing', async () => {
  for (const road of ['url', 'ssh'] as const) {
    // Long enough to be used on a busy machine: one that expired before that is made again.
    for (let ms = 2000; ; ms *= 2) {
      const kind = road === 'url' ? 'token' : 'peer';
      const { token, info } = await client.doors.createToken({
        kind,
        role: 'operator',
        name: 'laptop',
        expiresAt: Date.now() + ms,
      });
      const dial = async (): Promise<NodeLink> =>
        road === 'url'
          ? new NodeLink(await dialGateway({ url: gateway.origin, token }), '', () => {})
          : await linkOverSsh(daemon, { token: info.id });
      const stream = await dial()
        .then((link) => link.open({ name: 'alice', role: 'owner' }))
        .catch(() => null);
      if (stream === null) continue;
      await new Promise((resolve) => stream.once('close', resolve));
      await expect(dial()).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
      break;
    }
  }
});

test('[NODE-26] a frame that only a daemon sends ends its stream, and no other', async () => {
  const { link } = await machine.link('ssh', 'owner');
  const other = await link.open({ name: 'alice', role: 'owner' });
  for (const [name, needed] of Object.entries(FRAME_ROLES)) {
    if (needed !== 'daemon') continue;
    const stream = await link.open({ name: 'alice', role: 'owner' });
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.write(encodeFrame(FrameType[name as keyof typeof FrameType], 9, Buffer.from('{}')));
    await closed;
  }
  expect(other.destroyed).toBe(false);
  link.close();
});

test('[NODE-60] a node cannot come as another one: neither with its public key nor with an earlier proof', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-keys-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [a, b] = [MachineKey.in(`${folder}/a`), MachineKey.in(`${folder}/b`)];
  for (const [name, key] of [
    ['a', a],
    ['b', b],
  ] as const) {
    const { url, code } = await daemon.json<{ url: string; code: string }>('node', 'invite', '--role', 'viewer');
    await acceptedInvite(gatewayAddress(url), code, name, key);
  }
  const states = async (): Promise<unknown> =>
    (await daemon.json<readonly NodeInfo[] & Record<string, never>>('node', 'ls')).map(({ name, state }) => [
      name,
      state,
    ]);
  const dial = (): WebSocket => new WebSocket(`ws://127.0.0.1:${gateway.port}/join`, { allowSynchronousEvents: false });
  const primary = MachineKey.in(doorsFolder(homeFrom(daemon.env, process.getuid!()))).publicKey;

  // Node b proves itself once; node a has seen it, as a relay would.
  const proofs: string[] = [];
  const first = dial();
  const send = first.send.bind(first);
  first.send = ((text: string) => {
    proofs.push(text);
    send(text);
  }) as typeof first.send;
  await introduceNode(first, b, primary);
  await until(
    'b is online',
    async () =>
      isDeepStrictEqual(await states(), [
        ['a', 'away'],
        ['b', 'online'],
      ]),
    BUSY_MS,
  );
  const closed = new Promise((resolve) => first.once('close', resolve));
  first.terminate();
  await closed;

  const answers: unknown[] = [];
  for (const impostor of [{ publicKey: b.publicKey, sign: (text: string) => a.sign(text) }, null]) {
    const socket = dial();
    if (impostor === null) socket.once('message', () => socket.send(proofs[0]!));
    else await introduceNode(socket, impostor as MachineKey, primary).catch((error: unknown) => answers.push(error));
    await new Promise((resolve) => socket.once('close', resolve));
    answers.push('closed');
  }
  expect(answers).toEqual([expect.objectContaining({ code: 'NOT_ALLOWED' }), 'closed', 'closed']);
  expect(await states()).toEqual([
    ['a', 'away'],
    ['b', 'away'],
  ]);

  // With its own key, it is itself. What it then sends besides the answers of a server ends its link.
  const own = dial();
  await introduceNode(own, a, primary);
  const over = new Promise((resolve) => own.once('close', resolve));
  const asking = connectHttp2('http://node', { createConnection: () => duplexOver(own) });
  asking.on('error', () => {});
  const stream = asking.request({
    ':method': 'POST',
    ':path': '/frames',
    'spool-user': 'mallory',
    'spool-role': 'owner',
  });
  stream.on('error', () => {});
  const answered = new Promise((resolve) => stream.once('response', () => resolve('answered')));
  expect(await Promise.race([answered, over.then(() => 'ended')])).toBe('ended');
  asking.destroy();
  for (const name of ['a', 'b']) await daemon.json('node', 'remove', name);
});
