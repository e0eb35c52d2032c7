/**
 * Tests the side channel of Claude Code in its own terminal: the real program, beside a scripted model, in a separate network. The
 * tests with the real program run if `node scripts/agents.mjs claude` has downloaded it. `SPOOL_RACES` raises the number of requests
 * that both sides answer.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@spool/client';
import type { AgentEvent } from '@spool/protocol/agent';
import { program, seen, TestDaemon, until } from '@spool/testkit';
import { AGAIN, AGENTS, AgentHome, isInstalled } from '@spool/testkit/agents';
import { expect, test } from 'vitest';
import { missing, OfflineDaemon, STEP_MS_MAX, TerminalAgent } from './support/terminal-agent.ts';

const HOOK = fileURLToPath(new URL('../dist/spool-hook', import.meta.url));
const CLAUDE = AGENTS.find(({ name }) => name === 'claude')!;
const SIZE = { cols: 100, rows: 30 };
const READY = 'manual mode on';
const RACES = Number(process.env.SPOOL_RACES ?? 4);
/** A key is faster than a client: with these delays each is sometimes the first. */
const KEY_AFTER_MS = [0, 10, 20, 40];

/** The folder of a channel, and the hooks that write to it. */
class HookFolder {
  readonly path = mkdtempSync(`${tmpdir()}/spool-hook-`);

  constructor() {
    mkdirSync(`${this.path}/answers`);
    writeFileSync(`${this.path}/lines`, '');
  }

  get lines(): readonly Record<string, unknown>[] {
    const texts = readFileSync(`${this.path}/lines`, 'utf8').split('\n');
    return texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Record<string, unknown>);
  }

  run(message: string, ...words: string[]) {
    const child = spawn(HOOK, [this.path, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stdin.end(message);
    const ended = once(child, 'close').then(([code]) => ({ code: code as number, printed }));
    return { child, ended };
  }

  answer(id: string, text: string): void {
    writeFileSync(`${this.path}/answer`, text);
    linkSync(`${this.path}/answer`, `${this.path}/answers/${id}`);
  }

  /** Resolves with the id of the hook that waits. */
  async waiting(): Promise<string> {
    let id: unknown;
    await until('a hook waits', () =>
      Promise.resolve((id = this.lines.find((line) => line['isHeld'])?.['hook']) !== undefined),
    );
    return id as string;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

test('[CHAN-6] a hook records its message without the daemon, and gives the answer that appears', async () => {
  using folder = new HookFolder();
  expect(await folder.run('{"a":1,\n"b":2}').ended).toEqual({ code: 0, printed: '' });
  const held = folder.run('{"tool_input":{"agent_id":"x"}}', 'hold');
  const id = await folder.waiting();
  folder.answer(id, 'yes');
  expect(await held.ended).toEqual({ code: 0, printed: 'yes' });
  expect(folder.lines).toMatchObject([
    { isHeld: false, input: { a: 1, b: 2 } },
    { hook: id, isHeld: true },
    { took: id },
  ]);
});

test('[CHAN-5] a hook that its agent ends reports that, and an empty answer ends one silently', async () => {
  using folder = new HookFolder();
  const refused = folder.run('{}', 'hold');
  const id = await folder.waiting();
  refused.child.kill('SIGTERM');
  await refused.ended;
  expect(folder.lines.at(-1)).toMatchObject({ cancelled: id });
  using other = new HookFolder();
  const released = other.run('{}', 'hold');
  other.answer(await other.waiting(), '');
  expect(await released.ended).toEqual({ code: 0, printed: '' });
  expect(other.lines).toHaveLength(1);
});

test('[CHAN-8] a request of a subagent is not held, and a hook without its folder disturbs no one', async () => {
  using folder = new HookFolder();
  expect(await folder.run('{"agent_id":"x"}', 'hold').ended).toEqual({ code: 0, printed: '' });
  expect(folder.lines).toMatchObject([{ isHeld: false }]);
  rmSync(`${folder.path}/lines`);
  expect(await folder.run('{}', 'hold').ended).toEqual({ code: 0, printed: '' });
});

test('[CHAN-40] a pipe or a link in the place of an answer or of the log keeps no hook', async () => {
  using folder = new HookFolder();
  const held = folder.run('{}', 'hold');
  const id = await folder.waiting();
  spawnSync('mkfifo', [`${folder.path}/pipe`]);
  linkSync(`${folder.path}/pipe`, `${folder.path}/answers/${id}`);
  expect(await held.ended).toEqual({ code: 0, printed: '' });
  for (const replace of [
    () => spawnSync('mkfifo', [`${folder.path}/lines`]),
    () => symlinkSync(`${folder.path}/other`, `${folder.path}/lines`),
  ]) {
    rmSync(`${folder.path}/lines`);
    writeFileSync(`${folder.path}/other`, '');
    replace();
    expect(await folder.run('{}', 'hold').ended).toEqual({ code: 0, printed: '' });
  }
  expect(readFileSync(`${folder.path}/other`, 'utf8')).toBe('');
});

/** Claude in a terminal of a daemon. */
class TerminalClaude {
  readonly home = new AgentHome(CLAUDE);
  readonly #client: Client;
  readonly #launcher: string;
  id = '';

  constructor(client: Client, offline: string) {
    this.#client = client;
    this.#launcher = this.home.launcher(CLAUDE, offline, '"$@"');
  }

  async start(): Promise<void> {
    const { home } = this;
    const command = [this.#launcher, '--permission-mode', 'manual'];
    const env = { PATH: process.env.PATH!, ...home.env };
    const { id } = await this.#client.run({ command, cwd: home.project, env, size: SIZE });
    this.id = id;
    await seen(this.#client, id, READY);
  }

  async events(): Promise<AgentEvent[]> {
    const found: AgentEvent[] = [];
    await using events = this.#client.watchEvents(this.id);
    for await (const item of events) {
      if (item.type === 'synced') break; // all so far were read
      if (item.type === 'event') found.push(item.event);
    }
    return found;
  }

  async count(kind: AgentEvent['kind']): Promise<number> {
    return (await this.events()).filter((event) => event.kind === kind).length;
  }

  /** Resolves with the id of the request that waits, once the dialog is on the screen too. */
  async asked(): Promise<string> {
    let request: string | undefined;
    await until('a request waits', async () => {
      const { status } = await this.#client.get(this.id);
      request = status.requests?.[0]?.request;
      return request !== undefined;
    });
    await until('the dialog is drawn', async () => (await this.text()).includes('❯ 1. Yes'));
    return request!;
  }

  async text(): Promise<string> {
    return (await this.#client.screen(this.id, { format: 'text' })).content;
  }

  async prompt(text: string): Promise<void> {
    expect(await this.#client.prompt(this.id, text)).toMatchObject({ isConfirmed: true });
  }

  /** Resolves when this many turns have ended, and the terminal accepts the next prompt. */
  async rests(turns: number): Promise<void> {
    await until(`${turns} turns have ended`, async () => (await this.count('turn.ended')) === turns);
    await until('it is idle', async () => (await this.#client.get(this.id)).status.state === 'idle');
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

test(
  '[CHAN-1, CHAN-3, CHAN-4, CHAN-5, CHAN-6] Claude, the real one, in its terminal: answered by a client, by a key, after a kill',
  AGAIN,
  async ({ skip }) => {
    skip(!isInstalled(CLAUDE), 'it runs once `node scripts/agents.mjs claude` has brought the program');
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    using claude = new TerminalClaude(client, offline);
    await claude.start();
    const { id, home } = claude;
    const made = (name: string): boolean => existsSync(`${home.project}/${name}`);
    const resolved = async (): Promise<unknown[]> =>
      (await claude.events()).flatMap((event) =>
        event.kind === 'permission.resolved' ? [[event.decision, event.by]] : [],
      );

    await claude.prompt('please run touch by-client');
    const first = await claude.asked();
    const { typed } = await client.get(id);
    const inspected = JSON.parse((await daemon.spool(['inspect', id, '--json'])).stdout) as {
      requests: { request: string }[];
    };
    expect(inspected.requests).toMatchObject([{ request: first, input: { command: 'touch by-client' } }]);
    expect(await daemon.spool(['approve', id, '--request', first])).toMatchObject({ code: 0 });
    await claude.rests(1);
    expect([made('by-client'), (await client.get(id)).typed]).toEqual([true, typed]); // no key was pressed

    await claude.prompt('please run touch by-key');
    await claude.asked();
    await until('the key is taken', async () => {
      await client.write(id, '\r'); // Claude ignores keys for a moment; one too many does nothing
      return !(await claude.text()).includes('❯ 1. Yes');
    });
    await claude.rests(2);
    expect([made('by-key'), await resolved()]).toEqual([
      true,
      [
        ['allow', 'watcher'],
        ['allow', 'terminal'],
      ],
    ]);

    await claude.prompt('please run touch after-kill');
    const third = await claude.asked();
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until(
      'the next keeper knows the request',
      async () => (await client.get(id)).status.requests?.[0]?.request === third,
    );
    expect(await daemon.spool(['deny', id, '--request', third, '--message', 'not now'])).toMatchObject({ code: 0 });
    await claude.rests(3);
    expect(made('after-kill')).toBe(false);

    const events = await claude.events();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    const said = events.flatMap((event) => (event.kind === 'message.done' ? [event.text] : []));
    expect(said).toEqual(transcriptTexts(`${home.env['HOME']}/.claude/projects`));
    expect(said).toHaveLength(3);
    expect(existsSync(`${home.env['HOME']}/.claude/settings.json`)).toBe(false);
  },
);

test(
  '[CHAN-5, CHAN-6, CHAN-42] Claude, the real one, gets one answer when a client and a key answer at once, and the other side learns whose',
  AGAIN,
  async ({ skip }) => {
    const reason = missing(CLAUDE);
    skip(reason !== null, reason ?? '');
    await using daemon = new OfflineDaemon();
    const client = await daemon.start();
    const agent = { ...CLAUDE, ready: READY };
    using claude = new TerminalAgent({ agent, client, words: ['--permission-mode', 'manual'], dialog: '❯ 1. Yes' });
    const before = claude.home.files();
    await claude.start();
    await claude.prompt(`please run ${Array.from({ length: RACES }, (_, at) => `touch race${at}`).join(' >> ')}`);
    const handle = await client.openAgent(claude.id);
    for (let at = 0; at < RACES; at++) {
      await claude.asked(`race${at}`);
      const [open] = await handle.requests();
      const isDenied = at % 3 === 2;
      const [decided] = await Promise.all([
        isDenied ? handle.deny(open!, { message: 'not this one' }) : handle.approve(open!),
        sleep(KEY_AFTER_MS[at % KEY_AFTER_MS.length]).then(() => client.write(claude.id, '\r')),
      ]);
      const { decision, by } = decided.outcome as { decision: string; by: string };
      expect([decided.isOurs, decision]).toEqual([by === 'watcher', by === 'watcher' && isDenied ? 'deny' : 'allow']);
      await until(
        'the record shows it',
        async () => (await claude.of('tool.ended')).some(({ tool }) => tool === open!.tool),
        STEP_MS_MAX,
      );
      expect([at, claude.made(`race${at}`)]).toEqual([at, decision === 'allow']);
    }
    await claude.rests(1);
    expect(await claude.of('permission.resolved')).toHaveLength(RACES);
    const isOwn = (file: string): boolean =>
      /^\/(?:\.claude\/|\.claude\.json|\.config\/mimeapps|\.local\/share\/applications\/claude|\.cache\/|tmp\/|project\/)/.test(
        file,
      );
    expect(claude.home.files().filter((file) => !before.includes(file) && !isOwn(file))).toEqual([]);
    expect(claude.made('.claude')).toBe(false);
  },
);

/** Returns the texts of the assistant in the only transcript. */
function transcriptTexts(projects: string): string[] {
  const [project] = readdirSync(projects);
  const [file] = readdirSync(`${projects}/${project}`).filter((name) => name.endsWith('.jsonl'));
  const lines = readFileSync(`${projects}/${project}/${file}`, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { type: string; message?: { content: { type: string; text: string }[] } })
    .filter(({ type }) => type === 'assistant')
    .flatMap(({ message }) => message!.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
}
