/** Tests a daemon that outlives its own files: the installation is moved, deleted or replaced while sessions run. */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect } from '@spool/client/node';
import type { DaemonStatus } from '@spool/protocol';
import { inNamespace, NAMESPACES_MISSING, TestDaemon, until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { AfterLoss, InstallationLoss } from './bodies/lost-installation.ts';
import { Installation } from './support/installation.ts';

const env = { PATH: process.env.PATH! };

for (const loss of ['moved', 'deleted', 'broken'] satisfies InstallationLoss[]) {
  testNeeding(NAMESPACES_MISSING)(
    `[LIFE-15] the installation is ${loss}: keeper, holder and both at once are replaced, and every verb works`,
    async () => {
      const body = new URL('bodies/lost-installation.ts', import.meta.url);
      const { codes, printed, isSameChild } = await inNamespace<AfterLoss>(body, { loss });
      expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0]);
      expect(printed).toMatch(/got line-1[^]*got line-2[^]*got line-3/);
      expect(isSameChild).toBe(true);
    },
    120_000,
  );
}

test('[LIFE-41] `daemon restart` from another installation starts the code of that one', async () => {
  await using daemon = new TestDaemon();
  using first = new Installation();
  using second = new Installation();
  for (const name of ['keeper.mjs', 'spool.cjs'])
    second.edit(name, (text) => text.replaceAll(/const VERSION[\w$]* = "/g, '$&99.'));
  expect((await first.spool(daemon, 'run', '-d', '-n', 'kept', '--', 'cat')).code).toBe(0);
  first.delete();
  const before = await statusOf(daemon);
  expect(await second.spool(daemon, 'daemon', 'restart')).toMatchObject({ code: 0 });
  const after = await statusOf(daemon);
  expect(after.version).toBe(`99.${before.version}`);
  expect(after.sessions.running).toBe(1);
  expect(after.keeper.pid).not.toBe(before.keeper.pid);
  expect(after.holder.pid).not.toBe(before.holder.pid);
  second.delete();
  process.kill(after.keeper.pid, 'SIGKILL');
  await until('another keeper runs', async () => (await statusOf(daemon)).keeper.pid !== after.keeper.pid);
  expect(await statusOf(daemon)).toMatchObject({ version: after.version, sessions: { running: 1 } });
  // The present copy, and the one before.
  expect(readdirSync(`${daemon.home}/program`)).toHaveLength(2);
});

/** Each row has the damage and the cause that the error must name. */
const BREAKAGES: readonly (readonly [name: string, cause: RegExp, damage: (at: Installation) => void])[] = [
  [
    'a keeper with a syntax error',
    /keeper\.mjs.*SyntaxError/,
    (at) => at.edit('keeper.mjs', (text) => `${text}\nlet = (`),
  ],
  ['half a gateway', /gateway\.mjs.*SyntaxError/, (at) => at.edit('gateway.mjs', (text) => text.slice(0, 50_000))],
  ['an empty thread for screens', /screens\.mjs: it did not load/, (at) => at.edit('screens.mjs', () => '')],
  [
    'a keeper that ends at once',
    /keeper\.mjs: it exited with 3/,
    (at) => at.edit('keeper.mjs', () => 'process.exit(3);'),
  ],
  [
    'a holder that ends at once',
    /holder\.mjs: it exited with 3/,
    (at) => at.edit('holder.mjs', () => 'process.exit(3);'),
  ],
  ['no addon', /no spool_native\.node/, (at) => at.delete('dist/spool_native.node')],
  ['a damaged addon', /spool_native\.node/, (at) => at.edit('spool_native.node', () => 'garbage')],
  ...['keeper', 'holder', 'screens', 'gateway', 'driver', 'bridge'].map(
    (name) =>
      [
        `a ${name} that imports a missing file`,
        /not-there\.mjs/,
        (at: Installation) => at.edit(`${name}.mjs`, (text) => `import './not-there.mjs';\n${text}`),
      ] as const,
  ),
  ...['spool-fd-store', 'spool-beside', 'spool-hook', 'spool-tied'].flatMap(
    (name) =>
      [
        [`no ${name}`, new RegExp(`no ${name}`), (at: Installation) => at.delete(`dist/${name}`)],
        [`a damaged ${name}`, new RegExp(`${name}: it`), (at: Installation) => at.edit(name, () => 'garbage')],
      ] as const,
  ),
  ['no page', /no web\/index\.html/, (at) => at.delete('dist/web')],
];

test('[LIFE-41] `daemon restart` from a broken installation changes nothing, and names the cause', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['cat'], size: null, env, name: 'kept' });
  const { keeper, holder } = await client.status();
  for (const [name, cause, damage] of BREAKAGES) {
    using broken = new Installation();
    damage(broken);
    const { code, stderr } = await broken.spool(daemon, 'daemon', 'restart');
    const { keeper: nextKeeper, holder: nextHolder } = await client.status();
    expect([name, code, stderr, nextKeeper.pid, nextHolder.pid]).toEqual([
      name,
      125,
      expect.stringMatching(cause),
      keeper.pid,
      holder.pid,
    ]);
  }
  // It can still be replaced by an installation that works.
  expect((await daemon.spool(['daemon', 'restart'])).code).toBe(0);
  const after = await client.status();
  expect(after.sessions.running).toBe(1);
  expect([after.keeper.pid === keeper.pid, after.holder.pid === holder.pid]).toEqual([false, false]);
});

/** A session whose daemon has lost its installation and its copy of it, and then its keeper. */
async function sessionWithoutProgram(daemon: TestDaemon): Promise<{ readonly copy: string }> {
  using first = new Installation();
  expect((await first.spool(daemon, 'run', '-d', '-n', 'kept', '--', 'cat')).code).toBe(0);
  const { keeper } = await statusOf(daemon);
  const [copy] = readdirSync(`${daemon.home}/program`);
  first.delete();
  rmSync(`${daemon.home}/program`, { recursive: true });
  process.kill(keeper.pid, 'SIGKILL');
  return { copy: copy! };
}

const VERBS: readonly (readonly string[])[] = [
  ['ls'],
  ['inspect', 'kept'],
  ['logs', 'kept'],
  ['send', 'kept', 'x'],
  ['stop', 'kept'],
  ['run', '-d', '--', 'true'],
  ['web', '--no-open'],
  ['daemon', 'status'],
  ['daemon', 'start'],
  ['daemon', 'stop', '--force'],
];

test('[LIFE-42] while no keeper can be started at all, every verb soon names the cause, and another installation takes over', async () => {
  await using daemon = new TestDaemon();
  await sessionWithoutProgram(daemon);
  using other = new Installation();
  const ran = await Promise.all(VERBS.map((verb) => other.spool(daemon, ...verb)));
  expect(ran.map(({ code, stderr }, at) => [VERBS[at], code, stderr])).toEqual(
    VERBS.map((verb) => [verb, 125, expect.stringMatching(/dist\/keeper\.mjs is missing.*daemon restart/)]),
  );
  // Without the time that a client tries when it knows nothing.
  expect(ran.filter(({ stderr }) => stderr.includes('tried'))).toEqual([]);
  expect(await other.spool(daemon, 'daemon', 'restart')).toMatchObject({ code: 0 });
  expect(await statusOf(daemon)).toMatchObject({ sessions: { running: 1 } });
  expect(readdirSync(daemon.home).filter((name) => /trouble|wanted/.test(name))).toEqual([]);
});

test('[LIFE-15] once the files are there again, so is the daemon, and the session is not lost', async () => {
  await using daemon = new TestDaemon();
  const { copy } = await sessionWithoutProgram(daemon);
  await expect(connect({ env: daemon.env })).rejects.toThrow(/keeper\.mjs is missing/);
  using again = new Installation();
  // All files at once: the holder would start a keeper as soon as its first file is there.
  cpSync(`${again.folder}/dist`, `${daemon.home}/again`, { recursive: true });
  mkdirSync(`${daemon.home}/program`, { recursive: true });
  renameSync(`${daemon.home}/again`, `${daemon.home}/program/${copy}`);
  expect(await statusOf(daemon)).toMatchObject({ sessions: { running: 1 } });
  await until('the cause is gone', () => !readdirSync(daemon.home).includes('daemon.trouble'));
});

async function statusOf(daemon: TestDaemon): Promise<DaemonStatus> {
  await using client = await connect({ env: daemon.env, start: false });
  return await client.status();
}
