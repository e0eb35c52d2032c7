/**
 * Tests `spool mcp` as an agent uses it: a real MCP client over standard input and output, with a real daemon. It also runs the
 * MCP Inspector's command line, if that is installed: `MCP_INSPECTOR=…/node_modules/.bin/mcp-inspector npx vitest run --project
 * system tests/mcp.test.ts`.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isAlive, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { McpAgent } from './support/mcp-agent.ts';
import { read } from './support/sources.ts';

const SCRIPTED_AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

const cursorOf = (text: string): number => Number(/^nextCursor (\d+)/.exec(text)![1]);
const withoutHead = (text: string): string => text.slice(text.indexOf('\n') + 1);

test.each(['legacy', 'auto'] as const)(
  '[MCP-1] the tools are few and small, the page names them all, and listing them starts no daemon (%s)',
  async (mode) => {
    await using daemon = new TestDaemon({ isNewcomer: true });
    await using agent = await McpAgent.of(daemon, mode);
    const listed = await agent.client.listTools();
    const documented = [...read('docs/mcp.md').matchAll(/^\| `(spool_\w+)` \|/gm)].map(([, name]) => name);
    expect(listed.tools.map(({ name }) => name)).toEqual(documented);
    expect(JSON.stringify(listed).length).toBeLessThan(7950);
    const looking = listed.tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(looking).toEqual(['spool_list', 'spool_read', 'spool_screen', 'spool_wait', 'spool_task_await']);
    expect(readdirSync(daemon.home)).toEqual([]);
  },
);

test('[MCP-2] reading with the last cursor gives only what is new, as clean text', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.shell();
  const first = await agent.text('spool_read', { session: id, cursor: 0 });
  expect(withoutHead(first)).toBe('$ ');
  const cursor = cursorOf(first);
  expect(await agent.text('spool_read', { session: id, cursor })).toMatch(
    new RegExp(`^nextCursor ${cursor}; the end; running, idle .*nothing new$`),
  );
  await agent.text('spool_prompt', { session: id, text: "printf '\\033[31m%s\\033[m\\n' re''d", until: ['idle'] });
  const news = await agent.text('spool_read', { session: id, cursor });
  expect(withoutHead(news)).toBe("printf '\\033[31m%s\\033[m\\n' re''d\nred\n$ ");
  expect(await agent.text('spool_read', { session: id })).toContain('red\n$ ');
  const beyond = await agent.call('spool_read', { session: id, cursor: 1_000_000 });
  expect(beyond).toMatchObject({ isError: true, text: expect.stringContaining('beyond the end') as string });
});

test('[MCP-2] a long output comes in pages of a limited size that are together what `spool logs` prints', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.run('seq 1 20000 | sed "s/$/ größer/"');
  await agent.text('spool_wait', { sessions: [id] });
  const pages: string[] = [];
  for (let cursor = 0, isEnd = false; !isEnd;) {
    const text = await agent.text('spool_read', { session: id, cursor, maxBytes: 32 * 1024 });
    isEnd = /^nextCursor \d+; the end; exited, exit code 0/.test(text);
    expect(isEnd || /^nextCursor \d+; \d+ bytes more\n/.test(text)).toBe(true);
    pages.push(withoutHead(text));
    expect(Buffer.byteLength(pages.at(-1)!)).toBeLessThanOrEqual(32 * 1024);
    expect(cursorOf(text)).toBeGreaterThan(cursor);
    cursor = cursorOf(text);
  }
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.join('') === (await daemon.spool(['logs', id])).stdout).toBe(true);
  expect(await agent.text('spool_read', { session: id })).toMatch(
    /^nextCursor \d+; \d+ bytes before .*\n.*20000 größer\n$/s,
  );
});

test('[MCP-2] of a full-screen program, reading says that one is on, and the screen shows it', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.run(
    "echo before; printf '\\033[?1049h\\033[HMENU\\r\\nentry'; read x; printf '\\033[?1049l'; echo after",
  );
  await agent.text('spool_wait', { sessions: [id], until: ['match:/entry/'] });
  const on = await agent.text('spool_read', { session: id, cursor: 0 });
  expect(on).toMatch(/full-screen program is running: use spool_screen\nbefore\n$/);
  expect(withoutHead(await agent.text('spool_screen', { session: id }))).toBe('MENU\nentry');
  await agent.text('spool_keys', { session: id, keys: ['Enter'] });
  await agent.text('spool_wait', { sessions: [id] });
  expect(withoutHead(await agent.text('spool_read', { session: id, cursor: cursorOf(on) }))).toBe('after\n');
  expect(withoutHead(await agent.text('spool_screen', { session: id, at: cursorOf(on) }))).toBe('MENU\nentry');
});

test('[MCP-2] output that is no longer kept is told where it was', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const client = await daemon.client();
  // Random, so that compression does not save it.
  const script = 'head -c 24000000 /dev/urandom | base64; echo; echo over; exec sleep 1000';
  const { id } = await client.run({ command: ['sh', '-c', script], retainBytes: 8 * 1024 * 1024 });
  await until('something was dropped', async () => (await client.get(id)).firstOffset > 0, 60_000);
  await agent.text('spool_wait', { sessions: [id], until: ['match:/^over/'] });
  const { firstOffset } = await client.get(id);
  const page = await agent.text('spool_read', { session: id, cursor: 1000 });
  const [, from, to] = /^nextCursor .*\n\[the bytes from (\d+) to (\d+) were already deleted\]\n\S/
    .exec(page)!
    .map(Number);
  expect(from).toBe(1000);
  expect(to).toBeGreaterThanOrEqual(firstOffset);
  expect(cursorOf(page)).toBeGreaterThan(to!);
});

test('[MCP-3] a wait names the first session, the reason and the offset', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const silent = await agent.run('exec sleep 1000');
  const asks = await agent.run('printf "Go on? [y/N] "; read x; echo port 4711; read y; read z; exit 3');
  const blocked = await agent.call('spool_wait', { sessions: [silent, asks], until: ['blocked', 'exit'] });
  expect(blocked.structuredContent).toEqual({
    id: asks,
    name: expect.stringMatching(/^sh/),
    reason: 'blocked',
    offset: 'Go on? [y/N] '.length,
    state: 'running',
    status: { state: 'blocked' },
    asks: 'Go on? [y/N]',
    question: { text: 'Go on? [y/N]', options: ['yes', 'no'] },
  });
  expect(blocked.text).toMatch(/blocked at offset 13; running, blocked \(confirm\).*\nGo on\? \[y\/N\]$/s);

  const matching = agent.call('spool_wait', { sessions: [silent, asks], until: ['match:/port (\\d+)/', 'exit'] });
  await agent.text('spool_send', { session: asks, text: 'y', enter: true });
  const matched = (await matching).structuredContent as { offset: number };
  expect(matched).toMatchObject({ id: asks, reason: 'match', match: ['port 4711', '4711'] });

  const output = agent.call('spool_wait', { sessions: [asks], until: ['output'], after: matched.offset });
  await agent.text('spool_send', { session: asks, text: 'go', enter: true });
  expect((await output).structuredContent).toMatchObject({ id: asks, reason: 'output' });
  const ending = agent.call('spool_wait', { sessions: [silent, asks] });
  await agent.text('spool_keys', { session: asks, keys: ['Enter'] });
  const ended = await ending;
  expect(ended.structuredContent).toMatchObject({ id: asks, reason: 'exit', state: 'failed', exitCode: 3 });

  const over = await agent.call('spool_wait', { sessions: [silent], until: ['output'], timeoutSeconds: 0.1 });
  expect(over).toMatchObject({ structuredContent: { reason: 'timeout', state: 'running' } });
  expect(over.text).toMatch(/timeout at offset 0; still running/);
});

test('[MCP-3] a pattern without end hangs nobody: the call fails, the daemon and the server go on', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.run(`echo ${'a'.repeat(60)}; exec sleep 1000`);
  const slow = agent.call('spool_wait', { sessions: [id], until: ['match:/(?=(a+)+$)(a+)+\\1b/'], timeoutSeconds: 30 });
  // A daemon that hangs would not answer within the ten seconds that `ls` waits.
  expect((await daemon.spool(['ls', '-q'])).stdout).toBe(`${id}\n`);
  expect(await slow).toMatchObject({ isError: true, text: expect.stringMatching(/^PATTERN_TOO_SLOW: /) as string });
  expect(await agent.text('spool_list')).toContain(id);
  const wrong = await agent.call('spool_wait', { sessions: [id], until: ['match:/(/'] });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/^PATTERN_INVALID: /) as string });
});

test('[MCP-3] a wait that the client gives up is given up by the server too', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const client = await daemon.client();
  const id = await agent.run('exec sleep 1000');
  const given = new AbortController();
  const waiting = agent.call('spool_wait', { sessions: [id], until: ['match:/never/'] }, given.signal);
  waiting.catch(() => {}); // its result is checked below
  await until('it is watched', async () => (await client.get(id)).watchers === 1);
  given.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
  await until('nobody watches any more', async () => (await client.get(id)).watchers === 0);
});

test('[MCP-4] a prompt is verified, and while the session asks something it is refused with what is asked', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.shell();
  const done = await agent.text('spool_prompt', { session: id, text: 'echo $((6*7))', until: ['idle', 'blocked'] });
  expect(done).toMatch(new RegExp(`^accepted; .*cursor \\d+\n${id}: idle at offset \\d+; running, idle`));
  const asked = await agent.text('spool_prompt', {
    session: id,
    text: 'read -p "Delete everything? [y/N] " x; echo "got <$x>"',
    until: ['blocked'],
  });
  expect(asked).toMatch(/: blocked at .*Delete everything\? \[y\/N\]$/s);
  const refused = await agent.call('spool_prompt', { session: id, text: 'please go on' });
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(
    /^INPUT_BLOCKED: not typed, .*blocked \(confirm\).*spool_keys.*\nDelete everything\? \[y\/N\]$/s,
  );
  await agent.text('spool_keys', { session: id, keys: ['n', 'Enter'] });
  await agent.text('spool_wait', { sessions: [id], until: ['match:/got <n>/'] });

  const deaf = await agent.run('stty -echo; echo deaf; exec sleep 1000');
  await agent.text('spool_wait', { sessions: [deaf], until: ['match:/deaf/'] });
  expect(await agent.text('spool_prompt', { session: deaf, text: 'hello' })).toMatch(/NOT CONFIRMED/);
});

test('[MCP-4, IN-8] text in the input line is told, and cleared on demand', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.shell();
  await agent.text('spool_send', { session: id, text: 'echo half' });
  await agent.text('spool_wait', { sessions: [id], until: ['match:/echo half/'] });
  const refused = await agent.call('spool_prompt', { session: id, text: 'echo whole' });
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(/^INPUT_NOT_EMPTY: .*"echo half".*clear: true/);
  expect(await agent.text('spool_prompt', { session: id, text: 'echo whole-$((1+1))', clear: true })).toMatch(
    /^accepted/,
  );
  await agent.text('spool_wait', { sessions: [id], until: ['match:/^whole-2/'] });
});

test('[MCP-4, IN-7] a dialog that comes up between text and Enter: the text stays, Enter is not pressed', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const asks = `stty -echo; printf '$ '; read -rsn1 x; printf '\\r\\nDelete everything? [y/N] '; read -r y; printf "<%s>" "$y"`;
  const id = await agent.run(['bash', '-c', asks]);
  await agent.text('spool_wait', { sessions: [id], until: ['prompt'] });
  const refused = await agent.call('spool_prompt', { session: id, text: 'go on' });
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(
    /^INPUT_BLOCKED: the text is in its input line, and was not submitted, because .*blocked/,
  );
  expect(await agent.text('spool_screen', { session: id })).not.toContain('<');
});

test.each([
  ['spool_read', { session: 'nobody' }, /^SESSION_UNKNOWN: .*spool_list/],
  ['spool_run', { command: ['no-such-command-anywhere'] }, /^COMMAND_NOT_FOUND: /],
  ['spool_run', { command: 'true', cwd: '/no/such/folder' }, /^CWD_UNUSABLE: /],
  ['spool_keys', { session: 'some', keys: ['NoSuchKey'] }, /^KEY_UNKNOWN: .*spool_send/],
  ['spool_wait', { sessions: ['some'], until: ['doomsday'] }, /^WAIT_UNKNOWN: /],
  ['spool_wait', { sessions: ['some'], timeout: 5 }, /timeout/],
])('[MCP-4] what cannot be done is an error with a sentence: %s %j', async (name, args, says) => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  await agent.run('exec sleep 1000', { name: 'some' });
  expect(await agent.call(name, args)).toMatchObject({ isError: true, text: expect.stringMatching(says) as string });
});

test('[MCP-5] a quick task is answered at once; a long one is awaited; a failed one shows its last lines', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  expect(await agent.text('spool_task_run', { command: 'echo one; echo two >&2' })).toMatch(
    /^task \w+: success, exit code 0, [0-9.]+s\none\ntwo$/,
  );
  const failed = await agent.text('spool_task_run', { command: 'seq 1 100; exit 3' });
  expect(failed).toMatch(/^task \w+: error, exit code 3, /);
  expect(failed.split('\n').slice(1)).toEqual(Array.from({ length: 20 }, (_, at) => String(81 + at)));

  const started = await agent.text('spool_task_run', { command: 'read x; echo got $x', waitSeconds: 0.1 });
  const id = /^task (\w+): still running/.exec(started)![1]!;
  const awaited = agent.text('spool_task_await', { task: id });
  await agent.text('spool_send', { session: id, text: 'it', enter: true });
  expect(await awaited).toMatch(/^task \w+: success, exit code 0, .*\ngot it$/s);
  expect(await agent.text('spool_task_run', { command: "echo; echo 'added 69 packages in 9s'" })).toMatch(
    /^task .*\nmilestones: .*69 .*\n/,
  );
  expect(await agent.text('spool_task_run', { command: 'exec sleep 1000', timeoutSeconds: 0.2 })).toMatch(
    /^task \w+: timeout, ended by its time limit/,
  );
});

test('[MCP-6] the keeper is killed in the midst of a wait: the wait ends as it should, and nothing is typed twice', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const client = await daemon.client();
  const id = await agent.run('read x; echo "<$x>"; exec sleep 1000');
  const waiting = agent.call('spool_wait', { sessions: [id], until: ['match:/<once>/'] });
  await until('it is watched', async () => (await client.get(id)).watchers === 1);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  await agent.text('spool_send', { session: id, text: 'once', enter: true });
  expect((await waiting).structuredContent).toMatchObject({ reason: 'match' });
  expect(withoutHead(await agent.text('spool_read', { session: id, cursor: 0 }))).toBe('once\n<once>\n');
});

test('[MCP-6] when its input ends the server ends, and the sessions go on for the next one', async () => {
  await using daemon = new TestDaemon();
  const first = await McpAgent.of(daemon);
  const id = await first.run('echo here; exec sleep 1000', { name: 'stays' });
  await first.client.close();
  await until('the server has ended', () => !isAlive(first.pid));
  // The server ends by itself, also during a call: the client of the SDK would use force.
  const clientInfo = { name: 'bare', version: '1' };
  const calls = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'spool_wait', arguments: { sessions: [id], until: ['match:/never/'] } },
    },
  ];
  const input = calls.map((call) => `${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`).join('');
  expect(await daemon.spool(['mcp'], { input })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"id":1') as unknown,
  });
  await using second = await McpAgent.of(daemon);
  expect(await second.text('spool_list')).toMatch(new RegExp(`^${id} stays: running, `));
  expect(withoutHead(await second.text('spool_read', { session: 'stays', cursor: 0 }))).toBe('here\n');
  expect(await second.text('spool_stop', { session: 'stays' })).toMatch(/: stopped, SIGTERM$/);
});

test('[MCP-6] standard output holds the protocol and nothing else, also when what comes in is none', async () => {
  await using daemon = new TestDaemon();
  const child = spawn(SPOOL, ['mcp'], { env: daemon.env, stdio: ['pipe', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  child.stdin.write('this is no JSON\n{"jsonrpc":"2.0"}\n');
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await until('it has answered', () => out.includes('\n'));
  child.stdin.end();
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines.at(-1)).toMatchObject({ id: 1, result: { serverInfo: { name: 'spool' } } });
});

test('[MCP-13] a request that is not well formed is answered, a line that is too long too, and the server goes on', async () => {
  await using daemon = new TestDaemon();
  const child = spawn(SPOOL, ['mcp'], { env: daemon.env, stdio: ['pipe', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 1, method: 'initialize', params });
  say({ id: 2, method: 'tools/call', params: [] });
  say({ id: 3, method: 'tools/call', params: { name: 'x'.repeat(5_000_000) } });
  say({ id: 4, method: 'tools/list' });
  const answered = (id: number): boolean => new RegExp(`"id":${id}[,}]`).test(out);
  await until('all are answered', () => [1, 2, 3, 4].every(answered), 60_000);
  child.stdin.end();
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(out).toContain('params must be an object');
  expect(out).toContain('more than 4194304 bytes');
});

test('[MCP-14] every tool answers with data, which has all that the text says', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const run = await agent.call('spool_run', { command: 'echo hello; read x', name: 'one' });
  expect(run.structuredContent).toMatchObject({ name: 'one', state: 'running', cursor: 0 });
  const session = (run.structuredContent as { id: string }).id;
  await agent.call('spool_wait', { sessions: [session], until: ['match:/hello/'] });
  const read = await agent.call('spool_read', { session, cursor: 0 });
  expect(read.structuredContent).toMatchObject({ id: session, nextCursor: 7, isEnd: true, text: 'hello\n' });
  const screen = await agent.call('spool_screen', { session });
  expect(screen.structuredContent).toMatchObject({ id: session, cols: 120, rows: 40, text: 'hello' });
  const list = await agent.call('spool_list');
  expect(list.structuredContent).toMatchObject({ sessions: [{ id: session, name: 'one' }], hidden: 0 });
  const sent = await agent.call('spool_send', { session, text: 'y' });
  expect(sent.structuredContent).toMatchObject({ id: session, cursor: 7 });
  const task = await agent.call('spool_task_run', { command: 'echo done' });
  expect(task.structuredContent).toMatchObject({ state: 'success', exitCode: 0, output: 'done' });
  const stopped = await agent.call('spool_stop', { session });
  expect(stopped.structuredContent).toMatchObject({ id: session, state: 'stopped' });
});

test('[MCP-7] a session gets what was asked for and nothing of the secrets of the agent, and says whose it is', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const printed = await agent.text('spool_task_run', {
    command: 'echo "<$AGENT_SECRET> <$ASKED> <$PAGER>"; pwd; stty size; git --version >/dev/null; echo $SPOOL_HOME',
    cwd: '/usr',
    env: { ASKED: 'for' },
    name: 'mine',
  });
  expect(printed.split('\n').slice(1)).toEqual(['<> <for> <cat>', '/usr', '40 120']);
  const here = await agent.text('spool_task_run', { command: 'pwd', cwd: 'tests' });
  expect(here.split('\n').at(-1)).toBe(`${process.cwd()}/tests`);
  expect(await daemon.json('inspect', 'mine')).toMatchObject({ labels: { mcp: 'test-agent' }, isTask: true });
  await agent.run('exec sleep 1000', { name: 'other', cols: 90, rows: 20 });
  await agent.text('spool_send', { session: 'other', text: 'x' });
  expect(await daemon.json('inspect', 'other')).toMatchObject({
    labels: { mcp: 'test-agent' },
    size: { cols: 90, rows: 20 },
    typed: { who: expect.stringMatching(/^mcp test-agent \d+$/) as string },
  });
});

test('[MCP-1] logs, screens and the list are resources', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const id = await agent.run("printf '\\033[1mbold\\033[m\\n'; exec sleep 1000", { name: 'one' });
  await agent.text('spool_wait', { sessions: [id], until: ['match:/bold/'] });
  const { resources } = await agent.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['spool://sessions', `spool://session/${id}/log`]);
  const textOf = async (uri: string): Promise<unknown> => {
    const { contents } = await agent.client.readResource({ uri });
    return contents.map((content) => 'text' in content && content.text);
  };
  expect(await textOf(`spool://session/${id}/log`)).toEqual(['bold\n']);
  expect(await textOf(`spool://session/${id}/screen`)).toEqual(['bold']);
  expect(await textOf('spool://sessions')).toEqual([expect.stringMatching(new RegExp(`^${id} one: running`))]);
  await expect(textOf('spool://session/nobody/log')).rejects.toThrow(/not found/i);
});

test('[MCP-1] what the server needs is read by `spool mcp` and by no other verb', async () => {
  await using daemon = new TestDaemon();
  /** Returns the scripts that Node has run, from its coverage report. */
  const scriptsOf = async (verb: string): Promise<string[]> => {
    const folder = mkdtempSync(`${tmpdir()}/spool-test-coverage-`);
    await using covered = new TestDaemon({ home: daemon.home, env: { NODE_V8_COVERAGE: folder } });
    await covered.spool([verb]);
    const told = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
    rmSync(folder, { recursive: true });
    return told.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url));
  };
  const isServer = (url: string): boolean => /\/chunks\/mcp-[^/]*$/.test(url);
  const ofList = await scriptsOf('ls');
  expect(ofList.some((url) => /\/chunks\/ls-[^/]*$/.test(url))).toBe(true);
  expect(ofList.filter(isServer)).toEqual([]);
  expect((await scriptsOf('mcp')).filter(isServer)).toHaveLength(1);
});

test('[MCP-9] the MCP Inspector lists, calls and reads, and finds no fault with the schemas', async ({ skip }) => {
  const inspector = process.env['MCP_INSPECTOR'];
  if (inspector === undefined || !existsSync(inspector))
    return skip('MCP_INSPECTOR does not say where mcp-inspector is; it is too large to come along');
  await using daemon = new TestDaemon();
  const inspect = async (...args: string[]): Promise<string> => {
    const words = ['--cli', SPOOL, 'mcp', '-e', `SPOOL_HOME=${daemon.home}`, '--method', ...args];
    const { stdout } = await promisify(execFile)(inspector, words, { env: daemon.env, timeout: 30_000 });
    return stdout;
  };
  const { tools } = JSON.parse(await inspect('tools/list', '--strict')) as { tools: { name: string }[] };
  expect(tools).toHaveLength(13);
  const call = ['tools/call', '--tool-name', 'spool_task_run', '--tool-arg', 'command=echo from the inspector'];
  expect(await inspect(...call)).toContain('from the inspector');
  const { resources } = JSON.parse(await inspect('resources/list')) as { resources: { uri: string }[] };
  const log = resources.find(({ uri }) => uri.endsWith('/log'))!;
  expect(await inspect('resources/read', '--uri', log.uri)).toContain('from the inspector');
});

test('[MCP-6] in a terminal, `spool mcp` says what it is and how to use it, on stderr', async () => {
  await using daemon = new TestDaemon();
  using terminal = new Terminal([SPOOL, 'mcp'], daemon.env);
  await terminal.sees('This is an MCP server');
  await terminal.sees('claude mcp add spool -- spool mcp');
});

test('[MCP-10, MCP-11] an agent is started, prompted, read from the last cursor, interrupted; its permission is answered only if the server may', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const program = [process.execPath, SCRIPTED_AGENT, `${daemon.home}/received.ndjson`];
  const started = await agent.text('spool_agent', { agent: 'claude', prompt: 'show', name: 'sub', program });
  expect(started).toMatch(/^agent \w+ \(sub\) started; read what it does from cursor 0$/);
  await agent.text('spool_wait', { sessions: ['sub'], until: ['idle'] });
  const first = await agent.text('spool_read', { session: 'sub', cursor: 0 });
  expect(first).toMatch(/^nextCursor \d+; the end; .*\n> show\n/);
  expect(first).toContain('● Bash npm test\n  ok 1 - a test\n');
  const rest = await agent.text('spool_read', { session: 'sub', cursor: cursorOf(first) });
  expect(rest).toMatch(/^nextCursor \d+; .*nothing new$/);
  let paged = '';
  for (let cursor = 0; ;) {
    const page = await agent.text('spool_read', { session: 'sub', cursor, maxBytes: 1024 });
    if (!page.includes('nothing new')) paged += withoutHead(page);
    if (page.includes('; the end')) break;
    cursor = cursorOf(page);
  }
  expect(paged).toBe(withoutHead(first));

  await agent.text('spool_prompt', { session: 'sub', text: 'ask 1' });
  const blocked = await agent.text('spool_wait', { sessions: ['sub'], until: ['blocked'] });
  const asked = /request "request-2-0", digest "([^"]+)", options "allow_once" \(Allow once; allow_once\)/.exec(
    blocked,
  );
  const digest = asked![1]!;
  expect(blocked).toMatch(/\n\? Allow Bash\?\n +command: echo 0\n +description: a test/);
  const news = await agent.text('spool_read', { session: 'sub', cursor: cursorOf(first) });
  expect(news).toContain('> ask 1\n');
  expect(news).not.toContain('npm test');
  const allow = { session: 'sub', request: 'request-2-0', decision: 'allow', digest };
  const may = await agent.call('spool_decide', allow).catch((error: Error) => error);
  expect(may instanceof Error || may.isError).toBe(true);
  expect((await (await daemon.client()).get('sub')).status.state).toBe('blocked');

  await using chief = await McpAgent.of(daemon, 'legacy', [], ['--allow-approve']);
  // Without the request or the digest, with another digest, with an option that denies: no decision is made.
  for (const wrong of [{ request: undefined }, { digest: undefined }, { digest: '1-0' }, { option: 'reject_once' }])
    expect(await chief.call('spool_decide', { ...allow, ...wrong })).toMatchObject({ isError: true });
  expect((await (await daemon.client()).get('sub')).status.state).toBe('blocked');
  const denied = await chief.text('spool_decide', { ...allow, decision: 'deny', digest: undefined, message: 'no' });
  expect(denied).toMatch(/: deny: Bash: echo 0 · description: a test$/);
  expect(await chief.call('spool_decide', allow)).toMatchObject({ isError: true });
  await chief.text('spool_wait', { sessions: ['sub'], until: ['idle'] });
  await chief.text('spool_prompt', { session: 'sub', text: 'hang' });
  let seen = '';
  await until('it is read', async () => (seen = await chief.text('spool_read', { session: 'sub' })).includes('> hang'));
  for (let at = 0; at < 2; at++) {
    seen = await chief.text('spool_read', { session: 'sub', cursor: cursorOf(seen) });
    expect(seen).toMatch(/^nextCursor \d+; .*nothing new$/);
  }
  expect(await chief.text('spool_interrupt', { session: 'sub' })).toMatch(/: interrupted$/);
  const client = await daemon.client();
  await until('it is idle', async () => (await client.get('sub')).status.state === 'idle', 60_000);
  expect(await chief.text('spool_read', { session: 'sub' })).toContain('interrupted');

  const { id, pid } = await client.get('sub');
  process.kill(pid, 'SIGKILL');
  await client.waitUntil(id, 'exit');
  const resumed = await chief.text('spool_agent', { resume: id, prompt: 'say once more' });
  expect(resumed).toMatch(/^agent \w+ \(sub\) is resumed;/);
  const session = resumed.split(' ')[1]!;
  await chief.text('spool_wait', { sessions: [session], until: ['idle'] });
  expect(await chief.text('spool_read', { session })).toContain('once more');
});

test('[MCP-12] a long request is read whole, line by line, from the cursor of the part before', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const program = [process.execPath, SCRIPTED_AGENT, `${daemon.home}/received.ndjson`];
  const command = Array.from({ length: 900 }, (_, at) => `echo ${at} is a line of a long script`).join('\n');
  const input = { command, description: 'List the files' };
  const prompt = `steps ${JSON.stringify([{ ask: { id: 'r1', tool: 'Bash', input } }])}`;
  await agent.text('spool_agent', { agent: 'claude', prompt, name: 'sub', program });
  const blocked = await agent.text('spool_wait', { sessions: ['sub'], until: ['blocked'] });
  const [, left, next] = /\[(\d+) more lines: spool_read with this request and cursor (\d+)\]/.exec(blocked)!;
  const shown = blocked.slice(blocked.indexOf('? Allow Bash?'), blocked.indexOf(`\n[${left} more`)).split('\n');
  expect(shown).toHaveLength(Number(next));
  const lines = [...shown];
  for (let cursor = Number(next); ;) {
    const part = await agent.text('spool_read', { session: 'sub', request: 'r1', cursor, maxBytes: 4096 });
    const [head = '', about = '', ...more] = part.split('\n');
    expect(about).toMatch(/^request "r1", digest "/);
    lines.push(...more);
    if (head.endsWith('; the end')) break;
    expect(head).toMatch(/; \d+ more lines$/);
    cursor = cursorOf(part);
  }
  expect(lines).toHaveLength(shown.length + Number(left));
  const own = lines.slice(0, lines.indexOf('  description: List the files') + 1); // the agent's words follow
  for (const line of command.split('\n')) expect(own.filter((each) => each.endsWith(`│ ${line}`))).toHaveLength(1);
  expect(await agent.call('spool_read', { session: 'sub', request: 'r2' })).toMatchObject({ isError: true });
});
