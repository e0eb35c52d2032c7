/** Tests agents without a terminal as a user sees them: `logs` and `attach`, with a scripted agent. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ScreenModel } from '@spool/screen';
import { FrameType } from '@spool/protocol';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { type TestFrame, TestGateway } from './support/gateway.ts';
import { pressUntil } from './support/press-until.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const SEE_MS = 60_000;

async function start(daemon: TestDaemon, name: string, prompt?: string): Promise<void> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
  await daemon.json(
    'run',
    '--agent',
    'claude',
    '-d',
    '--name',
    name,
    '--program',
    program,
    ...(prompt ? ['--', prompt] : []),
  );
}

async function logs(daemon: TestDaemon, ...args: string[]): Promise<string> {
  return (await daemon.spool(['logs', ...args])).stdout;
}

class AttachedAgent implements Disposable {
  readonly terminal: Terminal;
  size = { cols: 80, rows: 24 };

  constructor(daemon: TestDaemon, name: string, size = { cols: 80, rows: 24 }, ...flags: string[]) {
    this.size = size;
    this.terminal = new Terminal([SPOOL, 'attach', name, ...flags], daemon.env, size);
  }

  get screen(): string {
    const model = new ScreenModel(this.size, { scrollback: 0 });
    try {
      model.write(Buffer.from(this.terminal.printed, 'latin1'));
      return model
        .plainLines()
        .map((line) => line.trimEnd())
        .join('\n');
    } finally {
      model.dispose();
    }
  }

  async shows(text: string | RegExp): Promise<void> {
    const has = (): boolean => (typeof text === 'string' ? this.screen.includes(text) : text.test(this.screen));
    await until(`it shows ${text}`, has, SEE_MS).catch(() => expect(this.screen).toContain(text));
  }

  [Symbol.dispose](): void {
    this.terminal[Symbol.dispose]();
  }
}

test('[LIST-7, LIST-8] a list has the first prompt and the last words of an agent, also after its end and for the next keeper', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'ann', 'show');
  await start(daemon, 'bob');
  await daemon.spool(['prompt', 'bob', 'say hello to everyone', '--wait', 'idle']);
  const row = async (name: string): Promise<string> =>
    (await daemon.spool(['ls'])).stdout.split('\n').find((line) => line.includes(`  ${name}  `)) ?? '';
  await until('the turn is over', async () => (await row('ann')).includes('show is done'), SEE_MS);
  expect(await row('ann')).toMatch(/ show is done +claude: show$/);
  expect(await row('bob')).toMatch(/ hello to everyone +claude: say hello to everyone$/);
  expect(await row('ann')).not.toContain('stream-json');
  await daemon.spool(['stop', 'ann', 'bob']);
  await daemon.spool(['daemon', 'restart']);
  expect(await row('ann')).toMatch(/ claude: show$/);
  expect(await row('bob')).toMatch(/ claude: say hello to everyone$/);
});

test('[INST-20] an agent that cannot start its work says why: in the output of `run`, in `logs` and in `summary`', async () => {
  await using daemon = new TestDaemon();
  const program = `${daemon.home}/no-key`;
  writeFileSync(program, '#!/bin/sh\necho "Invalid API key. Please run /login" >&2\nexit 1\n', { mode: 0o755 });
  const flags = ['--agent', 'claude', '--program', program];
  const why = 'the agent ended with exit code 1: Invalid API key. Please run /login';
  expect(await daemon.spool(['run', ...flags, '--', 'go'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(why),
  });
  expect((await daemon.spool(['logs'])).stdout).toContain(why);
  expect((await daemon.spool(['summary'])).stdout).toContain(`\nits last words\n  ${why}\n`);
});

test('[EVT-25] `prompt --wait idle` prints the answer of an agent, and a summary has it', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'ann');
  const said = await daemon.spool(['prompt', 'ann', 'say the tests pass', '--wait', 'idle']);
  expect(said).toMatchObject({ code: 0, stdout: 'the tests pass\n' });
  const json = JSON.parse(
    (await daemon.spool(['prompt', 'ann', 'say again', '--wait', 'idle', '--json'])).stdout,
  ) as object;
  expect(json).toMatchObject({ isConfirmed: true, answer: 'again' });
  const asks = await daemon.spool(['prompt', 'ann', 'ask 1', '--wait', 'blocked']);
  expect(asks.stdout).toMatch(/^ann is blocked: /);
  const page = (await daemon.spool(['summary', 'ann'])).stdout;
  expect(page).toContain('\n  agent    claude\n  prompt   say the tests pass\n');
  expect(page).toMatch(/\nits last words\n {2}again\n$/);
  expect(page).not.toContain('stream-json');
});

test('[SHOW-4] `logs` of an agent is plain text in a pipe: Markdown, tools, diffs, never the wire', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'ann', 'show');
  await until('the turn is over', async () => (await logs(daemon, 'ann')).includes('show is done'), SEE_MS);
  const text = await logs(daemon, 'ann');
  expect(text).toContain('> show\n');
  expect(text).toContain('The function add is wrong: it subtracts. See the docs (https://example.com/add)');
  expect(text).toContain('● Bash npm test\n  ok 1 - a test\n  ok 2 - a test\n  ok 3 - a test\n  … 7 more lines\n');
  expect(text).toContain('    -  return a - b;\n    +  return a + b;\n');
  expect(text).not.toMatch(/[\u001b{]"|"type"|\u001b/);
  expect(await logs(daemon, 'ann', '--full')).toContain('ok 7 - a test');
  expect(await logs(daemon, 'ann', '--tail', '2')).toMatch(/^show is done\n─ .*s\n$/);
  expect(await logs(daemon, 'ann', '--grep', 'Fix the sign')).toBe('2. Fix the sign\n');
  const wrong = await daemon.spool(['logs', 'ann', '--since', '#5']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('use a time') });
});

test('[SHOW-1, SHOW-41] on a terminal colours come only from us, hostile texts are spelled out, and NO_COLOR is obeyed', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'eve', 'hostile');
  await until('the turn is over', async () => (await logs(daemon, 'eve')).includes('evil.example'), SEE_MS);
  for (const env of [{}, { NO_COLOR: '1' }]) {
    using terminal = new Terminal(['sh', '-c', `${SPOOL} logs eve; echo end-of-it`], { ...daemon.env, ...env });
    await terminal.sees('end-of-it');
    const printed = Buffer.from(terminal.printed, 'latin1').toString();
    expect(printed).toContain('\\e]52;c;aGk=\\x07');
    expect(printed).toContain('\\u{202e}gnp.exe');
    expect(printed).not.toMatch(/\u001b(?!\[[\d;]*m)|\u0007|\u202e|\u2066|\u009b/);
    expect(/\u001b\[3[1-7]m/.test(printed)).toBe(!('NO_COLOR' in env));
  }
});

test('[SHOW-5, SHOW-6] in `attach` a prompt of two lines is sent, a permission is answered by a key, and the turn is interrupted', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'bob');
  using user = new AttachedAgent(daemon, 'bob');
  await user.shows('bob is idle');
  user.terminal.type('say one\\\rtwo\r');
  await user.shows(/> say one\n {2}two/);
  user.terminal.type('ask 1\r');
  await user.shows('y allow once');
  await pressUntil(user.terminal, 'y', () => user.screen.includes('ask is done'));
  expect(await logs(daemon, 'bob')).toMatch(/✓ allowed by .* · Bash echo 0/);
  user.terminal.type('hang\r');
  await user.shows('Esc interrupts');
  user.terminal.type('\x1b');
  await user.shows('─ interrupted');
  user.terminal.type('\x1c');
  await user.terminal.sees('detached from bob');
  expect((await (await daemon.client()).get('bob')).state).toBe('running');
});

test('[SHOW-7] the keeper is killed while an agent is attached: the text is there once, and the next prompt arrives once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await start(daemon, 'cat', 'count 300');
  using user = new AttachedAgent(daemon, 'cat', { cols: 200, rows: 50 });
  await user.shows(' 20 ');
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await user.shows('count is done');
  user.terminal.type('say after the kill\r');
  await user.shows(/\nafter the kill\n/);
  const wanted = Array.from({ length: 300 }, (_, at) => String(at)).join(' ');
  const shown = user.screen.slice(user.screen.indexOf('0 1 2')).split('count is done')[0]!;
  expect(shown.replaceAll(/\s+/g, ' ').trim()).toBe(wanted);
  expect(user.screen.match(/after the kill/g)).toHaveLength(2); // the prompt and the answer
  user.size = { cols: 60, rows: 20 };
  spawnSync('stty', ['-F', user.terminal.path, 'cols', '60', 'rows', '20']);
  process.kill(user.terminal.pid, 'SIGWINCH');
  const painted = user.terminal.printed.length;
  await until('it is painted again', () => user.terminal.printed.slice(painted).includes('after the kill'), SEE_MS);
});

test('[SHOW-4] `attach` into a pipe follows to the end, and `attach -r` shows no line to write in', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await start(daemon, 'dan', 'say hello');
  using user = new AttachedAgent(daemon, 'dan', { cols: 40, rows: 15 }, '-r');
  await user.shows('hello');
  expect(user.screen).toContain('read-only');
  expect(user.screen).not.toMatch(/^>\s*$/m);
  const piped = daemon.spool(['attach', 'dan']);
  await client.command('dan', { do: 'close' });
  expect((await piped).stdout).toMatch(/> say hello\n[\s\S]*\nhello\n/);
});

test('[SHOW-8] the text of an agent is exported; a recording of it is refused with what to use, and `watch` previews it', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'fay', 'show');
  await until('the turn is over', async () => (await logs(daemon, 'fay')).includes('show is done'), SEE_MS);
  expect((await daemon.spool(['export', '--text', 'fay'])).stdout).toContain('  ok 7 - a test\n');
  const page = (await daemon.spool(['export', '--html', 'fay'])).stdout;
  expect(page).toMatch(/<pre[\s\S]*What I found/);
  for (const name of ['prompt', 'heading', 'code', 'added', 'removed', 'dim'])
    expect(page.includes(`<span class="${name}`), name).toBe(true);
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script/i);
  expect(await daemon.spool(['export', '--asciicast', 'fay'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use --text or --html'),
  });
  using watch = new Terminal([SPOOL, 'watch'], daemon.env, { cols: 100, rows: 40 });
  await watch.sees('fay');
  await watch.sees('return a + b;');
});

test('[SHOW-9] by token: a viewer reads an agent and answers nothing, a prompter answers and prompts, and neither types', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  await using afar = new TestDaemon();
  await start(daemon, 'gus', 'ask 1');
  const as = async (role: 'viewer' | 'prompter', ...args: string[]): ReturnType<TestDaemon['spool']> => {
    const file = `${daemon.home}/${role}.token`;
    writeFileSync(file, (await gateway.token(role)).token, { mode: 0o600 });
    return await afar.spool(['--host', gateway.origin, '--token-file', file, ...args]);
  };
  await until('it asks', async () => (await logs(daemon, 'gus')).includes('? Allow Bash?'), SEE_MS);
  expect((await as('viewer', 'logs', 'gus')).stdout).toContain('? Allow Bash?\n  command: echo 0');
  for (const args of [
    ['approve', 'gus', '--request', 'request-1-0'],
    ['interrupt', 'gus'],
    ['prompt', 'gus', 'say no'],
  ])
    expect([args, (await as('viewer', ...args)).code]).toEqual([args, 4]);
  expect((await daemon.spool(['inspect', 'gus', '--json'])).stdout).toContain('"blocked"');
  expect((await as('prompter', 'send', 'gus', 'x')).code).toBe(4);
  const approved = await as('prompter', 'approve', 'gus', '--request', 'request-1-0');
  expect(approved).toMatchObject({ code: 0, stdout: 'Allowed in gus: Bash echo 0 · description: a test\n' });
  await until('it goes on', async () => (await logs(daemon, 'gus')).includes('ask is done'), SEE_MS);
});

test('[DOOR-45, DOOR-15] by token: of the events of an agent a viewer sees no names and no folder, and a limited token sees only its own', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  await start(daemon, 'hal', 'ask 1');
  await start(daemon, 'ida', 'say not for everyone');
  await until('it asks', async () => (await logs(daemon, 'hal')).includes('? Allow Bash?'), SEE_MS);
  const client = await daemon.client();
  const [{ id }, other] = [await client.get('hal'), await client.get('ida')];
  await daemon.spool(['approve', 'hal', '--request', 'request-1-0']);
  await until('it goes on', async () => (await logs(daemon, 'hal')).includes('ask is done'), SEE_MS);
  const { token: open } = await gateway.token('operator');
  const { token: shut } = await gateway.token('viewer', '--session', id);
  const read = async (token: string, from: number | 'start', creditBytes = 1024 * 1024): Promise<string> => {
    const socket = await gateway.frames(token);
    const answer = await socket.request('watchEvents', { session: id, from, creditBytes });
    const first = Number(answer['from']);
    if (from !== 'start') expect(first).toBe(from);
    const outputs = (): TestFrame[] => socket.frames.filter(({ type }) => type === FrameType.output);
    const bytes = (): Buffer => Buffer.concat(outputs().map(({ payload }) => payload));
    const wanted = Math.min(Number(answer['offset']) - first, creditBytes);
    await until('all is there', () => bytes().length >= wanted, SEE_MS);
    expect(outputs()[0]!.offset).toBe(first);
    socket.close();
    return bytes().toString();
  };
  const whole = await read(open, 'start');
  const seen = await read(shut, 'start');
  expect(whole).toMatch(/"who":"[^*"]+"/);
  expect(whole).toContain('"cwd":"/"');
  expect(seen.replaceAll(/\*+/g, '')).not.toMatch(/"(who|cwd)":"[^"]/);
  expect(seen).toHaveLength(whole.length);
  expect(seen).toContain('ask is done');
  // In the middle of a line, like a client that reconnects.
  const middle = whole.indexOf('"who":"') + 3;
  expect(await read(shut, middle)).toBe(seen.slice(middle));
  expect(await read(shut, middle, 50)).toBe(seen.slice(middle, middle + 50));
  const socket = await gateway.frames(shut);
  for (const op of ['watchEvents', 'get', 'watch'])
    expect(await socket.request(op, { session: other.id, from: 0, creditBytes: 1 })).toMatchObject({
      code: 'SESSION_UNKNOWN',
    });
});

test('[SHOW-4] `logs --json` and `attach --json` of an agent print its events; `interrupt` and `prompt` say what they did', async () => {
  await using daemon = new TestDaemon();
  await start(daemon, 'jay', 'say one');
  await until('the turn is over', async () => (await logs(daemon, 'jay')).includes('\none\n'), SEE_MS);
  const kinds = (text: string): string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
  const printed = await logs(daemon, 'jay', '--json');
  expect(kinds(printed)).toEqual(
    expect.arrayContaining(['session.started', 'turn.started', 'message.done', 'turn.ended']),
  );
  expect(printed).toBe((await daemon.spool(['events', 'jay', '--agent', '--json'])).stdout);
  expect(await logs(daemon, 'jay', '--json', '--since', '2100-01-01 00:00')).toBe('');
  const refused = { code: 2, stderr: expect.stringContaining('is for its text') };
  expect(await daemon.spool(['logs', 'jay', '--json', '--grep', 'x'])).toMatchObject(refused);
  expect((await daemon.spool(['prompt', 'jay', 'hang'])).stdout).toBe('Sent to jay.\n');
  expect((await daemon.spool(['interrupt', 'jay'])).stdout).toBe('Interrupted jay.\n');
  const { id } = await (await daemon.client()).get('jay');
  expect((await daemon.spool(['approve', id])).stderr).toContain('no permission is waiting in "jay"');
  await until('it is interrupted', async () => (await logs(daemon, 'jay')).includes('─ interrupted'), SEE_MS);
  const attached = daemon.spool(['attach', 'jay', '--json']);
  await (await daemon.client()).command('jay', { do: 'close' });
  const lines = kinds((await attached).stdout);
  expect(lines.slice(0, 3)).toEqual(kinds(printed).slice(0, 3));
  expect(lines).toContain('session.ended');
});
