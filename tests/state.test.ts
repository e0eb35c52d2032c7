/** Tests the reported status of a session: states, facts, milestones; also with the user's rules. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client, EventItem } from '@spool/client';
import { idleSeconds, looksLikeShellPrompt } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };

function listen(client: Client, ...types: string[]): EventItem[] {
  const told: EventItem[] = [];
  void (async () => {
    for await (const event of client.events({ types })) told.push(event);
  })();
  return told;
}

/** Starts a program that prints the given text, and waits. */
async function speaker(client: Client): Promise<{ id: string; say(text: string): Promise<void> }> {
  const { id } = await client.run({ command: ['sh', '-c', 'stty raw -echo; printf ready; exec cat'], size: PTY, env });
  await seen(client, id, 'ready');
  return { id, say: (text) => client.write(id, text) };
}

test('[STATE-1] [STATE-2] a program that reports its own status is believed; `explain` says why', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told = listen(client, 'session-status', 'session-osc');
  const { id, say } = await speaker(client);
  const { offset: first } = await client.get(id);
  await say('\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\');
  const blocked = await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  expect(blocked.session.status).toMatchObject({
    state: 'blocked',
    kind: 'permission',
    source: 'program',
    agent: 'codex',
  });
  expect(blocked.session.status.offset).toBeGreaterThan(first);
  const { status, history } = await client.explain(id);
  expect(status.evidence[0]).toMatchObject({ source: 'program', says: 'blocked', confidence: 0.99 });
  expect(history.at(-1)).toMatchObject({ type: 'status', state: 'blocked', kind: 'permission' });
  await say('\x1b]7501;state=working:app=codex\x1b\\');
  await until('it works', async () => (await client.get(id)).status.state === 'working');
  await say('\x1b]7501;state=done:app=codex\x1b\\');
  expect((await client.waitUntil(id, 'idle', { timeoutMs: 10_000 })).session.status).toMatchObject({ kind: 'done' });
  const states = told.flatMap((event) => (event.type === 'session-status' ? [event.status.state] : []));
  expect(states.filter((state, at) => state !== states[at - 1]).slice(-3)).toEqual(['blocked', 'working', 'idle']);
  expect(told.filter(({ type }) => type === 'session-osc').length).toBeGreaterThanOrEqual(3);

  const shown = await daemon.spool(['explain', id]);
  expect(shown.stdout).toMatch(new RegExp(`\\(${id}\\) has been idle \\(done\\)`));
  expect(shown.stdout).toContain('program');
});

test('[STATE-2] titles, folders, progress, bells, messages and command marks become events', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told = listen(client, 'session-osc');
  const { id, say } = await speaker(client);
  await say(
    [
      '\x1b]0;a title\x07',
      '\x1b]7;file://host/tmp\x07',
      '\x1b]9;4;1;42\x07',
      '\x07',
      '\x1b]777;notify;hello;world\x07',
      '\x1b]133;A\x07$ \x1b]133;B\x07',
      '\x1b]133;C;cmdline=make%20all\x07',
      '\x1b]133;D;2\x07',
    ].join(''),
  );
  await until('the last was told', () =>
    told.some((event) => event.type === 'session-osc' && event.fact.type === 'command-end'),
  );
  const facts = told.flatMap((event) => (event.type === 'session-osc' && event.id === id ? [event.fact] : []));
  expect(facts).toMatchObject([
    { type: 'title-changed', title: 'a title' },
    { type: 'cwd-changed', path: '/tmp' },
    { type: 'progress-changed', progress: { state: 'normal', percent: 42 } },
    { type: 'bell-rung' },
    { type: 'notified', title: 'hello', body: 'world' },
    { type: 'prompt-start' },
    { type: 'prompt-end' },
    { type: 'command-start' },
    { type: 'command-end', exitCode: 2 },
  ]);
  expect(await client.get(id)).toMatchObject({ title: 'a title' });
  const { history } = await client.explain(id);
  expect(history.findLast(({ type }) => type === 'command')).toMatchObject({ exitCode: 2 });
});

test('[STATE-1] a new keeper knows what the last one knew', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '-c', 'read -p "Sure? [y/N] " x; sleep 1000'], size: PTY, env });
  await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  expect((await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 })).reason).toBe('blocked');
  await client.keys(id, ['y', 'Enter']);
  await until('it works', async () => (await client.get(id)).status.state === 'working');
});

test('[STATE-1] an idle session stays idle through the death of a keeper, and is idle since it was', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '--norc', '-i'], size: PTY, env });
  const { session } = await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 });
  const { history } = await client.explain(id);
  const told = listen(client, 'session-status');
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  // A restored status is less certain than a reading.
  await until('the new keeper has read the prompt', async () => {
    const { confidence } = (await client.get(id)).status;
    return (await client.status()).keeper.pid !== keeper.pid && confidence === session.status.confidence;
  });
  expect((await client.get(id)).status).toMatchObject({ state: 'idle', since: session.status.since });
  expect((await client.explain(id)).history).toEqual(history);
  expect(told.filter((event) => event.type === 'session-status' && event.status.state === 'working')).toEqual([]);
});

test('[STATE-1] a session that never says anything works; one without a terminal has a status too', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const asking = await client.run({ command: ['sh', '-c', 'printf "Continue? [y/N] "; read x'], size: null, env });
  expect((await client.waitUntil(asking.id, 'blocked', { timeoutMs: 10_000 })).reason).toBe('blocked');
  const silent = await client.run({ command: ['sleep', '1000'], size: PTY, env });
  expect((await client.get(silent.id)).status).toMatchObject({ state: 'starting', source: 'process' });
  await until('it works', async () => (await client.get(silent.id)).status.state === 'working', 20_000);
});

test('[STATE-1] in a shell without marks, the command in the foreground is what is being done', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['bash', '--norc', '--noprofile', '-i'],
    size: PTY,
    env: { ...env, PS1: '$ ' },
  });
  await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 });
  await client.prompt(id, 'sleep 1000');
  await until('it is known', async () => (await client.get(id)).status.activity === 'sleep 1000');
  expect((await client.get(id)).status).toMatchObject({ state: 'working', agent: 'shell' });
  const { offset } = await client.get(id);
  await client.keys(id, ['C-c']);
  const idle = await client.waitUntil(id, 'prompt', { after: offset, timeoutMs: 10_000 });
  expect(idle.session.status).toMatchObject({ state: 'idle', activity: null });
});

test('[STATE-3] rules of the user’s come first; one that is wrong, or evil, is a sentence in the log and harms nobody', async () => {
  await using daemon = new TestDaemon();
  const folder = `${daemon.home}/config/rules`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${folder}/mine.json`,
    JSON.stringify({
      agent: 'mine',
      commands: ['sh'],
      rules: [
        { name: 'evil', says: 'idle', confidence: 1, all: ['(a+)+$'] },
        { name: 'ahead', says: 'idle', confidence: 1, all: ['(?=a)b'] },
        { name: 'asks', says: 'blocked', kind: 'mood', confidence: 0.9, in: 'screen', all: ['how do you feel'] },
      ],
    }),
  );
  writeFileSync(`${folder}/broken.json`, '{');
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['sh', '-c', `printf '${'a'.repeat(60)}!\\nhow do you feel about it'; exec sleep 1000`],
    size: PTY,
    env,
  });
  const { session } = await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  expect(session.status).toMatchObject({ kind: 'mood', agent: 'mine' });
  expect((await client.explain(id)).status.evidence[0]).toMatchObject({ rule: 'mine/asks' });
  const log = readFileSync(`${daemon.home}/daemon.log`, 'utf8');
  expect(log).toMatch(/mine\.json.*ahead/);
  expect(log).toMatch(/broken\.json.*not JSON/);
});

test('[STATE-3] [TASK-5] `doctor` counts the user’s rules and milestones, and has a sentence for each fault, without a daemon', async () => {
  await using daemon = new TestDaemon();
  const own = async (): Promise<unknown[]> => {
    const { stdout } = await daemon.spool(['doctor', '--json']);
    return (JSON.parse(stdout) as { check: string; level: string; says: string }[]).flatMap(({ check, level, says }) =>
      check === 'own rules' ? [[level, says.replace(`${daemon.home}/`, '')]] : [],
    );
  };
  expect(await own()).toEqual([['ok', 'config (rule files: 0, milestone files: 0)']]);
  for (const folder of ['rules', 'milestones']) mkdirSync(`${daemon.home}/config/${folder}`, { recursive: true });
  writeFileSync(`${daemon.home}/config/rules/mine.json`, '{ "agent": "mine", "rules": [{ "name": "asks" }] }');
  writeFileSync(`${daemon.home}/config/milestones/mine.json`, '{ "tool": "mine" }');
  expect(await own()).toEqual([
    ['warn', 'config/milestones/mine.json: "milestones" must be a list'],
    ['warn', 'config/rules/mine.json: "asks": "says" must be working, blocked or idle, not undefined'],
  ]);
});

test('[TASK-5] milestones become events, once each, also across a keeper that was killed; the user’s own too', async () => {
  await using daemon = new TestDaemon();
  const folder = `${daemon.home}/config/milestones`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${folder}/mine.json`,
    JSON.stringify({
      tool: 'mine',
      milestones: [{ name: 'mine-stage', match: '^stage (?<n>[0-9]) reached$', title: 'stage {n}' }],
    }),
  );
  const client = await daemon.client();
  const told = listen(client, 'milestone');
  const { id } = await client.run({
    command: [
      'sh',
      '-c',
      'echo stage 1 reached; read x; printf "\\n  ➜  Local:   http://localhost:5173/\\n"; read y; echo stage 2 reached',
    ],
    size: PTY,
    env,
  });
  const titles = (): string[] =>
    told.flatMap((event) => (event.type === 'milestone' && event.id === id ? [event.title] : []));
  await until('the first was told', () => titles().length === 1);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  await client.write(id, 'x\r');
  await until('the server was told', async () => (await client.get(id)).milestone?.url === 'http://localhost:5173/');
  await client.write(id, 'y\r');
  await client.wait(id);
  await until('the last was told', () => titles().length >= 3);
  expect(titles()).toEqual(['stage 1', expect.stringContaining('http://localhost:5173/'), 'stage 2']);
  const { history } = await client.explain(id);
  expect(history.filter(({ type }) => type === 'milestone')).toHaveLength(3);
  expect(history.at(-1)).toMatchObject({ type: 'status', state: 'exited' });
});

test('[STATE-2] the tail in bytes and in lines, how long it is silent, and the rule for prompts', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: [
      'sh',
      '-c',
      "for i in 1 2 3 4 5; do echo line $i; done; printf '10%%\\r100%%\\n\\033[32mgreen\\033[m\\nuser$ '; exec sleep 1000",
    ],
    size: PTY,
    env,
  });
  await seen(client, id, 'user$ ');
  expect(await client.tail(id, { lines: 3 })).toBe('100%\ngreen\nuser$ ');
  expect(await client.tail(id, { bytes: 6 })).toBe('user$ ');
  expect(await client.tail(id, { lines: 0 })).toBe('');
  expect(looksLikeShellPrompt(await client.tail(id, { bytes: 256 }))).toBe(true);
  expect(looksLikeShellPrompt('done.\n')).toBe(false);
  const info = await client.get(id);
  expect(idleSeconds(info, info.lastOutputAt! + 2500)).toBe(2.5);
});
