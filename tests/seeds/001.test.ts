/** Seed 001, "Output & streaming": its statements, as a user of that system expects them. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { idleSeconds, looksLikeShellPrompt, type Session, type TextItem } from '@spool/client';
import { type SummaryEvent, summaries } from '@spool/client/node';
import { outputOf, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const env = { PATH: process.env.PATH!, HOME: '/' };

interface OutputEvent {
  readonly type: string;
  readonly data?: string;
  readonly stream?: string;
  readonly ts?: number;
}

const eventsIn = (text: string): OutputEvent[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as OutputEvent);

const joined = (events: readonly OutputEvent[]): string => events.map(({ data = '' }) => data).join('');

test('"How agent output is captured, stored, streamed to clients": every byte of more than 1 MiB, to a reader, a late one and the log', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sh', '-c', 'seq 1 300000'], env });
  let live = '';
  for await (const item of session.watchText()) if (item.type === 'text') live += item.data;
  const expected = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\r\n`).join('');
  expect(live === expected).toBe(true);
  expect((await outputOf(client, session.id)).toString() === expected).toBe(true);
});

test('"Request::Logs { agent_id, tail } returns last tail bytes as UTF-8 lossy string", "Attach: buffered_bytes, then live Output"', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sh', '-c', 'stty -echo; echo grün; read x; echo "got $x"'], env });
  await until('it is stored', async () => (await session.get()).offset >= 7);
  expect(await session.tail({ bytes: 3 })).toBe('n'); // "n\r\n": no half of the ü is shown
  const watch = session.watchText({ from: 0 });
  const first = (await watch.next()).value as TextItem & { data: string };
  expect(first.data).toBe('grün\r\n');
  await session.write('live\n'); // "Request::Input sends keystrokes"
  let rest = '';
  for await (const item of watch) if (item.type === 'text') rest += item.data;
  expect(rest).toBe('got live\r\n');
});

test('"looks_like_shell_prompt": "$ ", "% ", "# " and "> " at the end, newlines aside', () => {
  for (const end of ['$ ', '% ', '# ', '> ', '$ \r\n']) expect(looksLikeShellPrompt(`user@host ~ ${end}`)).toBe(true);
  for (const end of ['$', 'done\n', '']) expect(looksLikeShellPrompt(`user@host ~ ${end}`)).toBe(false);
});

test('"(OUT 001) fixed-size chunks, line-based, or semantic boundaries": each, and without escapes the words stay apart', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const paint = String.raw`printf '\033[2;3HQuick\033[2;9Hsafety\033[1Ccheck:\033[3;3HIs\033[3;6Hthis\n'`;
  const session = await client.run({ command: ['sh', '-c', paint], env });
  await session.wait();
  const textOf = async (ansi: 'strip' | 'text'): Promise<string> => {
    let text = '';
    for await (const item of session.watchText({ ansi })) if (item.type === 'text') text += item.data;
    return text;
  };
  expect(await textOf('strip')).toBe('Quick safety check:\nIs this\n');
  expect((await textOf('text')).split(/\s+/).join(' ').trim()).toBe('Quick safety check: Is this');
});

test('[STATE-10] "(OUT 002) agent completion, periodic intervals, or on-demand": a summary for each', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', 'stty -echo; echo begun; read x; echo middle; read x; echo "all done"; exit 3'];
  const session = await client.run({ command, name: 'agent', env });
  await until('it has begun', async () => (await session.get()).offset > 0);
  const ends = client.events({ types: ['session-summary'] });
  const heard: SummaryEvent[] = [];
  const following = (async () => {
    for await (const event of summaries(client, 'agent', { everyMs: 50 })) heard.push(event);
  })();
  const page = spawn(SPOOL, ['summary', '-f', '--every', '1s', '--json', 'agent'], {
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  page.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('both have the first', () => heard.length === 1 && printed.includes('"reason":"now"'));
  await session.write('\n');
  await until('both have one of an interval', () => heard.length === 2 && printed.includes('"reason":"interval"'));
  expect(heard[1]!.summary.lastLines).toEqual(['begun', 'middle']);
  await session.write('\n');
  await following;
  expect(heard.map(({ reason }) => reason)).toEqual(['now', 'interval', 'end']);
  expect(heard[2]).toMatchObject({ type: 'session-summary', summary: { exitCode: 3, name: 'agent' } });
  await until('the page has the end', () => printed.includes('"reason":"end"'));
  const { value } = await ends.next();
  expect(value).toMatchObject({
    type: 'session-summary',
    id: session.id,
    reason: 'end',
    summary: { name: 'agent', state: 'failed', exitCode: 3, lastLines: ['begun', 'middle', 'all done'] },
  });
  ends.close();
  const wrong = await daemon.spool(['summary', '-f', '--every', '1ms', 'agent']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('1s or more')]);
});

test('[OUT-1] `--json-output` with `--headless`: both streams are events, and stderr holds nothing else', async () => {
  await using daemon = new TestDaemon();
  const script = 'echo out; echo err >&2; exit 4';
  const ran = await daemon.spool([
    'run',
    '--stream-output',
    '--flush-ms',
    '10',
    '--headless',
    '--',
    'sh',
    '-c',
    script,
  ]);
  expect([ran.code, ran.stdout]).toEqual([4, 'out\n']);
  const events = eventsIn(ran.stderr);
  expect(joined(events.filter(({ stream }) => stream === 'stderr'))).toBe('err\n');
  expect(joined(events.filter(({ stream }) => stream === undefined))).toBe('out\n');
  expect(events.at(-1)).toMatchObject({ type: 'exit', exitCode: 4 });
});

test('[OUT-1] `run -d --json-file`: written in the background, from the first byte to the end, over a killed keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/events.ndjson`;
  const script = 'stty -echo; echo first; read x; echo "then $x"';
  const refused = await daemon.spool(['run', '-d', '--json-output', '--', 'true']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--json-file')]);
  const nowhere = await daemon.spool(['run', '-d', '--json-file', `${daemon.home}/no/such`, '--', 'true']);
  expect([nowhere.code, await client.list()]).toEqual([expect.any(Number), []]);
  expect(nowhere.code).not.toBe(0);
  const { stdout } = await daemon.spool(['run', '-d', '--json-file', file, '--', 'sh', '-c', script]);
  const id = stdout.trim();
  await until('the first line is there', () => existsSync(file) && readFileSync(file, 'utf8').includes('first'));
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await client.status(); // the next keeper is running
  await client.write(id, 'more\n');
  await until('the end is there', () => readFileSync(file, 'utf8').includes('"exit"'));
  expect(joined(eventsIn(readFileSync(file, 'utf8')))).toBe('first\r\nthen more\r\n');
  await until('nobody writes any more', () =>
    daemon.processes().every((pid) => !argumentsOf(pid).includes('--json-output')),
  );
});

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

test('[OUT-1] `attach --json-output`: past and present output as events, beside the output itself', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sh', '-c', 'stty -echo; echo one; read x; echo two'], name: 'a', env });
  await until('it has begun', async () => (await session.get()).offset > 0);
  const child = spawn(SPOOL, ['attach', '--json-output', 'a'], { env: daemon.env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill());
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  await until('the past is told', () => err.includes('one'));
  await session.write('\n');
  await until('the end is told', () => err.includes('"exit"') && out.includes('two'));
  expect(joined(eventsIn(err))).toBe('one\r\ntwo\r\n');
  expect(out).toBe('one\ntwo\n');
});

test('[STATE-1] "Tracks last_write: Instant for idle detection", "idle_seconds", "effective_status() for idle detection"', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-i'],
    size: { cols: 80, rows: 24 },
    env: { ...env, TERM: 'xterm', PS1: 'user@host ~ $ ' },
  });
  await until('the prompt is stored', async () => (await session.get()).offset > 0);
  expect(looksLikeShellPrompt(await promptOf(session))).toBe(true);
  await until('it is idle', async () => (await session.get()).status.state === 'idle');
  const before = await session.get();
  expect(idleSeconds(before, before.lastOutputAt! + 2500)).toBe(2.5);
  await session.write('echo on it; sleep 1000\r');
  await until('the answer is stored', async () => (await promptOf(session)).endsWith('on it\r\n'));
  const after = await session.get();
  expect(after.lastOutputAt).toBeGreaterThan(before.lastOutputAt!);
  expect(idleSeconds(after)).toBeLessThan((Date.now() - before.lastOutputAt!) / 1000);
  expect(looksLikeShellPrompt(await promptOf(session))).toBe(false);
});

/** Returns the last 256 bytes, blanks at the end included. */
async function promptOf(session: Session): Promise<string> {
  let text = '';
  for await (const item of session.watch({ from: 0 })) {
    if (item.type === 'output') text += Buffer.from(item.bytes).toString();
    if (item.type === 'synced') break;
  }
  return text.slice(-256);
}
