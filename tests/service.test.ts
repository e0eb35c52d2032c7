/**
 * Tests `spool service`: with a real systemd, where it is installed, as the manager of a user in a namespace; and with a stand-in that has
 * its documented semantics.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { SessionInfo } from '@spool/protocol';
import { inNamespace, NAMESPACES_MISSING, TestDaemon } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { ServiceStatus } from '../packages/cli/src/install/service.ts';
import type { SystemdReport } from './bodies/real-systemd.ts';

/** The reason why no real systemd can be started here; null if one can. */
const SYSTEMD_MISSING =
  NAMESPACES_MISSING ??
  missingProgram('systemctl') ??
  (process.getuid!() === 0 ? null : 'This test mounts control groups; run it as root.') ??
  (existsSync('/lib/systemd/systemd') ? null : 'This test starts a systemd, and /lib/systemd/systemd is missing.');

class Account {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-account-`);
  readonly daemon: TestDaemon;
  readonly unit = `${this.folder}/.config/systemd/user/spool.service`;

  constructor() {
    mkdirSync(`${this.folder}/bin`);
    symlinkSync(fileURLToPath(new URL('support/fake-systemctl.sh', import.meta.url)), `${this.folder}/bin/systemctl`);
    const env = {
      HOME: this.folder,
      FAKE_SYSTEMD: this.folder,
      XDG_CONFIG_HOME: '',
      PATH: `${this.folder}/bin:${process.env['PATH']}`,
    };
    this.daemon = new TestDaemon({ env });
  }

  systemctl(...args: string[]): void {
    execFileSync(`${this.folder}/bin/systemctl`, ['--user', ...args], { env: this.daemon.env as NodeJS.ProcessEnv });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

test('[INST-2] `service install` writes and enables a unit that starts the daemon; a stop or restart of it ends no session', async () => {
  await using account = new Account();
  const { daemon } = account;
  expect(await daemon.json<ServiceStatus>('service', 'status')).toMatchObject({ systemd: true, installed: false });
  const installed = await daemon.json<ServiceStatus>('service', 'install');
  expect(installed).toMatchObject({ installed: true, current: true, enabled: true, active: false, path: account.unit });
  expect((await daemon.spool(['daemon', 'status'])).code).toBe(1);

  account.systemctl('start', 'spool.service');
  expect(await daemon.json<ServiceStatus>('service', 'status')).toMatchObject({ active: true });
  const { id, pid } = await daemon.json<SessionInfo>('run', '-d', '--', 'cat');
  account.systemctl('restart', 'spool.service');
  account.systemctl('stop', 'spool.service');
  expect(await daemon.json<SessionInfo>('inspect', id)).toMatchObject({ state: 'running', pid });

  expect(await daemon.json('service', 'remove')).toEqual({ removed: true });
  expect(existsSync(account.unit)).toBe(false);
  expect(await daemon.json<SessionInfo>('inspect', id)).toMatchObject({ state: 'running', pid });
  expect(await daemon.json('service', 'remove')).toEqual({ removed: false });
  const calls = readFileSync(`${account.folder}/calls`, 'utf8').split('\n');
  expect(calls.filter((call) => /^(enable|disable|daemon-reload)/.test(call))).toEqual([
    'daemon-reload',
    'enable spool.service',
    'disable spool.service',
    'daemon-reload',
  ]);
});

testNeeding(SYSTEMD_MISSING)(
  '[INST-2] under a real systemd neither restart, stop and start of the unit nor an upgrade ends a session, and each has its control group',
  async () => {
    const body = new URL('bodies/real-systemd.ts', import.meta.url);
    expect(await inNamespace<SystemdReport>(body)).toEqual({
      status: { systemd: true, installed: true, current: true, enabled: true, active: true },
      groups: 3,
      after: { restart: ['active', 3], stop: ['inactive', 3], start: ['active', 3], upgrade: ['active', 3] },
    });
  },
  120_000,
);

test('[INST-2] the unit of another is neither replaced nor removed', async () => {
  await using account = new Account();
  mkdirSync(`${account.folder}/.config/systemd/user`, { recursive: true });
  writeFileSync(account.unit, '[Service]\nExecStart=/bin/true\n');
  for (const action of ['install', 'remove']) {
    const { code, stderr } = await account.daemon.spool(['service', action]);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('was not written by spool')]);
    expect(code).not.toBe(0);
  }
  expect(readFileSync(account.unit, 'utf8')).toContain('/bin/true');
});

test('[INST-2] without systemd it says so, with a line for cron', async () => {
  await using account = new Account();
  rmSync(`${account.folder}/bin/systemctl`);
  writeFileSync(`${account.folder}/bin/systemctl`, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const { code, stdout } = await account.daemon.spool(['service', 'install']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/does not answer here[^]*@reboot '.*node' '.*spool\.cjs' 'daemon' 'start'/);
});

testNeeding(missingProgram('systemd-analyze'))('[INST-2] systemd accepts the unit', async () => {
  await using account = new Account();
  await account.daemon.json('service', 'install');
  const env = { ...process.env, XDG_RUNTIME_DIR: account.folder, HOME: account.folder };
  const said = execFileSync('sh', ['-c', 'systemd-analyze verify --user "$0" 2>&1; echo $?', account.unit], {
    env,
    encoding: 'utf8',
  });
  expect(said).toBe('0\n');
});
