/** Tests `spool policy`: the decisions of the rules, without a daemon. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const RULES = [
  { decision: 'allow', tool: 'Bash', command: 'ls *' },
  { decision: 'allow', tool: 'Edit', path: 'src/**' },
  { decision: 'deny', tool: 'Edit', path: '**/.env' },
];

test('[POL-8] policy test says the decision, the rule and the reason, and starts no daemon', async () => {
  await using daemon = new TestDaemon();
  const file = `${daemon.home}/rules.json`;
  writeFileSync(file, JSON.stringify({ rules: RULES }));
  const asks = async (...words: string[]): Promise<unknown> => {
    const ran = await daemon.spool(['policy', 'test', '--policy', file, '--json', ...words]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return JSON.parse(ran.stdout);
  };
  expect(await asks('--tool', 'Bash', '--command', 'ls -l')).toMatchObject({
    decision: 'allow',
    rule: 'allow Bash command ls *',
    reason: expect.any(String),
  });
  expect(await asks('--tool', 'Bash', '--command', 'ls; rm x')).toMatchObject({ decision: 'ask' });
  expect(await asks('--tool', 'Bash', '--command=-x')).toMatchObject({ decision: 'ask' });
  expect(await asks('--tool', 'Edit', '--input', '{"file_path": ".env"}')).toMatchObject({ decision: 'deny' });
  mkdirSync(`${daemon.home}/work/src`, { recursive: true });
  symlinkSync('/etc', `${daemon.home}/work/src/out`);
  for (const [path, decision] of [
    ['src/a', 'allow'],
    ['src/out/a', 'ask'],
  ] as const) {
    const input = JSON.stringify({ file_path: path });
    expect(await asks('--tool', 'Edit', '--cwd', `${daemon.home}/work`, '--input', input)).toMatchObject({ decision });
  }
  const text = await daemon.spool(['policy', 'test', '--policy', file, '--tool', 'Bash', '--command', 'sort x']);
  expect(text).toMatchObject({ code: 0, stdout: 'ask: no rule allows "sort x"\n' });
  expect((await daemon.spool(['daemon', 'status'])).code).toBe(1);
});

test("[POL-8] policy uses the user's own file, and a file that is missing or faulty allows nothing", async () => {
  await using daemon = new TestDaemon();
  const asks = async (): Promise<unknown> =>
    JSON.parse((await daemon.spool(['policy', 'test', '--tool', 'Bash', '--command', 'ls', '--json'])).stdout);
  expect(await asks()).toMatchObject({ decision: 'ask', reason: 'there is no policy' });
  expect(await daemon.spool(['policy', 'check'])).toMatchObject({ code: 0 });
  mkdirSync(`${daemon.home}/config`, { recursive: true, mode: 0o700 });
  const write = (text: string): void => writeFileSync(`${daemon.home}/config/policy.json`, text);
  write('{"rules": [{"decision": "allow", "comand": "ls *"}]}');
  expect(await asks()).toMatchObject({ decision: 'ask', reason: expect.stringContaining('unknown field "comand"') });
  expect(await daemon.spool(['policy', 'check'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"comand"'),
  });
  write(JSON.stringify({ rules: RULES }));
  expect(await asks()).toMatchObject({ decision: 'allow' });
  expect(await daemon.spool(['policy', 'check'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no mistakes'),
  });
  write(
    JSON.stringify({
      rules: [
        { decision: 'allow', command: 'npm *' },
        { decision: 'allow', command: 'make *', arguments: 'any' },
      ],
    }),
  );
  expect(JSON.parse((await daemon.spool(['policy', 'check', '--json'])).stdout)).toMatchObject({
    exists: true,
    findings: [
      { rule: 1, level: 'fault', message: expect.stringContaining('covers nothing') },
      { rule: 2, level: 'note', message: expect.stringContaining('run other programs') },
    ],
  });
});

test('[POL-8] words that mean nothing are refused', async () => {
  await using daemon = new TestDaemon();
  for (const words of [
    ['test'],
    ['test', '--tool', 'Bash', '--command', 'ls', '--input', '{}'],
    ['test', '--tool', 'Bash', '--input', '{'],
    ['explain'],
  ])
    expect(await daemon.spool(['policy', ...words])).toMatchObject({ code: 2, stdout: '' });
  expect((await daemon.spool(['policy', 'check', '--policy', `${daemon.home}/none.json`])).code).not.toBe(0);
});
