/** Tests `spool daemon upgrade`: under load, from another version, to a version that cannot read what runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { DaemonStatus } from '@spool/protocol';
import { inNamespace, NAMESPACES_MISSING, TestDaemon } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { FailingSuccessorReport, FailureKind, HandOverStep } from './bodies/failing-successor.ts';
import type { UpgradeLoad, UpgradeLoadReport } from './bodies/upgrade-under-load.ts';
import { Installation } from './support/installation.ts';

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-43] ten upgrades under load: no session, watcher, awaited task or open request is lost or doubled',
  async () => {
    const load: UpgradeLoad = { upgrades: 10, sessions: 50, watchers: 20, tasks: 5, agents: 5 };
    const body = new URL('bodies/upgrade-under-load.ts', import.meta.url);
    const report = await inNamespace<UpgradeLoadReport>(body, load, { withinMs: 900_000 });
    // The sessions, the counting one, the tasks and the agents.
    const each = { upgraded: true, sessions: 50 + 1 + 5 + 5, requests: 5 };
    expect(report).toEqual({
      reports: Array.from({ length: 10 }, () => each),
      keepers: 11,
      changed: [],
      faults: Array.from({ length: 20 }, () => null),
      exitCodes: [0, 1, 2, 3, 4],
      answers: [['r0'], ['r1'], ['r2'], ['r3'], ['r4']],
    });
  },
  1_000_000,
);

/** Each step of the hand-over, with the cause that the verb must name when a program crashes there, and when it hangs. */
const STEPS: Readonly<Record<HandOverStep, readonly [crash: RegExp, hang: RegExp]>> = {
  'keeper loads': [/keeper\.mjs: it exited with 3/, /keeper\.mjs: it was ended by SIGKILL/],
  'keeper starts': [/keeper\.mjs: it exited with 3/, /keeper\.mjs: it was not ready within/],
  'keeper adopts': [
    /its keeper ended: it (exited with 3|closed its link)/,
    /its keeper ended: it did not (answer|serve)/,
  ],
  'keeper serves': [/its keeper ended: it (exited with 3|closed its link)/, /its keeper ended: it did not answer/],
  'holder starts': [/the next holder: it exited with 3/, /the next holder: it did not hold every session/],
  'holder holds': [/the next holder: it exited with 3/, /the next holder: it did not hold every session/],
  'holder commits': [/the next holder: /, /the next holder: /],
  'screens start': [/the new daemon shows no screens/, /the new daemon shows no screens/],
  'driver starts': [/the new driver .*agent-0/, /the new driver .*agent-0/],
  'gateway starts': [/the new gateway does not serve/, /the new gateway does not serve/],
};

/** The steps that run one after the other with one daemon. A hang costs its time limit, so those run side by side. */
const ROUNDS: readonly (readonly [FailureKind, readonly HandOverStep[]])[] = [
  ['crash', Object.keys(STEPS) as HandOverStep[]],
  ['hang', ['keeper loads', 'keeper adopts', 'holder commits']],
  ['hang', ['keeper starts', 'keeper serves', 'holder starts']],
  ['hang', ['screens start', 'holder holds']],
  ['hang', ['driver starts']],
  ['hang', ['gateway starts']],
];

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-45] a successor that crashes or hangs at any step leaves the predecessor in service, and the verb says why',
  async () => {
    const body = new URL('bodies/failing-successor.ts', import.meta.url);
    const reports = await Promise.all(
      ROUNDS.map(([kind, steps]) => inNamespace<FailingSuccessorReport>(body, { kind, steps }, { withinMs: 500_000 })),
    );
    for (const [at, { upgrades, good, waited, answers }] of reports.entries()) {
      const [kind, steps] = ROUNDS[at]!;
      expect(upgrades).toEqual(
        steps.map((step) => ({
          step,
          code: 125,
          stderr: expect.stringMatching(STEPS[step][kind === 'crash' ? 0 : 1]),
          kept: [],
        })),
      );
      expect([good, waited, answers]).toEqual([{ upgraded: true, sessions: 4, requests: 1 }, 'stopped', ['r0']]);
    }
  },
  600_000,
);

interface UpgradeJson {
  readonly upgraded: boolean;
  readonly from: string | null;
  readonly to: string;
  readonly sessions: number;
  readonly daemon: DaemonStatus | null;
}

test('[LIFE-43] the upgrade to another version names both, and without a daemon there is nothing to do', async () => {
  await using daemon = new TestDaemon();
  const idle = await daemon.json<UpgradeJson>('daemon', 'upgrade');
  expect(idle).toMatchObject({ upgraded: false, from: null, daemon: null });
  using next = new Installation();
  for (const name of ['keeper.mjs', 'spool.cjs'])
    next.edit(name, (text) => text.replaceAll(/const VERSION[\w$]* = "/g, '$&99.'));
  await daemon.spool(['run', '-d', '--', 'cat']);
  const { code, stdout } = await next.spool(daemon, 'daemon', 'upgrade', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { upgraded: true, from: idle.to, to: `99.${idle.to}`, sessions: 1 },
  ]);
  next.delete();
  const back = await daemon.spool(['daemon', 'upgrade']);
  expect(back.stdout).toBe(`Upgraded from 99.${idle.to} to ${idle.to}; 1 session continued.\n`);
});

test('[LIFE-43] a version that cannot read a running session is refused, and nothing was touched', async () => {
  await using daemon = new TestDaemon();
  const { stdout } = await daemon.spool(['run', '-d', '-n', 'kept', '--', 'cat']);
  const before = await daemon.json<DaemonStatus>('daemon', 'status');
  const path = `${daemon.home}/sessions/${stdout.trim()}/session.json`;
  const record = readFileSync(path, 'utf8');
  // As a much later version might write it.
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(record) as object), startedAt: { era: 2 } }));
  const refused = await daemon.spool(['daemon', 'upgrade']);
  expect(refused.stderr).toMatch(/cannot read the record of kept \(\w+\), so the daemon was left as it is/);
  expect(refused.code).not.toBe(0);
  const after = await daemon.json<DaemonStatus>('daemon', 'status');
  expect([after.keeper.pid, after.holder.pid]).toEqual([before.keeper.pid, before.holder.pid]);
  writeFileSync(path, record);
});
