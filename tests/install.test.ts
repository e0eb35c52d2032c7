/** Tests `spool install` and `uninstall` in an empty account. */
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionInfo } from '@spool/protocol';
import { SPOOL, TestDaemon } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';

class EmptyAccount {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-account-`);
  readonly daemon: TestDaemon;

  constructor() {
    const env = { HOME: this.folder, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', PATH: process.env['PATH']! };
    this.daemon = new TestDaemon({ env });
  }

  /** Every file in it, relative. */
  files(): string[] {
    return (readdirSync(this.folder, { recursive: true }) as string[])
      .filter((name) => statSync(`${this.folder}/${name}`).isFile())
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

const ALL = [
  '.config/fish/completions/spool.fish',
  '.local/bin/spool',
  '.local/share/bash-completion/completions/spool',
  '.local/share/man/man1/spool.1',
  '.local/share/zsh/site-functions/_spool',
];

test('[INST-1] `install` links spool and writes page and completions; `uninstall` removes exactly that and leaves the sessions', async () => {
  await using account = new EmptyAccount();
  const { daemon, folder } = account;
  const { id } = await daemon.json<SessionInfo>('run', '-d', '--', 'cat');
  const { installed } = await daemon.json<{ installed: string[] }>('install', '--completions');
  expect(installed.map((path) => path.slice(folder.length + 1)).sort()).toEqual(ALL);
  expect(account.files()).toEqual([...ALL, '.local/share/spool/installed.json'].sort());
  const linked = execFileSync(`${folder}/.local/bin/spool`, ['version'], { encoding: 'utf8' });
  expect(linked).toBe((await daemon.spool(['version'])).stdout);
  // A second time changes nothing.
  expect((await daemon.spool(['install'])).code).toBe(0);

  writeFileSync(`${folder}/.config/fish/completions/spool.fish`, '# mine now\n');
  const removed = await daemon.spool(['uninstall']);
  expect(removed.stdout).toContain(`removed ${folder}/.local/bin/spool\n`);
  expect(removed.stdout).toContain(`left ${folder}/.config/fish/completions/spool.fish: it was changed since\n`);
  expect(account.files()).toEqual(['.config/fish/completions/spool.fish']);
  expect(await daemon.json<SessionInfo>('inspect', id)).toMatchObject({ state: 'running' });
  expect((await daemon.spool(['uninstall'])).stderr).toContain('Nothing was installed');
});

test('[INST-1] a file of another program is never replaced, and then nothing is written', async () => {
  await using account = new EmptyAccount();
  mkdirSync(`${account.folder}/.local/bin`, { recursive: true });
  writeFileSync(`${account.folder}/.local/bin/spool`, 'another spool');
  const { code, stderr } = await account.daemon.spool(['install', '--completions']);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('is not ours; move it away first')]);
  expect(account.files()).toEqual(['.local/bin/spool']);
});

test('[INST-1] a unit of another author stays, and does not keep the files from being removed', async () => {
  await using account = new EmptyAccount();
  await account.daemon.json('install');
  mkdirSync(`${account.folder}/.config/systemd/user`, { recursive: true });
  writeFileSync(`${account.folder}/.config/systemd/user/spool.service`, '[Unit]\n');
  expect(await account.daemon.json('uninstall')).toMatchObject({ left: [], service: false });
  expect(account.files()).toEqual(['.config/systemd/user/spool.service']);
});

test('[INST-1] without a HOME, or with folders that are relative, nothing gets into the current folder', async () => {
  await using account = new EmptyAccount();
  const { daemon, folder } = account;
  const run = (env: Record<string, string>, ...args: string[]): SpawnSyncReturns<string> => {
    const all = { ...daemon.env, ...env } as NodeJS.ProcessEnv;
    return spawnSync(SPOOL, args, { cwd: folder, env: all, encoding: 'utf8' });
  };
  const within = (...args: Parameters<typeof run>): number | null => run(...args).status;
  expect(run({ HOME: '' }, 'doctor').stdout).toContain('linger');
  expect(within({ HOME: '' }, 'service', 'install')).not.toBe(0);
  expect(within({ HOME: '' }, 'install')).not.toBe(0);
  expect(account.files()).toEqual([]);
  expect(within({ XDG_DATA_HOME: 'here', XDG_CONFIG_HOME: 'here' }, 'install', '--completions')).toBe(0);
  expect(account.files()).toEqual([...ALL, '.local/share/spool/installed.json'].sort());
});

testNeeding(missingProgram('man'))('[INST-1] man reads the manual page without a complaint', async () => {
  await using account = new EmptyAccount();
  await account.daemon.json('install');
  const page = `${account.folder}/.local/share/man/man1/spool.1`;
  const read = (script: string): string => {
    const env = { ...process.env, MANWIDTH: '120', LC_ALL: 'C.UTF-8' };
    return execFileSync('sh', ['-c', script, page], { env, encoding: 'utf8' });
  };
  expect(read('man -l "$0" | cat')).toMatch(/spool daemon start\|stop\|status\|restart\|upgrade/);
  expect(read('man --warnings -l "$0" 2>&1 >/dev/null')).toBe('');
});
