/** Tests `spool driver NAME` alone in a pipe: a scripted agent, and real ones if `scripts/agents.mjs` has downloaded them. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { AgentEvent } from '@spool/client';
import { isAlive, program, SPOOL, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, AGENTS, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';

const SCRIPTED = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const PATIENCE_MS = 60_000;

type AgentEventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

class PipedDriver implements Disposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  readonly folder: string;
  stderr = '';
  #stdout = '';

  constructor(args: readonly string[], { env = {}, wrap = [] as readonly string[], folder = newFolder() } = {}) {
    this.folder = folder;
    const [file, ...words] = [...wrap, SPOOL, 'driver', ...args];
    this.child = spawn(file!, words, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, MARK: folder, ...env } as unknown as NodeJS.ProcessEnv,
    });
    this.child.stdout.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.child.stdin.on('error', () => {}); // it has ended
    this.ended = new Promise((resolve) => this.child.on('close', (code) => resolve(code)));
  }

  /** Starts the scripted agent after a shell script. */
  static scripted(script = '', args: readonly string[] = []): PipedDriver {
    const folder = newFolder();
    const file = `${folder}/agent`;
    writeFileSync(file, `#!/bin/sh\n${script}\nexec '${process.execPath}' '${SCRIPTED}' received\n`);
    chmodSync(file, 0o755);
    return new PipedDriver(['claude', '--program', file, ...args], { folder });
  }

  send(...commands: (object | string)[]): void {
    for (const command of commands)
      this.child.stdin.write(`${typeof command === 'string' ? command : JSON.stringify(command)}\n`);
  }

  prompt(text: string, clientId: string): void {
    this.send({ do: 'prompt', clientId, content: [{ type: 'text', text }] });
  }

  get events(): AgentEvent[] {
    const whole = this.#stdout.slice(0, this.#stdout.lastIndexOf('\n') + 1);
    return whole === ''
      ? []
      : whole
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as AgentEvent);
  }

  of<K extends AgentEvent['kind']>(kind: K): AgentEventOf<K>[] {
    return this.events.filter((event): event is AgentEventOf<K> => event.kind === kind);
  }

  async seen<K extends AgentEvent['kind']>(kind: K, count = 1): Promise<AgentEventOf<K>> {
    await until(`${kind} comes`, () => this.of(kind).length >= count, PATIENCE_MS).catch((error: Error) => {
      throw new Error(`${error.message}; it said ${this.#stdout.slice(-2000)}${this.stderr}`);
    });
    return this.of(kind)[count - 1]!;
  }

  [Symbol.dispose](): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const newFolder = (): string => mkdtempSync(`${tmpdir()}/spool-test-pipe-`);

test('[PIPE-1] prompts go in, events come out, a permission is answered; the end of the input closes the agent, and the exit code is 0', async () => {
  using run = PipedDriver.scripted();
  run.prompt('say hello', 'one');
  await run.seen('turn.ended');
  run.prompt('ask 1', 'two');
  const { request, digest } = await run.seen('permission.requested');
  run.send({ do: 'permission', request, digest, behavior: 'allow' });
  await run.seen('turn.ended', 2);
  run.prompt('count 5', 'three');
  run.prompt('say goodbye', 'four');
  run.child.stdin.end(); // both are executed first
  expect(await run.ended).toBe(0);
  expect(run.of('message.done').map(({ text }) => text)).toEqual([
    'hello',
    'ask is done',
    '0 1 2 3 4 ',
    'count is done',
    'goodbye',
  ]);
  expect(run.of('permission.resolved')).toMatchObject([{ decision: 'allow', by: 'watcher' }]);
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at));
  expect(run.events.at(-1)).toMatchObject({ kind: 'status', state: 'ended' });
  expect(run.stderr).toBe('');
});

test('[PIPE-1] what an agent asks when the input has ended is denied, and the turn ends', async () => {
  using run = PipedDriver.scripted();
  run.prompt('ask 2', 'one');
  run.child.stdin.end();
  expect(await run.ended).toBe(0);
  expect(run.of('permission.resolved')).toMatchObject([
    { decision: 'deny', who: 'end of input' },
    { decision: 'deny', who: 'end of input' },
  ]);
  expect(run.of('turn.ended')).toMatchObject([{ outcome: 'completed' }]);
});

test('[PIPE-1] `close` closes it too, and the queue is edited as in a session', async () => {
  using run = PipedDriver.scripted();
  run.prompt('hang', 'one');
  await run.seen('turn.started');
  run.prompt('say wrong', 'two');
  run.send({ do: 'editPrompt', clientId: 'two', content: [{ type: 'text', text: 'say right' }] });
  run.prompt('say gone', 'three');
  run.send({ do: 'cancelPrompt', clientId: 'three' }, { do: 'interrupt' });
  await run.seen('turn.ended', 2);
  run.send({ do: 'close' });
  expect(await run.ended).toBe(0);
  expect(run.of('turn.ended')).toMatchObject([{ outcome: 'interrupted' }, { outcome: 'completed', text: 'right' }]);
});

test('[PIPE-2] a line that is not a command is refused by an event that names it, and the next command is carried out', async () => {
  using run = PipedDriver.scripted();
  const hostile = [
    'no json',
    '{"do":',
    '[]',
    'null',
    '7',
    '{}',
    '{"do":"fly"}',
    '{"do":"prompt"}',
    '{"id":"named","do":"prompt","content":"text"}',
    '{"do":"prompt","content":[{"type":"text","text":"x"}],"later":1}',
    '{"do":"permission","request":7}',
    '{"do":"__proto__","__proto__":{"do":"close"}}',
    `{"do":"prompt","content":[{"type":"text","text":"${'x'.repeat(2 * 1024 * 1024)}"}]}`,
    '\u0000\u001b[31m',
    `${'['.repeat(5000)}`,
  ];
  run.send(...hostile);
  run.child.stdin.write(Buffer.from([0xff, 0xfe, 0x0a, 0x0a, 0x0a]));
  run.send({ do: 'permission', request: 'unknown', behavior: 'allow' });
  run.prompt('say alive', 'one');
  await run.seen('turn.ended');
  run.child.stdin.end();
  expect(await run.ended).toBe(0);
  const refused = run.of('command.refused');
  expect(refused.filter(({ code }) => code === 'invalid')).toHaveLength(hostile.length + 1);
  expect(refused.map(({ command }) => command)).toContain('named');
  expect(refused.find(({ command }) => command === 'line 13')).toMatchObject({
    message: expect.stringContaining('at most 1048576') as string,
  });
  expect(refused.filter(({ code }) => code === 'unknown-request')).toHaveLength(1);
  expect(refused.every(({ message }) => message.length > 10 && message.length < 300)).toBe(true);
  expect(run.of('message.done')).toMatchObject([{ text: 'alive' }]);
});

const LEAVES = "setsid sh -c 'echo $$ > left; exec tail -f /dev/null' &\nwhile [ ! -s left ]; do sleep 0.05; done";

test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '[PIPE-3] %s ends the agent and everything that it has started; what was open is ended by events',
  async (signal) => {
    using run = PipedDriver.scripted(LEAVES);
    run.prompt('hang', 'one');
    await run.seen('turn.started');
    const left = Number(readFileSync(`${run.folder}/left`, 'utf8'));
    expect(isAlive(left)).toBe(true);
    run.child.kill(signal);
    expect(await run.ended).toBe(128 + { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 }[signal]);
    expect(isAlive(left)).toBe(false);
    expect(run.of('turn.ended')).toMatchObject([{ outcome: 'failed' }]);
    expect(run.of('session.ended')).toHaveLength(1);
  },
);

test('[PIPE-3] a closed agent leaves no process either, and one whose reader is gone ends', async () => {
  using run = PipedDriver.scripted(LEAVES);
  run.prompt('say hello', 'one');
  run.child.stdin.end();
  expect(await run.ended).toBe(0);
  expect(isAlive(Number(readFileSync(`${run.folder}/left`, 'utf8')))).toBe(false);

  using unread = PipedDriver.scripted(LEAVES);
  unread.prompt('stream 600', 'one');
  await unread.seen('turn.started');
  const left = Number(readFileSync(`${unread.folder}/left`, 'utf8'));
  unread.child.stdout.destroy();
  expect(await unread.ended).toBe(0);
  expect(isAlive(left)).toBe(false);
});

test('[PIPE-3] an agent dies with a driver that is killed', async () => {
  // The agent does not notice that its input has ended.
  using run = PipedDriver.scripted('echo $$ > pid; exec tail -f /dev/null');
  await until(
    'it runs',
    () => existsSync(`${run.folder}/pid`) && readFileSync(`${run.folder}/pid`).length > 1,
    PATIENCE_MS,
  );
  const agent = Number(readFileSync(`${run.folder}/pid`, 'utf8'));
  expect(isAlive(agent)).toBe(true);
  run.child.kill('SIGKILL');
  await until('the agent is gone', () => !isAlive(agent), PATIENCE_MS);
});

test('[PIPE-1] the exit code is that of an agent that ends by itself; wrong words are told at once', async () => {
  using run = PipedDriver.scripted();
  run.prompt('die', 'one');
  expect(await run.ended).toBe(3);
  expect(run.of('turn.ended')).toMatchObject([{ outcome: 'failed' }]);
  using missing = new PipedDriver(['claude', '--program', 'no-such-agent-at-all']);
  expect(await missing.ended).toBe(127);
  expect(JSON.stringify(missing.events)).toContain('no-such-agent-at-all');
  for (const words of [
    ['acp'],
    ['claude', '--cwd', '/nowhere/at/all'],
    ['nobody'],
    ['claude', '--replay', '-', '--', 'x'],
  ]) {
    using wrong = new PipedDriver(words);
    expect([words, await wrong.ended]).toEqual([words, 2]);
  }
});

test('[PIPE-1] folder, model, mode, resume and further arguments reach the agent', async () => {
  const folder = newFolder();
  writeFileSync(`${folder}/agent`, '#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > said\n');
  chmodSync(`${folder}/agent`, 0o755);
  const flags = ['--cwd', folder, '--model', 'm', '--mode', 'plan', '--resume', 'r'];
  using run = new PipedDriver(['claude', '--program', `${folder}/agent`, ...flags, '--', '--add-dir', 'a b'], {
    folder,
  });
  run.child.stdin.end();
  expect(await run.ended).toBe(0);
  const [cwd, ...said] = readFileSync(`${folder}/said`, 'utf8').trimEnd().split('\n');
  expect(cwd).toBe(folder);
  expect(said.join(' ')).toMatch(/--model m --permission-mode plan --resume r --add-dir a b$/);
});

test.for([
  { name: 'claude', flags: ['--mode', 'manual'], env: {} },
  { name: 'opencode', flags: [], env: { OPENCODE_PERMISSION: '{"bash":"ask"}' } },
])(
  '[PIPE-1] $name, the real one, in a pipe: text, a command that is approved, and nothing is left',
  AGAIN,
  async ({ name, flags, env }, { skip }) => {
    const real = AGENTS.find((each) => each.name === name)!;
    skip(!isInstalled(real), `it runs once \`node scripts/agents.mjs ${name}\` has brought the program`);
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    using home = new AgentHome(real);
    const args = [name, '--cwd', home.project, '--program', commandOf(real).join(' '), ...flags];
    using run = new PipedDriver(args, { wrap: [offline], env: { ...home.env, ...env } });
    run.prompt('please greet', 'one');
    await run.seen('turn.ended');
    run.prompt('please run touch made.txt', 'two');
    const { request, digest } = await run.seen('permission.requested');
    run.send({ do: 'permission', request, digest, behavior: 'allow' });
    await run.seen('turn.ended', 2);
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    expect(run.of('message.done')[0]).toMatchObject({ text: 'Heard 1 of them, at last PLEASE GREET.' });
    expect(existsSync(`${home.project}/made.txt`)).toBe(true);
    expect(run.of('tool.ended')).toMatchObject([{ status: 'ok' }]);
    expect(run.of('raw')).toEqual([]);
    const all = spawnSync('sh', [
      '-c',
      `grep -l '${home.project.replace('/project', '')}' /proc/[0-9]*/environ 2>/dev/null`,
    ]);
    expect(all.stdout.toString().trim()).toBe('');
  },
);
