import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

function configured(daemon: TestDaemon, config: unknown): string {
  const path = `${daemon.home}/config/config.json`;
  mkdirSync(`${daemon.home}/config`, { recursive: true, mode: 0o700 });
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config, null, 2));
  return path;
}

test('[CONF-1] a configuration that is a link to itself is a mistake, not a missing file', async () => {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { recursive: true, mode: 0o700 });
  symlinkSync('config.json', `${daemon.home}/config/config.json`);
  const checked = await daemon.spool(['config', 'check']);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('it cannot be read: ELOOP');
});

test('[CONF-1] `config check` names each mistake with its line, and what was meant; doctor says it too', async () => {
  await using daemon = new TestDaemon();
  const path = `${daemon.home}/config/config.json`;
  expect(await daemon.spool(['config', 'path'])).toMatchObject({ code: 0, stdout: `${path}\n` });
  expect(await daemon.spool(['config', 'check'])).toMatchObject({
    code: 0,
    stdout: `${path} does not exist; the defaults apply.\n`,
  });
  configured(daemon, { history: 20 });
  expect(await daemon.spool(['config', 'check'])).toMatchObject({ code: 0, stdout: `${path}: no mistakes found.\n` });
  configured(daemon, { detachKey: 'C-q', notify: { quietHours: 'always' } });
  const checked = await daemon.spool(['config', 'check']);
  expect([checked.code, ...checked.stdout.trimEnd().split('\n')]).toEqual([
    1,
    `${path}:2: detachKey is not a setting; did you mean "detachKeys"?`,
    `${path}:4: notify.quietHours must be a range of times like "22:00-07:00", or a list of such ranges; the default applies: []`,
  ]);
  const { stdout } = await daemon.spool(['doctor']);
  expect(stdout).toContain(`${path}:4: notify.quietHours must be a range of times`);
  expect(
    await daemon.json<{ faults: { key: string; line: number; level: string }[] }>('config', 'check').catch(() => null),
  ).toBeNull();
  expect(JSON.parse((await daemon.spool(['config', 'check', '--json'])).stdout)).toMatchObject({
    faults: [
      { key: 'detachKey', line: 2, level: 'warn' },
      { key: 'notify.quietHours', line: 4, level: 'fail' },
    ],
  });
});

test.each(['{ "history": ', '[]', '{ "notify": 7, "keepEnded": true, "env": 5, "sizePolicy": "huge", "history": -1 }'])(
  '[CONF-1] a daemon starts and sessions run with the file %s; it is said what is wrong',
  async (text) => {
    await using daemon = new TestDaemon();
    const path = configured(daemon, text);
    const ran = await daemon.spool(['run', '--', 'echo', 'hello']);
    expect(ran).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect(ran.stderr).toContain(`spool: ${path}`);
    expect((await daemon.spool(['run', '--quiet', '--', 'echo', 'hello'])).stderr).toBe('');
  },
);

test('[CONF-3] settings are defaults, flags win, and `config show` says where each comes from', async () => {
  await using daemon = new TestDaemon({ env: { AWS_REGION: 'here', AWS_PROFILE: 'mine', OTHER: 'no' } });
  const path = configured(daemon, {
    detachKeys: 'C-q',
    sizePolicy: 'smallest',
    retain: '64M',
    env: ['AWS_*'],
    keepEnded: { age: '90d' },
    notify: { quietHours: '22:00-07:00' },
  });
  const { stdout } = await daemon.spool(['run', '--', 'env']);
  expect(stdout.match(/^(AWS_REGION|AWS_PROFILE|OTHER)=.*$/gm)?.sort()).toEqual([
    'AWS_PROFILE=mine',
    'AWS_REGION=here',
  ]);
  const run = (...flags: string[]) =>
    daemon.json<{ sizePolicy: string }>('run', '-d', ...flags, '--', 'cat').then(({ sizePolicy }) => sizePolicy);
  expect([await run('--name', 'cat'), await run('--size-policy', 'largest')]).toEqual(['smallest', 'largest']);
  using terminal = new Terminal([SPOOL, 'attach', 'cat'], daemon.env);
  await terminal.sees('\x1b[2J'); // the terminal is attached
  terminal.type('hello\r');
  await terminal.sees('hello\r\nhello');
  terminal.type('\x11');
  await terminal.sees('[spool: detached from cat');
  const shown = (await daemon.spool(['config', 'show'])).stdout.split('\n').map((line) => line.replace(/ +/g, ' '));
  expect(shown).toEqual(
    expect.arrayContaining([
      `detachKeys "C-q" ${path}:2`,
      'history 0 default',
      `retain "64M" ${path}:4`,
      `keepEnded.age "90d" ${path}:9`,
      `notify.quietHours ["22:00-07:00"] ${path}:12`,
    ]),
  );
  const json = await daemon.json<{ key: string; value: unknown; source: string }[]>('config', 'show');
  expect(json).toContainEqual({ key: 'env', value: ['AWS_*'], source: `${path}:5` });
});

test('[RUN-21] an agent that does not get its API key: one line names it, once, and never its value', async () => {
  const secret = 'sk-secret-value';
  await using daemon = new TestDaemon({
    env: { ANTHROPIC_API_KEY: secret, OPENAI_API_KEY: secret, UNRELATED_API_KEY: 'x' },
  });
  const folder = `${daemon.home}/bin`;
  mkdirSync(folder);
  writeFileSync(`${folder}/claude`, '#!/bin/sh\necho "key: $ANTHROPIC_API_KEY"\n');
  chmodSync(`${folder}/claude`, 0o755);
  expect((await daemon.spool(['run', '-q', '--', `${folder}/claude`])).stderr).toBe('');
  const first = await daemon.spool(['run', '--', `${folder}/claude`]);
  expect(first).toMatchObject({ code: 0, stdout: 'key: \n' });
  expect(first.stderr).toMatch(
    /^\[spool: claude does not get your ANTHROPIC_API_KEY; to pass it: --env ANTHROPIC_API_KEY, /,
  );
  expect(first.stderr).not.toContain(secret);
  expect((await daemon.spool(['run', '--', `${folder}/claude`])).stderr).toBe('');
  configured(daemon, { env: ['ANTHROPIC_API_KEY'] });
  expect(await daemon.spool(['run', '--', `${folder}/claude`])).toMatchObject({
    stdout: `key: ${secret}\n`,
    stderr: '',
  });
  const codex = await daemon.spool(['run', '--agent', 'codex', '--program', `${folder}/claude`, '-d']);
  expect(codex.stderr).toMatch(/^\[spool: codex does not get your OPENAI_API_KEY; to pass it: --env OPENAI_API_KEY, /);
});

test('[CONF-2] `notify test` sends to each channel and says what became of it', async () => {
  await using daemon = new TestDaemon();
  const none = await daemon.spool(['notify', 'test']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No channel is configured')]);
  configured(daemon, {
    notify: {
      command: ['sh', '-c', `cat > ${daemon.home}/got`],
      webhook: 'http://127.0.0.1:1/x',
      quietHours: '00:00-24:00',
    },
  });
  const ran = await daemon.spool(['notify', 'test']);
  expect([ran.code, ran.stdout]).toEqual([
    1,
    expect.stringMatching(/^command  delivered\nwebhook  failed: the request failed: /),
  ]);
  expect(ran.stderr).toContain('quiet hours');
  await until('the command has it', () => existsSync(`${daemon.home}/got`));
  expect(JSON.parse(readFileSync(`${daemon.home}/got`, 'utf8'))).toMatchObject({ type: 'notification', about: 'test' });
});
