/**
 * Starts a real systemd, as the manager of a user, in the namespace of the test: with its own /run and control group. Then
 * installs the service, starts sessions, and stops and restarts the unit.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionInfo } from '@spool/protocol';
import { isAlive, TestDaemon, until } from '@spool/testkit';
import type { ServiceStatus } from '../../packages/cli/src/install/service.ts';

const SYSTEMD = '/lib/systemd/systemd';
const GROUPS = '/sys/fs/cgroup';

export interface SystemdReport {
  readonly status: Pick<ServiceStatus, 'systemd' | 'installed' | 'current' | 'enabled' | 'active'>;
  /** The number of different control groups below that of the unit in which the sessions are. */
  readonly groups: number;
  /** The state of the unit and the number of sessions that run as before, after each action. */
  readonly after: Readonly<Record<string, readonly [unit: string, sessions: number]>>;
}

export default async function (): Promise<SystemdReport> {
  const runtime = mkdtempSync(`${tmpdir()}/spool-runtime-`);
  const group = `spool-test-${process.pid}-${Date.now()}`;
  execFileSync('umount', ['-l', GROUPS]);
  execFileSync('mount', ['-t', 'cgroup2', 'cgroup2', GROUPS]);
  mkdirSync(`${GROUPS}/${group}`);
  writeFileSync(`${GROUPS}/${group}/cgroup.procs`, String(process.pid));
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  mkdirSync('/run/systemd/system', { recursive: true }); // as where systemd is the init process
  const home = mkdtempSync(`${tmpdir()}/spool-account-`);
  const env = { HOME: home, XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: `${home}/.config`, PATH: process.env['PATH']! };
  await using daemon = new TestDaemon({ env });
  // The unit has no variables of ours, so the manager passes on where the daemon of this test lives.
  const manager = spawn(SYSTEMD, ['--user'], {
    env: { ...daemon.env, ...env, SYSTEMD_LOG_TARGET: 'null' },
    stdio: 'ignore',
  });
  const systemctl = (...words: readonly string[]): string => {
    try {
      return execFileSync('systemctl', ['--user', ...words], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      }).trim();
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout ?? '').trim();
    }
  };
  await until('systemd runs', () => /running|degraded/.test(systemctl('is-system-running')), 30_000);

  await daemon.json('service', 'install');
  systemctl('start', 'spool.service');
  const { systemd, installed, current, enabled, active } = await daemon.json<ServiceStatus>('service', 'status');
  const sessions: SessionInfo[] = [];
  for (const command of ['cat', 'cat', 'cat'])
    sessions.push(await daemon.json<SessionInfo>('run', '-d', '--', command));
  const groupOf = (pid: number): string => /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))![1]!;
  const groups = sessions.map(({ pid }) => groupOf(pid)).filter((each) => each.includes('/spool.service/'));

  const after: Record<string, readonly [string, number]> = {};
  const note = async (name: string): Promise<void> => {
    const states = await Promise.all(sessions.map(({ id }) => daemon.json<SessionInfo>('inspect', id)));
    const alive = states.filter(
      ({ state, pid }, at) => state === 'running' && pid === sessions[at]!.pid && isAlive(pid),
    );
    after[name] = [systemctl('is-active', 'spool.service'), alive.length];
  };
  for (const action of ['restart', 'stop', 'start']) {
    systemctl(action, 'spool.service');
    await note(action);
  }
  await daemon.json('daemon', 'upgrade');
  await note('upgrade');
  await daemon.spool(['daemon', 'stop', '--force', '--grace', '0s']);
  manager.kill('SIGKILL');
  return { status: { systemd, installed, current, enabled, active }, groups: new Set(groups).size, after };
}
