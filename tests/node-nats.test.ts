/** Tests the road `nats`: a node and a machine that uses it are clients of one NATS server, which enforces who speaks for whom. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { connect } from '@spool/client/node';
import type { NodeInfo, SessionInfo, TokenInfo } from '@spool/protocol';
import { seen, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { FleetOfTwo, missingNats, natsConfig, natsKeyOf } from './support/nats.ts';
import { CAT_ROWS, plain, SESSION_ROWS } from './support/verb-rows.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;

const nodeOf = async ({ primary }: FleetOfTwo): Promise<NodeInfo | undefined> =>
  (await primary.json<Json<readonly NodeInfo[]>>('node', 'ls'))[0];

async function untilNode(machines: FleetOfTwo, state: NodeInfo['state']): Promise<void> {
  await until(`the node is ${state}`, async () => (await nodeOf(machines))?.state === state, BUSY_MS);
}

testNeeding(missingNats)(
  '[NODE-50, NODE-55] a node of a fleet is used like any other, and its audit log names the end user',
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

testNeeding(missingNats)('[NODE-64] a node of a fleet that is stopped is away with the reason', async () => {
  await using machines = await FleetOfTwo.begin();
  await untilNode(machines, 'online');
  await machines.node.spool(['web', 'stop']);
  await untilNode(machines, 'away');
  expect(await nodeOf(machines)).toMatchObject({ reason: expect.stringContaining('stopped there') as unknown });
});

testNeeding(missingNats)(
  '[NODE-51] kills of the NATS server and of both gateways lose and double no byte and no key',
  async () => {
    await using machines = await FleetOfTwo.begin();
    const { primary, node, nats } = machines;
    await untilNode(machines, 'online');
    await using afar = await connect({ node: 'build1', env: primary.env });
    const [here, there] = [await primary.client(), await node.client()];
    const size = { cols: 80, rows: 24 };
    const source =
      'exec 2>/dev/null; i=0; while :; do for k in 1 2 3 4 5 6 7 8; do printf "%015d\\n" $i; i=$((i+1)); done; sleep 0.02; done';
    const { id } = await afar.run({ command: ['sh', '-c', `stty -opost; ${source}`], size });
    const cat = await afar.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size });
    await seen(there, cat.id, 'ready');
    const attachment = afar.attach(cat.id, { size });
    void (async () => {
      for await (const _item of attachment);
    })();
    const stream = new VerifiedStream();
    const reading = (async () => {
      for await (const item of afar.watch(id, { from: 0 }))
        if (item.type === 'output') stream.push(item.offset, item.bytes);
    })();
    const restart = async (): Promise<void> => {
      await nats.kill();
      await nats.up();
    };
    const kills = [
      restart,
      async () => void process.kill((await here.doors.status())!.pid, 'SIGKILL'),
      restart,
      async () => void process.kill((await there.doors.status())!.pid, 'SIGKILL'),
      restart,
    ];
    let typed = '';
    for (const [round, kill] of kills.entries()) {
      await until('bytes come', () => stream.offset > 0, BUSY_MS);
      const killing = kill();
      for (let key = 0; key < 10; key++) {
        const text = `${round * 10 + key},`;
        typed += text;
        await attachment.type(Buffer.from(text));
      }
      await killing;
      const before = stream.offset;
      await until(`bytes come again after kill ${round}`, () => stream.offset > before, BUSY_MS);
    }
    await attachment.settled();
    expect(await seen(there, cat.id, typed.slice(-20))).toContain(typed);
    await there.kill(cat.id);
    await there.kill(id);
    await reading;
  },
  180_000,
);

testNeeding(missingNats)(
  '[NODE-52] a user that stands still under a flood is sent the limit and no more, is no slow consumer, and gets every byte afterwards',
  async () => {
    const monitor = 20_000 + Math.floor(Math.random() * 10_000);
    await using machines = await FleetOfTwo.begin('operator', `http: "127.0.0.1:${monitor}"`);
    const { primary, node, nats } = machines;
    await untilNode(machines, 'online');
    await using afar = await connect({ node: 'build1', env: primary.env });
    const there = await node.client();
    const bytes = 4_000_000;
    const { id } = await there.run({
      command: [
        'sh',
        '-c',
        `until [ -e ${node.home}/go ]; do sleep 0.1; done; head -c ${bytes} /dev/zero | tr '\\0' x`,
      ],
      size: null,
    });
    let got = 0;
    const reading = (async () => {
      for await (const item of afar.watch(id, { from: 0 })) {
        if (item.type !== 'output') continue;
        expect(item.offset).toBe(got);
        expect(item.bytes.every((byte) => byte === 0x78)).toBe(true);
        got += item.bytes.length;
      }
    })();
    const counted = async (): Promise<{ in_bytes: number; slow_consumers: number }> =>
      (await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json()) as { in_bytes: number; slow_consumers: number };
    const here = await primary.client();
    const gateway = (await here.doors.status())!.pid;
    const before = await counted();
    process.kill(gateway, 'SIGSTOP');
    try {
      writeFileSync(`${node.home}/go`, '');
      await until('all is printed', async () => (await there.get(id)).offset >= bytes, BUSY_MS);
      const { in_bytes, slow_consumers } = await counted();
      // A gateway that hangs for ten seconds is replaced, and the next one reads.
      const isReplaced = (await here.doors.status())?.pid !== gateway;
      // Besides the limit of the link: seals, and the messages of presence.
      expect(isReplaced ? 0 : in_bytes - before.in_bytes).toBeLessThanOrEqual(256 * 1024 + 32 * 1024);
      expect(slow_consumers).toBe(0);
    } finally {
      if ((await here.doors.status())?.pid === gateway) process.kill(gateway, 'SIGCONT');
    }
    await reading;
    expect(got).toBe(bytes);
    expect(nats.log).not.toMatch(/slow consumer/i);
  },
  180_000,
);

testNeeding(missingNats)(
  '[NODE-55] the node enforces the role by itself, and ends the streams of rights that were revoked',
  async () => {
    await using machines = await FleetOfTwo.begin('viewer');
    const { primary, node } = machines;
    await untilNode(machines, 'online');
    expect(await nodeOf(machines)).toMatchObject({ role: 'viewer' });
    const { id } = await node.json<Json<SessionInfo>>('run', '-d', '--', 'cat');
    expect((await primary.spool(['logs', `build1/${id}`])).code).toBe(0);
    expect((await primary.spool(['send', `build1/${id}`, 'hello'])).stderr).toContain('viewer');
    // The user asks for more than its key may have: the server refuses, with a reason.
    await primary.json('node', 'add', machines.nats.url, '--role', 'owner');
    await until('the reason is shown', async () => /allow/.test((await nodeOf(machines))?.reason ?? ''), BUSY_MS);
    await primary.json('node', 'add', machines.nats.url, '--role', 'viewer');
    await untilNode(machines, 'online');

    await using afar = await connect({ node: 'build1', env: primary.env, reconnectMs: 5000 });
    const watch = afar.watch(id);
    const ended = (async () => {
      for await (const _item of watch);
    })();
    const token = (await node.json<Json<readonly TokenInfo[]>>('token', 'ls')).find(({ kind }) => kind === 'peer')!;
    await node.json('token', 'revoke', token.id);
    await expect(ended).rejects.toMatchObject({ name: 'SpoolError' });
    await untilNode(machines, 'away');
    expect(await node.json<Json<readonly unknown[]>>('node', 'joined')).toEqual([]);
  },
  120_000,
);

testNeeding(missingNats)(
  '[NODE-50] a removed node stays removed until the fleet is added again; `leave`, a stopped server and `remove --fleet` are noticed',
  async () => {
    await using machines = await FleetOfTwo.begin();
    const { primary, node, nats } = machines;
    await untilNode(machines, 'online');
    expect(statSync(`${primary.home}/doors/nats.nk`).mode & 0o777).toBe(0o600);
    await primary.json('node', 'remove', 'build1');
    expect(await nodeOf(machines)).toBeUndefined();
    await primary.json('node', 'add', nats.url);
    await untilNode(machines, 'online');
    await nats.kill();
    await until('the reason is shown', async () => /refused/.test((await nodeOf(machines))?.reason ?? ''), BUSY_MS);
    await nats.up();
    await untilNode(machines, 'online');
    expect(await node.json<Json<readonly unknown[]>>('node', 'joined')).toMatchObject([
      { name: 'fleet main', as: 'build1', role: 'operator', state: 'online' },
    ]);
    await node.json('node', 'leave', 'main');
    await untilNode(machines, 'away');
    await primary.json('node', 'remove', '--fleet', 'main');
    expect([await nodeOf(machines), existsSync(`${primary.home}/doors/fleets.json`)]).toEqual([undefined, false]);
  },
  120_000,
);

testNeeding(missingNats)(
  '[NODE-50] commands over NATS have the output and the exit code that they have on the node; the connection uses TLS',
  async () => {
    const machines = new FleetOfTwo();
    await using _machines = machines;
    const { primary, node } = machines;
    const files = ['-keyout', `${primary.home}/tls.key`, '-out', `${primary.home}/tls.pem`];
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const name = ['-subj', '/CN=nats', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', ...options, ...name, ...files], { stdio: 'ignore' });
    for (const machine of [primary, node]) machine.env['NODE_EXTRA_CA_CERTS'] = `${primary.home}/tls.pem`;
    await machines.meet(
      'operator',
      `tls { cert_file: "${primary.home}/tls.pem", key_file: "${primary.home}/tls.key" }`,
    );
    await untilNode(machines, 'online');
    for (const row of [...CAT_ROWS, ...SESSION_ROWS.slice(0, 18)]) {
      const here = await node.spool(row.map((word) => word.replace('-X', '-here')));
      const [verb, ...rest] = row.map((word) => word.replace('-X', '-there'));
      const there = await primary.spool([verb!, '--node', 'build1', ...rest]);
      expect([row, JSON.parse(JSON.stringify(plain(there)).replaceAll('-there', '-here'))]).toEqual([row, plain(here)]);
    }
    const strange = { ...primary.env, NODE_EXTRA_CA_CERTS: '' };
    const untrusted = await primary.spool(['node', 'add', machines.nats.url, '--fleet', 'main'], { env: strange });
    expect([untrusted.code, untrusted.stderr]).toEqual([125, expect.stringContaining('self-signed certificate')]);
    const elsewhere = await primary.spool(['node', 'add', machines.nats.url.replace('127.0.0.1', 'localhost')]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([125, expect.stringContaining('altnames')]);
  },
  120_000,
);

testNeeding(missingNats)('[NODE-50] a gateway without a fleet does not read the library of NATS', async () => {
  await using daemon = new TestDaemon();
  await TestGateway.start(daemon);
  const [program] = readdirSync(`${daemon.home}/program`);
  writeFileSync(`${daemon.home}/program/${program!}/nats.mjs`, 'throw new Error("it is read");');
  const key = await natsKeyOf(daemon);
  expect(await natsConfig(daemon, `${key}=node`)).toContain(key);
  expect((await daemon.spool(['node', 'join', 'nats://127.0.0.1:1'])).stderr).toContain('it is read');
});
