/**
 * Tests the correction of a session's status by a user: the screen becomes a case, and the rules are tested against all cases.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { seen, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 60, rows: 12 };
const env = { PATH: process.env.PATH!, HOME: '/' };

test('[STATE-9] `explain --save` writes a case that only the user can read; a new rule turns it right in `doctor rules`', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', 'printf "\\033]0;my title\\007zzz ready when you are\\n"; exec sleep 1000'];
  const { id } = await client.run({ command, name: 'my tool', size: PTY, env });
  await seen(client, id, 'ready when');
  const cases = `${daemon.home}/config/rules/cases`;

  const none = await daemon.spool(['doctor', 'rules']);
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('spool explain ID --save STATE') });

  const saved = await daemon.spool(['explain', 'my tool', '--save', 'idle', '--note', 'waits for orders']);
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toContain(`my tool is idle: saved as ${cases}/my-tool-idle.json`);
  expect(saved.stdout).toMatch(/misread this screen: working by no rule \(output\)/);
  expect(statSync(`${cases}/my-tool-idle.json`).mode & 0o777).toBe(0o600);
  expect(statSync(cases).mode & 0o777).toBe(0o700);
  const file = JSON.parse(readFileSync(`${cases}/my-tool-idle.json`, 'utf8')) as { screen: { lines: string[] } };
  expect(file).toMatchObject({
    should: 'idle',
    note: 'waits for orders',
    command,
    size: PTY,
    screen: { title: 'my title', isAlternate: false, cursor: { row: 1, col: 0, isVisible: true } },
    read: { state: expect.any(String), evidence: [expect.objectContaining({ source: expect.any(String) })] },
  });
  expect(file.screen.lines).toEqual(['zzz ready when you are', ...Array.from({ length: 11 }, () => '')]);

  const wrong = await daemon.spool(['doctor', 'rules']);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(
    /^fail +my-tool-idle +reads working by no rule \(output\).*but is idle \(waits for orders\)/m,
  );
  expect((await daemon.spool(['doctor'])).stdout).toMatch(
    /^warn +rule cases +0 of 1 are read correctly; run spool doctor rules$/m,
  );

  const rule = { name: 'ready', says: 'idle', confidence: 0.8, in: 'bottom 3', all: ['ready when you are'] };
  const mine = { agent: 'mine', recognise: [{ in: 'screen', match: '^zzz' }], rules: [rule] };
  writeFileSync(`${daemon.home}/config/rules/mine.json`, JSON.stringify(mine));
  const right = await daemon.spool(['doctor', 'rules']);
  expect(right.code).toBe(0);
  expect(right.stdout).toMatch(/^ok +my-tool-idle +idle by mine\/ready: the screen shows "ready when you are"/m);

  // A second one gets its own name, and JSON has the same facts.
  const again = await daemon.spool(['explain', id, '--save', 'blocked', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({
    id,
    name: 'my tool',
    file: `${cases}/my-tool-blocked.json`,
    isRight: false,
    reads: 'idle',
    rule: 'mine/ready',
  });
  await daemon.spool(['explain', id, '--save', 'idle']);
  expect(readdirSync(cases)).toEqual(['my-tool-blocked.json', 'my-tool-idle-2.json', 'my-tool-idle.json']);
});

test('[STATE-9] a damaged case is a failed check with a sentence; what cannot be saved is refused, and nothing is written', async () => {
  await using daemon = new TestDaemon();
  const cases = `${daemon.home}/config/rules/cases`;
  mkdirSync(cases, { recursive: true });
  writeFileSync(`${cases}/cut.json`, '{ "should": "id');
  writeFileSync(`${cases}/odd.json`, '{ "should": "busy" }');
  const { code, stdout } = await daemon.spool(['doctor', 'rules']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail +cut +.*cut\.json: is not JSON .*; correct or delete the file$/m);
  expect(stdout).toMatch(
    /^fail +odd +.*odd\.json: "should" must be working, blocked or idle, not "busy"; correct or delete/m,
  );

  const client = await daemon.client();
  const { id } = await client.run({ command: ['true'], name: 'gone', size: PTY, env });
  await client.waitUntil(id, 'exit', { timeoutMs: 10_000 });
  const { id: pipes } = await client.run({ command: ['sleep', '1000'], name: 'piped', size: null, env });
  for (const [args, sentence, exitCode] of [
    [['gone', '--save', 'idle'], /session "?gone"? has ended/, 4],
    [[pipes, '--save', 'idle'], /piped"? has no terminal/, 4],
    [[pipes, '--save', 'busy'], /working, blocked, idle/, 2],
    [[pipes, '--note', 'x'], /--note requires --save/, 2],
  ] as const) {
    const refused = await daemon.spool(['explain', ...args]);
    expect(refused).toMatchObject({ code: exitCode, stdout: '', stderr: expect.stringMatching(sentence) });
  }
  expect(readdirSync(cases)).toEqual(['cut.json', 'odd.json']);
});
