/** Tests nodes over the road `join`: two daemons, each with its own folder, and a gateway that dials the other. */
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { connect } from '@spool/client/node';
import { type NodeInfo, type SessionInfo, SpoolError, type TokenInfo } from '@spool/protocol';
import { seen, SPOOL, Terminal, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TwoMachines } from './support/nodes.ts';

type Listed = SessionInfo & { readonly node?: string; readonly nodeAwaySince?: number };

const nodesOf = async (daemon: TestDaemon): Promise<readonly NodeInfo[]> =>
  await daemon.json<readonly NodeInfo[] & Record<string, never>>('node', 'ls');
const sessionsOf = async (daemon: TestDaemon): Promise<readonly Listed[]> =>
  await daemon.json<readonly Listed[] & Record<string, never>>('ls');
const stateOf = async (daemon: TestDaemon): Promise<string | undefined> => (await nodesOf(daemon))[0]?.state;
const BUSY_MS = 60_000;

/** Returns the file in which a machine remembers the sessions of build1; empty before the first time. */
function rememberedBy({ home }: TestDaemon): string {
  const file = `${home}/doors/nodes/build1.json`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Prints numbered lines, as `VerifiedStream` expects them. The shell does not report a killed `sleep`. */
const SOURCE =
  'exec 2>/dev/null; i=0; while :; do for k in 1 2 3 4 5 6 7 8; do printf "%015d\\n" $i; i=$((i+1)); done; sleep 0.02; done';

test('[NODE-1] an invite makes one machine a node, once; the node returns after restarts of either side, and `remove` ends it', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  expect(await nodesOf(primary)).toMatchObject([
    { name: 'build1', road: 'join', state: 'online', version: '0.1.0', sessions: 0 },
  ]);
  const { url, code } = await machines.invite();
  await node.json('node', 'join', url, code, '--name', 'build2');
  expect((await nodesOf(primary)).map(({ name }) => name)).toEqual(['build2']); // the same machine has one name
  expect(await node.spool(['node', 'join', url, code, '--name', 'build3'])).toMatchObject({ code: 4 });

  await node.spool(['daemon', 'stop']);
  await until('the node is away', async () => (await stateOf(primary)) === 'away', BUSY_MS);
  await node.spool(['daemon', 'start']);
  await until('the node is back', async () => (await stateOf(primary)) === 'online', BUSY_MS);
  await primary.spool(['daemon', 'stop']);
  await primary.spool(['daemon', 'start']);
  await until('the primary is back', async () => (await stateOf(primary)) === 'online', BUSY_MS);

  await primary.json('node', 'remove', 'build2');
  expect(await nodesOf(primary)).toEqual([]);
  expect((await primary.spool(['ls', '--node', 'build2'])).stderr).toContain('no such node');
});

test('[NODE-2] one list has the sessions of all nodes; those of a node that is away are as last seen, with the time since when', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  const local = await primary.json<SessionInfo & Record<string, never>>('run', '-d', '--', 'sleep', '600');
  const there = await primary.json<SessionInfo & Record<string, never>>('run', '--node', 'build1', '-d', '--', 'cat');
  const places = (all: readonly Listed[]): unknown => all.map(({ id, node: at }) => [id, at]).sort();
  const expected = [
    [local.id, undefined],
    [there.id, 'build1'],
  ].sort();
  expect(places(await sessionsOf(primary))).toEqual(expected);
  expect((await node.spool(['ls', '-q'])).stdout).toBe(`${there.id}\n`);
  expect((await primary.spool(['ls', '-q'])).stdout.split('\n').sort()).toContain(`build1/${there.id}`);

  expect((await nodesOf(primary))[0]!.sessions).toBe(1);
  await until('the session is remembered', () => rememberedBy(primary).includes(there.id), BUSY_MS);
  await node.spool(['web', 'stop']);
  await until('the node is away', async () => (await stateOf(primary)) === 'away', BUSY_MS);
  const away = await sessionsOf(primary);
  expect(places(away)).toEqual(expected);
  expect(away.find(({ node: at }) => at === 'build1')!.nodeAwaySince).toBeGreaterThan(0);
  expect((await primary.spool(['ls'])).stdout).toContain('away since');
});

test('[NODE-3] kills of both gateways and of the keeper on the node lose and double no byte and no key', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  await using afar = await connect({ node: 'build1', env: primary.env });
  const [here, there] = [await primary.client(), await node.client()];
  const size = { cols: 80, rows: 24 };
  const { id } = await afar.run({ command: ['sh', '-c', `stty -opost; ${SOURCE}`], size });
  const cat = await afar.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size });
  await seen(there, cat.id, 'ready');
  const attachment = afar.attach(cat.id, { size });
  let shown = '';
  const showing = (async () => {
    for await (const item of attachment)
      if (item.type === 'output') shown += Buffer.from(item.bytes).toString('latin1');
  })();
  const stream = new VerifiedStream();
  const reading = (async () => {
    for await (const item of afar.watch(id, { from: 0 }))
      if (item.type === 'output') stream.push(item.offset, item.bytes);
  })();
  const kills = [
    async () => process.kill((await here.doors.status())!.pid, 'SIGKILL'),
    async () => process.kill((await there.doors.status())!.pid, 'SIGKILL'),
    async () => process.kill((await there.status()).keeper.pid, 'SIGKILL'),
  ];
  let typed = '';
  for (const [round, kill] of [...kills, ...kills].entries()) {
    const before = stream.offset;
    await kill();
    for (let key = 0; key < 10; key++) {
      const text = `${round * 10 + key},`;
      typed += text;
      await attachment.type(Buffer.from(text));
    }
    await until(`bytes come again after kill ${round}`, () => stream.offset > before, BUSY_MS);
    await until(
      'both gateways serve',
      async () => (await here.doors.status()) !== null && (await there.doors.status()) !== null,
      BUSY_MS,
    );
  }
  await attachment.settled();
  expect(await seen(there, cat.id, typed.slice(-20))).toContain(typed);
  await until('all of it is shown', () => shown.endsWith(typed.slice(-20)), BUSY_MS);
  expect(shown.slice(shown.indexOf('0,1,2,'))).toBe(typed);
  await there.kill(cat.id);
  await showing;
  await there.kill(id);
  await reading;
}, 180_000);

test('[NODE-4] each side proves its key: a copied name is refused, and a revoked machine loses its streams', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  await using stranger = new TestDaemon();
  const { url, code } = await machines.invite();
  const refused = await stranger.spool(['node', 'join', url, code, '--name', 'build1']);
  expect(refused.stderr).toContain('another node has this name');

  const { id } = await primary.json<SessionInfo & Record<string, never>>('run', '--node', 'build1', '-d', '--', 'cat');
  const following = primary.spool(['logs', '-f', `build1/${id}`]);
  await until(
    'a stream is open',
    async () => (await node.json<SessionInfo & Record<string, never>>('inspect', id)).watchers === 1,
    BUSY_MS,
  );
  const tokens = await node.json<readonly TokenInfo[] & Record<string, never>>('token', 'ls');
  await node.json('token', 'revoke', tokens.find(({ kind }) => kind === 'peer')!.id);
  await until(
    'the stream is closed',
    async () => (await node.json<SessionInfo & Record<string, never>>('inspect', id)).watchers === 0,
    BUSY_MS,
  );
  expect(await node.json('node', 'joined')).toEqual([]);
  await primary.json('node', 'remove', 'build1');
  expect((await following).code).not.toBe(0);
});

test('[NODE-5] the node enforces the role of the invite, and its audit log names the end user', async () => {
  await using machines = await TwoMachines.start('viewer');
  const { primary, node } = machines;
  const { id } = await node.json<SessionInfo & Record<string, never>>('run', '-d', '--', 'cat');
  expect((await primary.spool(['logs', `build1/${id}`])).code).toBe(0);
  const refused = await primary.spool(['stop', `build1/${id}`]);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('role')]);
  expect((await primary.spool(['run', '--node', 'build1', '-d', '--', 'true'])).code).toBe(4);
  // The node gets no rights in return.
  expect((await node.spool(['ls', '--node', 'build1'])).code).toBe(3);

  const { url, code } = await machines.invite('owner');
  const joined = await node.json<{ role: string } & Record<string, never>>(
    'node',
    'join',
    url,
    code,
    '--name',
    'build1b',
  );
  expect(joined.role).toBe('operator'); // not an owner, unless the node has granted it
  expect((await primary.spool(['stop', `build1b/${id}`])).code).toBe(0);
  await until(
    'it is recorded',
    async () =>
      new RegExp(`\\b${userInfo().username}@\\S+ \\(\\w+\\) {2}stop`).test((await node.spool(['audit'])).stdout),
    BUSY_MS,
  );
});

test('[NODE-6] attach shows a session of a node, types into it and leaves it', async () => {
  await using machines = await TwoMachines.start();
  const { primary, node } = machines;
  const { id } = await node.json<SessionInfo & Record<string, never>>(
    'run',
    '-d',
    '--',
    'sh',
    '-c',
    'echo ready; exec cat',
  );
  using terminal = new Terminal([SPOOL, 'attach', `build1/${id}`], primary.env, { cols: 80, rows: 24 });
  await terminal.sees('ready');
  terminal.type('over there\r');
  await terminal.sees('over there');
  terminal.type('\x1c');
  expect((await terminal.ended()).code).toBe(0);
  expect((await primary.spool(['send', `build1/${id}`, 'more'])).code).toBe(0);
  await until('it has arrived', async () => (await node.spool(['logs', id])).stdout.includes('more'), BUSY_MS);
  expect((await primary.spool(['stop', `build1/${id}`, '--json'])).code).toBe(0);
  expect((await primary.spool(['wait', `build1/${id}`])).code).not.toBe(0);
});

test('[NODE-6] without an answer from the gateway, a list still has the sessions of this machine', async () => {
  await using machines = await TwoMachines.start();
  const { primary } = machines;
  const { id } = await primary.json<SessionInfo & Record<string, never>>('run', '-d', '--', 'cat');
  await primary.spool(['web', 'stop']);
  const listed = await primary.spool(['ls', '-q']);
  expect([listed.code, listed.stdout]).toEqual([0, `${id}\n`]);
  expect(listed.stderr).toContain('no gateway runs');
  await expect(connect({ node: 'nowhere', env: primary.env })).rejects.toSatisfy((error) =>
    SpoolError.is(error, 'NODE_UNKNOWN'),
  );
});
