/** Tests requests of a hostile agent, as users and scripts see and answer them at a terminal. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as dial, type Socket } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { pressUntil } from './support/press-until.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/puppet-agent.mjs', import.meta.url));
const SEE_MS = 60_000;

const HIDDEN = { description: 'List the files of the project', script: 'rm -rf ~' };

/** An agent whose requests the test decides. */
class ScriptedAgent {
  readonly daemon: TestDaemon;
  readonly #socket: Socket;

  private constructor(daemon: TestDaemon, socket: Socket) {
    this.daemon = daemon;
    this.#socket = socket;
  }

  static async start(daemon: TestDaemon): Promise<ScriptedAgent> {
    const [received, path] = [`${daemon.home}/received.ndjson`, `${daemon.home}/puppet.sock`];
    const program = `${execPath} ${AGENT} ${received} ${path}`;
    await daemon.json('run', '--agent', 'claude', '-d', '--name', 'eve', '--program', program, '--', 'go');
    await until('it was told to go', () => readOr(received).includes('"go"'), SEE_MS);
    const socket = dial(path);
    await once(socket, 'connect');
    return new ScriptedAgent(daemon, socket);
  }

  /** Resolves when the request is in the status. */
  async asks(id: string, name: string, input: object, more: object = {}): Promise<void> {
    const request = { subtype: 'can_use_tool', tool_name: name, tool_use_id: `tool-${id}`, input, ...more };
    this.#say({ type: 'control_request', request_id: id, request });
    await until(`${id} waits`, async () => (await this.waiting()).includes(id), SEE_MS);
  }

  async withdraws(id: string): Promise<void> {
    this.#say({ type: 'control_cancel_request', request_id: id });
    await until(`${id} is withdrawn`, async () => !(await this.waiting()).includes(id), SEE_MS);
  }

  /** The answers that the agent received. */
  get answers(): { readonly id: string; readonly behavior: string; readonly input: unknown }[] {
    return readOr(`${this.daemon.home}/received.ndjson`)
      .split('\n')
      .filter((line) => line.includes('"control_response"'))
      .map((line) => JSON.parse(line).response)
      .map(({ request_id: id, response }) => ({ id, behavior: response.behavior, input: response.updatedInput }));
  }

  async waiting(): Promise<readonly string[]> {
    const { status } = await (await this.daemon.client()).get('eve');
    return (status.requests ?? []).map(({ request }) => request);
  }

  #say(line: object): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

test('[SHOW-11, REQ-1] `inspect` shows the requests that wait, whole, to people and to programs', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  expect(await daemon.json('inspect', 'eve')).toMatchObject({ requests: [] });
  await eve.asks('r1', 'mcp__shell__run', HIDDEN);
  const { requests } = (await daemon.json('inspect', 'eve')) as { requests: readonly { options: unknown[] }[] };
  expect(requests).toMatchObject([
    { request: 'r1', tool: 'mcp__shell__run', input: HIDDEN, digest: expect.stringMatching(/./) },
  ]);
  expect(requests[0]!.options).toContainEqual(expect.objectContaining({ id: expect.any(String), label: 'Allow once' }));
  const { stdout } = await daemon.spool(['inspect', 'eve']);
  expect(stdout).toContain(
    '? Allow mcp__shell__run?\n  script: rm -rf ~\n  description: List the files of the project\n',
  );
  expect(stdout).toContain('answer it with: spool approve eve --request r1, spool deny eve --request r1');
  // The lists contain the input too, not only the agent's words about it.
  expect((await daemon.spool(['ls'])).stdout).toContain('rm -rf ~');
  expect((await daemon.spool(['logs', 'eve'])).stdout).toContain('  script: rm -rf ~\n');
});

test('[SHOW-11] without a terminal `approve` needs the request, `deny` and `answer` if several wait, and nothing is answered', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  await eve.asks('r1', 'Bash', { command: 'ls\nrm -rf ~' });
  const refused = await daemon.spool(['approve', 'eve']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('name it: spool approve ID --request REQUEST');
  expect(refused.stderr).toContain('eve --request r1 (Bash ls ⏎ rm -rf ~)');
  expect(await daemon.spool(['approve', 'eve', '--json'])).toMatchObject({ code: 2 });
  expect(await daemon.spool(['approve', 'eve', '--digest', 'x'])).toMatchObject({ code: 2 });
  await eve.asks('r2', 'Bash', { command: 'echo two' });
  const several = await daemon.spool(['deny', 'eve']);
  expect(several).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2 requests wait: name one with --request'),
  });
  expect(await daemon.spool(['approve', 'eve', '--request', 'r3'])).toMatchObject({ code: 2 });
  expect(eve.answers).toEqual([]);
  expect(await daemon.spool(['deny', 'eve', '--request', 'r1'])).toMatchObject({
    code: 0,
    stdout: 'Denied in eve: Bash ls ⏎ rm -rf ~\n',
  });
  const one = JSON.parse((await daemon.spool(['deny', 'eve', '--json'])).stdout) as object;
  expect(one).toMatchObject({ request: 'r2', tool: 'Bash', input: { command: 'echo two' }, isOurs: true });
});

test('[SHOW-11, REQ-4] `approve --request` allows what has this digest, and names what it allowed', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  await eve.asks('r1', 'mcp__shell__run', HIDDEN, { title: 'List the files of the project' });
  const { requests } = (await daemon.json('inspect', 'eve')) as { requests: readonly { digest: string }[] };
  const other = await daemon.spool(['approve', 'eve', '--request', 'r1', '--digest', 'x'.repeat(64)]);
  expect(other.code).toBe(4);
  expect(eve.answers).toEqual([]);
  const digest = requests[0]!.digest;
  expect(await daemon.spool(['approve', 'eve', '--request', 'r1', '--digest', digest])).toMatchObject({
    code: 0,
    stdout: 'Allowed in eve: mcp__shell__run script: rm -rf ~ · description: List the files of the project\n',
  });
  await until('it is answered', () => eve.answers.length === 1, SEE_MS);
  expect(eve.answers).toEqual([{ id: 'r1', behavior: 'allow', input: HIDDEN }]);
  const text = (await daemon.spool(['logs', 'eve'])).stdout;
  expect(text).toMatch(/✓ allowed by .* · mcp__shell__run script: rm -rf ~ · description: /);
});

test('[SHOW-11] at a terminal `approve` shows every line and asks; any answer but yes answers nothing', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  const script = Array.from({ length: 121 }, (_, at) => `echo line ${at}`).join('\n');
  await eve.asks('r1', 'Bash', { command: `${script}\n\u001b[2J\u001b]0;pwned\u0007rm -rf ~` });
  for (const answer of ['n\r', '\r', '\x03']) {
    using terminal = new Terminal([SPOOL, 'approve', 'eve'], daemon.env, { cols: 40, rows: 12 });
    await terminal.sees('[y/N]');
    const printed = Buffer.from(terminal.printed, 'latin1').toString();
    for (let at = 0; at <= 120; at++) expect(printed).toContain(`│ echo line ${at}`.replace('│ ', ''));
    expect(printed).toContain('\\e[2J\\e]0;pwned');
    expect(printed).not.toContain('\u001b[2J');
    expect(printed).not.toContain('\u001b]0;');
    terminal.type(answer);
    expect((await terminal.ended()).code).toBe(1);
  }
  expect(eve.answers).toEqual([]);
  using terminal = new Terminal([SPOOL, 'approve', 'eve'], daemon.env, { cols: 80, rows: 24 });
  await terminal.sees('Allow once');
  await terminal.sees('[y/N]');
  terminal.type('y\r');
  expect((await terminal.ended()).code).toBe(0);
  await until('it is answered', () => eve.answers.length === 1, SEE_MS);
  expect(eve.answers).toMatchObject([{ id: 'r1', behavior: 'allow' }]);
});

test('[SHOW-11, REQ-4] a request that is withdrawn while `approve` asks: the next one is not approved in its place', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  await eve.asks('r1', 'Bash', { command: 'echo harmless' });
  using terminal = new Terminal([SPOOL, 'approve', 'eve'], daemon.env);
  await terminal.sees('[y/N]');
  await eve.withdraws('r1');
  await eve.asks('r2', 'Bash', { command: 'rm -rf ~/everything' });
  terminal.type('y\r');
  expect((await terminal.ended()).code).toBe(4);
  expect(eve.answers.filter(({ behavior }) => behavior === 'allow')).toEqual([]);
  expect(await eve.waiting()).toEqual(['r2']);
});

test('[SHOW-10, SHOW-40] in `attach` at 80×12 a long script is counted, read with Ctrl-O and allowed after its end', async () => {
  await using daemon = new TestDaemon();
  const eve = await ScriptedAgent.start(daemon);
  const script = [...Array.from({ length: 120 }, (_, at) => `echo ${at}`), 'rm -rf ~'].join('\n');
  await eve.asks('r1', 'Bash', { command: script });
  using terminal = new Terminal([SPOOL, 'attach', 'eve'], daemon.env, { cols: 80, rows: 12 });
  await terminal.sees('more lines, Ctrl-O shows them');
  await pressUntil(terminal, 'y', () => terminal.printed.includes('shown.'));
  expect(eve.answers).toEqual([]);
  terminal.type('\x0f');
  await terminal.sees('of 123 lines');
  for (let from = 1; !terminal.printed.includes('rm -rf ~'); from += 7) {
    const before = terminal.printed.length;
    terminal.type('\x1b[6~');
    await until('the next page is painted', () => terminal.printed.length > before, SEE_MS);
  }
  terminal.type('y');
  await until('it is answered', () => eve.answers.length === 1, SEE_MS);
  expect(eve.answers).toEqual([{ id: 'r1', behavior: 'allow', input: { command: script } }]);
});
