/** Tests that the gateway stays one process under misuse. The long form is `npm run doors`. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { isAlive, TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { campaignAtGateway } from '../packages/testkit/gateway/campaign.ts';
import { TestGateway } from './support/gateway.ts';
import { OPCODE, RawWebSocket } from './support/raw-web-socket.ts';

const SEED = 20;
/** Longer than an unauthenticated client may stay connected, so that faults with one show up. */
const SECONDS = 14;
const MIB = 1024 * 1024;

let daemon: TestDaemon;
let gateway: TestGateway;
let owner: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  await (await daemon.client()).run({ command: ['cat'], name: 'own', size: { cols: 80, rows: 24 } });
  owner = (await gateway.token('owner')).token;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const metric = async (name: string): Promise<number> => {
  const { text } = await gateway.ask('/metrics', { token: owner });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1]);
};

test('[DOOR-25] [DOOR-26] misuse by chance, plain and with TLS: the gateway stays one process, bounded, and its owner is served', async () => {
  const reports = await Promise.all(
    [false, true].map((isTls) => campaignAtGateway({ seed: SEED, seconds: SECONDS, isTls })),
  );
  for (const { isTls, pids, owner: worked, memoryBytes, faults, acts, notMade } of reports) {
    expect({ isTls, gateways: pids.length, failures: worked.failures, faults, notMade }).toEqual({
      isTls,
      gateways: 1,
      failures: [],
      faults: 0,
      notMade: [],
    });
    expect(worked.served).toBeGreaterThan(0);
    expect(Object.values(acts).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(10);
    expect(memoryBytes.most - memoryBytes.first).toBeLessThan(384 * MIB);
  }
});

test('[DOOR-25] the processes of the daemon are known by their pids, for checks from outside', async () => {
  const status = await daemon.json<Record<'gateway' | 'keeper' | 'holder', { pid: number }>>('daemon', 'status');
  for (const [part, title] of Object.entries({ gateway: 'spool-gateway', keeper: 'spool-keeper', holder: 'spool' })) {
    const { pid } = status[part as 'gateway'];
    expect([part, isAlive(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(title)]).toEqual([
      part,
      true,
      true,
    ]);
  }
});

const DIALECTS = ['spool.v1', 'spool.attach.v1', 'spool.events.v1', 'v1.alis'];

/** Opens a long poll and each protocol; returns promises of their ends. */
async function openAll(headers: Record<string, string>): Promise<Promise<unknown>[]> {
  const sockets = await Promise.all(
    DIALECTS.map(async (dialect) => {
      const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws?session=own`, [dialect], { headers });
      const closed = new Promise((resolve) => socket.on('close', resolve));
      await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
      socket.on('error', () => {});
      return { closed }; // a promise by itself would be awaited here
    }),
  );
  const { openFiles } = await (await daemon.client()).status();
  const polls = ['own/wait?timeoutMs=50000', 'own/wait?until=output&timeoutMs=50000'].map((path) =>
    gateway.ask(`/api/sessions/${path}`, { headers }).catch(() => {}),
  );
  const client = await daemon.client();
  await until('they wait', async () => (await client.status()).openFiles!.connections >= openFiles!.connections + 2);
  return [...sockets.map(({ closed }) => closed), ...polls];
}

test.each(['viewer', 'prompter', 'operator', 'owner'] as const)(
  '[DOOR-25] a %s whose token ends with everything open ends no process, and is no fault',
  async (role) => {
    const { doors } = await daemon.client();
    const { pid } = (await doors.status())!;
    const { token, info } = await doors.createToken({ kind: 'token', role });
    const opened = await openAll({ authorization: `Bearer ${token}` });
    await doors.revokeToken(info.id);
    await Promise.all(opened);
    const code = await doors.createToken({ kind: 'share', role, uses: 1 });
    const { headers } = await gateway.login(code.token);
    const browser = await openAll(headers);
    expect((await gateway.ask('/api/logout', { method: 'POST', headers })).status).toBe(200);
    await Promise.all(browser);
    expect([
      await metric('spool_gateway_connection_faults_total'),
      await metric('spool_gateway_other_faults_total'),
    ]).toEqual([0, 0]);
    expect((await doors.status())!.pid).toBe(pid);
  },
);

test('[DOOR-26] 250 unfinished messages of a megabyte of one viewer cost what the limit says, and others are served', async () => {
  const left = async (): Promise<number> => await metric('spool_gateway_websockets');
  const flood = async (): Promise<void> => {
    const { token } = await gateway.token('viewer');
    const sockets: RawWebSocket[] = [];
    for (let at = 0; at < 250; at++) {
      const socket = await RawWebSocket.open(gateway.port, token);
      socket.send({ opcode: OPCODE.binary, payload: Buffer.alloc(1_000_000), isFinal: false });
      socket.socket.resume();
      sockets.push(socket);
    }
    await until('those beyond the limit are closed', async () => (await left()) <= 33, 60_000);
    expect(await left()).toBeGreaterThan(20);
    for (const { socket } of sockets) socket.destroy();
    await until('all are closed', async () => (await left()) === 0, 60_000);
  };
  await flood(); // memory that was freed stays with the process: only growth beyond it counts
  const before = await metric('spool_gateway_memory_bytes');
  await flood();
  await flood();
  expect((await metric('spool_gateway_memory_bytes')) - before).toBeLessThan(150 * MIB);
  const { token: other } = await gateway.token('viewer');
  expect((await gateway.ask('/api/sessions', { token: other })).status).toBe(200);
});

test('[DOOR-26] unfinished bodies of strangers and of a viewer are bounded, and a login is still possible', async () => {
  const { token } = await gateway.token('viewer');
  const before = await metric('spool_gateway_memory_bytes');
  const closed = { viewers: 0, strangers: 0 };
  const begin = (who: keyof typeof closed, path: string, auth: string): void => {
    const socket = connect(gateway.port, '127.0.0.1')
      .on('error', () => {})
      .on('close', () => closed[who]++)
      .resume();
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n`;
    socket.write(`${head}Origin: ${gateway.origin}\r\n${auth}\r\n`);
    socket.write(Buffer.alloc(900_000, 0x20));
  };
  for (let n = 0; n < 100; n++) {
    begin('viewers', '/api/push', `Authorization: Bearer ${token}\r\n`);
    begin('strangers', '/api/login', '');
  }
  await until('what is beyond the limits is closed', () => closed.viewers > 50 && closed.strangers > 90);
  expect((await metric('spool_gateway_memory_bytes')) - before).toBeLessThan(200 * MIB);
  const { doors } = await daemon.client();
  const code = await doors.createToken({ kind: 'code', role: 'viewer' });
  expect((await gateway.login(code.token)).pass).not.toBe('');
});
