/** Tests what `spool doctor` says about an installation and the machine, in an empty account. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { SPOOL, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly says: string;
  readonly todo?: string;
}

class EmptyAccount {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-account-`);
  readonly bin = `${this.folder}/.local/bin`;
  readonly others = `${this.folder}/others`;
  /** The programs that the launcher needs: folders of the system may contain a `spool`. */
  readonly tools = `${this.folder}/tools`;
  readonly daemon: TestDaemon;

  constructor() {
    mkdirSync(this.others);
    mkdirSync(this.tools);
    for (const name of ['sh', 'readlink']) symlinkSync(`/bin/${name}`, `${this.tools}/${name}`);
    symlinkSync(process.execPath, `${this.tools}/node`);
    const env = { HOME: this.folder, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '' };
    this.daemon = new TestDaemon({ env });
  }

  /** Runs doctor with only these folders in PATH, besides the tools of the launcher. */
  async doctor(folders: readonly string[], ...flags: string[]): Promise<Finding[]> {
    const env = { PATH: [...folders, this.tools].join(':') };
    return JSON.parse((await this.daemon.spool(['doctor', ...flags, '--json'], { env })).stdout) as Finding[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

const about = (findings: readonly Finding[], check: string): Finding[] =>
  findings.filter((finding) => finding.check === check);

test('[INST-3] `doctor` says whether the shell finds spool, and `--fix` links it and makes folders private, once', async () => {
  await using account = new EmptyAccount();
  const { bin, others, daemon } = account;
  chmodSync(daemon.home, 0o755);

  const missing = await account.doctor([]);
  expect(about(missing, 'PATH')).toMatchObject([
    { level: 'warn', says: 'has no spool', todo: expect.stringMatching(/spool install$/) },
  ]);
  expect(about(missing, 'state folder')).toMatchObject([{ level: 'fail' }]);
  expect(existsSync(bin)).toBe(false); // looking changes nothing

  const fixed = await account.doctor([bin], '--fix');
  expect(about(fixed, 'PATH')).toMatchObject([
    { level: 'ok', says: expect.stringContaining(`fixed: linked ${bin}/spool to `) },
    { level: 'ok', says: `${bin}/spool is this installation` },
  ]);
  expect(about(fixed, 'state folder')).toMatchObject([{ says: `fixed: chmod 700 ${daemon.home}` }, { level: 'ok' }]);
  expect(statSync(daemon.home).mode & 0o777).toBe(0o700);
  expect(readlinkSync(`${bin}/spool`)).toMatch(/\/spool$/);
  expect(about(await account.doctor([bin], '--fix'), 'PATH')).toMatchObject([{ level: 'ok' }]);

  expect(about(await account.doctor([], '--fix'), 'PATH')).toMatchObject([
    { level: 'warn', says: `does not contain ${bin}, where spool is`, todo: expect.stringContaining('export PATH=') },
  ]);
  writeFileSync(`${others}/spool`, '#!/bin/sh\n', { mode: 0o755 });
  expect(about(await account.doctor([others, bin]), 'PATH')).toMatchObject([
    { level: 'warn', says: expect.stringContaining(`${others}/spool is another installation`) },
  ]);
  expect(about(await account.doctor([`${SPOOL.slice(0, SPOOL.lastIndexOf('/'))}`]), 'PATH')).toMatchObject([
    { level: 'ok' },
  ]);
});

test('[INST-3] `doctor` reports disk, inotify and linger', async () => {
  await using account = new EmptyAccount();
  const findings = await account.doctor([]);
  for (const check of ['disk', 'inotify', 'linger']) expect(about(findings, check)).toHaveLength(1);
});

test('[INST-4] `doctor` lists the agents in PATH: version, whether it was tested, and which get a side channel', async () => {
  await using account = new EmptyAccount();
  const { others, daemon } = account;
  const install = (name: string, prints: string): void =>
    writeFileSync(`${others}/${name}`, `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 });
  expect(about(await account.doctor([]), 'agent programs')).toMatchObject([{ level: 'ok', says: 'none in PATH' }]);
  install('claude', '2.1.326 (Claude Code)');
  install('codex', 'codex-cli 9.0.0');
  install('gemini', '0.61.0');
  install('grok', 'grok 1.2.3-beta');
  install('qwen', 'no idea');
  const agents = (await account.doctor([others])).filter(
    ({ check }) => check.startsWith('agent ') && check !== 'agent parts',
  );
  expect(agents.map(({ check, level, says }) => [check, level, says.replaceAll(others, '')])).toEqual([
    ['agent claude', 'ok', '2.1.326 in /claude, a tested version; side channel: yes'],
    [
      'agent codex',
      'warn',
      expect.stringMatching(/^9\.0\.0 in .*not a tested version .*; side channel: no \(Codex 9\.0\.0 is not known/),
    ],
    ['agent gemini', 'ok', '0.61.0 in /gemini, a tested version; side channel: yes'],
    ['agent grok', 'ok', expect.stringMatching(/^1\.2\.3-beta in .*no list of tested versions; /)],
    ['agent qwen', 'warn', '/qwen: `qwen --version` printed no known version'],
  ]);
  expect((await daemon.spool(['config', 'set', 'sideChannel', 'false'])).code).toBe(0);
  expect(about(await account.doctor([others]), 'agent claude')[0]!.says).toContain(
    'side channel: no (`sideChannel` is false',
  );
});

test('[INST-4] `doctor` compares the versions of command line, daemon and gateway', async () => {
  await using account = new EmptyAccount();
  const { daemon } = account;
  await daemon.json('web', '--no-open', '--port', daemon.gatewayPort);
  const { version, gateway } = await (await daemon.client()).status();
  expect(gateway?.version).toBe(version);
  expect(about(await account.doctor([]), 'version')).toEqual([
    { check: 'version', level: 'ok', says: expect.stringMatching(`^${version}, in use for `) as string },
  ]);
});
