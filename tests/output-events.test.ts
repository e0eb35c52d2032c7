import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, TextItem, TextWatch, TextWatchOptions } from '@spool/client';
import { outputOf, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const CUT_WRITER = fileURLToPath(new URL('../packages/testkit/programs/cut-writer.mjs', import.meta.url));

/** Returns a command that writes 10,000 pieces, cut at random. */
const cutWriter = (seed: number): string[] => [process.execPath, CUT_WRITER, String(seed), '10000'];
const SIZE = { cols: 80, rows: 24 };
/** The limits of tries: other programs on this machine make a text later, never earlier, so one text in time is enough. */
const ROUNDS_MAX = 100;
const FLOODS_MAX = 15;
const CHUNKINGS = ['raw', 'line', 'semantic'] as const;

test.each([
  ['in a terminal', SIZE],
  ['on pipes', null],
])(
  '[OUT-2] [OUT-6] 10,000 pieces cut at random, %s: in every chunking the text is the decoded log',
  async (_where, size) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({ command: cutWriter(1), size });
    const plans: TextWatchOptions[] = CHUNKINGS.map((chunking) => ({ chunking }));
    const [raw, line, semantic] = await Promise.all(plans.map((options) => textOf(client.watchText(id, options))));
    const log = (await outputOf(client, id)).toString();
    expect(log.length).toBeGreaterThan(20_000);
    expect(log).not.toContain('\ufffd');
    for (const chunks of [raw!, line!, semantic!]) {
      expect(chunks.map(({ data }) => data).join('')).toBe(log);
      expect(Math.max(...chunks.map(({ offset, end }) => end - offset))).toBeLessThanOrEqual(4096);
    }
    expect(line!.filter(({ data }) => data.slice(0, -1).includes('\n'))).toEqual([]);
  },
);

test('[OUT-2] a keeper killed in the middle loses nothing and doubles nothing', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: cutWriter(2), size: SIZE });
  const chunks: Text[] = [];
  let isKilled = false;
  for await (const item of client.watchText(id)) {
    if (item.type !== 'text') continue;
    chunks.push(item);
    if (isKilled || item.end < 5000) continue;
    isKilled = true;
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
  }
  expect(isKilled).toBe(true);
  expect(chunks.map(({ data }) => data).join('')).toBe((await outputOf(client, id)).toString());
  chunks.reduce((end, chunk) => (expect(chunk.offset).toBe(end), chunk.end), 0);
});

test('[OUT-1] [OUT-4] the first text comes with its first byte, and what follows without waiting for more', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size: SIZE });
  await until('it is ready', async () => (await client.get(id)).offset > 0);
  const first: number[] = [];
  const tail: number[] = [];
  // A first text that were gathered too would never be this early; on a busy machine one of many is. Nothing more is written before
  // each has come: a text that waited for more would never come.
  while (first.length < 7 || (Math.min(...first) > 20 && first.length < ROUNDS_MAX)) {
    const { lateness, write } = await raced(client, id);
    await write('é');
    first.push(await lateness());
    await write('  ');
    tail.push(await lateness());
  }
  expect(Math.min(...first)).toBeLessThanOrEqual(20);
  expect(Math.max(...tail)).toBeGreaterThan(20); // it was gathered
});

test('[OUT-1] [OUT-4] in a flood nothing comes later than 100 ms', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const worst: number[] = [];
  for (let round = 0; round < FLOODS_MAX && !worst.some((ms) => ms <= 120); round++) {
    const { id } = await client.run({ command: cutWriter(3 + round), size: SIZE });
    const arrivals = arrivalsOf(client, id);
    const late: number[] = [];
    for await (const item of client.watchText(id)) {
      if (item.type === 'text') late.push(performance.now() - arrivals.of(item.offset));
    }
    worst.push(Math.max(...late));
    await client.remove(id);
  }
  expect(Math.min(...worst)).toBeLessThanOrEqual(120); // other processes on this machine can only make it later
});

test('[OUT-5] a subscription by name hears what comes, across a keeper kill; when it ends, nobody watches', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', 'stty raw -echo; echo before; exec cat'];
  const { id } = await client.run({ command, size: SIZE, name: 'Interviewer' });
  await until('it has begun', async () => (await client.get(id)).offset > 0);
  let heard = '';
  const errors: unknown[] = [];
  const unsubscribe = client.subscribeWorkerOutput('Interviewer', (data) => (heard += data), {
    from: 'end',
    onError: (error) => errors.push(error),
  });
  await until('it is watched', async () => (await client.get(id)).watchers === 1);
  await client.write(id, 'thinking… ');
  await until('it is heard', () => heard === 'thinking… ');
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await client.status(); // the daemon works again
  await client.write(id, 'done');
  await until('the rest is heard', () => heard === 'thinking… done');
  unsubscribe();
  await until('nobody watches', async () => (await client.get(id)).watchers === 0);
  await client.write(id, ' not for us');
  expect([heard, errors]).toEqual(['thinking… done', []]);
});

test('[OUT-1] `spool run --json-output`: the output on stdout, an event for each piece on stderr, and the end', async () => {
  await using daemon = new TestDaemon();
  const before = Date.now();
  const script = String.raw`printf 'gr\303'; sleep 0.3; printf '\274n  \n'; exit 3`;
  const ran = await daemon.spool(['run', '--name', 'Planner', '--json-output', '--', 'sh', '-c', script]);
  expect([ran.code, ran.stdout]).toEqual([3, 'grün  \n']);
  const events = eventsOf(ran.stderr);
  const texts = events.slice(0, -1);
  expect(texts[0]).toMatchObject({
    type: 'output',
    name: 'Planner',
    agent: 'Planner',
    ts: expect.any(Number),
    data: 'gr',
    offset: 0,
  });
  expect(texts.map(({ data }) => data).join('')).toBe('grün  \r\n');
  for (const { ts } of texts) expect(ts).toBeGreaterThanOrEqual(before);
  expect(events.at(-1)).toMatchObject({ type: 'exit', agent: 'Planner', exitCode: 3, state: 'failed', offset: 9 });
});

test('`--json-output` at a terminal: refused where the events would be in the picture, else beside it', async () => {
  await using daemon = new TestDaemon();
  using refused = new Terminal([SPOOL, 'run', '--json-output', '--', 'true'], daemon.env);
  await refused.sees('redirect it');
  expect((await refused.ended()).code).toBe(2);
  const file = `${daemon.home}/events`;
  using shown = new Terminal(['sh', '-c', `${SPOOL} run --json-output -- echo hello 2> ${file}`], daemon.env);
  await shown.sees('hello');
  expect(await shown.ended()).toEqual({ code: 0, signal: 0 });
  const events = eventsOf(readFileSync(file, 'utf8'));
  expect(events.map(({ data = '' }) => data).join('')).toBe('hello\r\n');
  expect(events.at(-1)).toMatchObject({ type: 'exit', exitCode: 0 });
  expect(shown.printed).toContain('ended, exit code 0]'); // for the user, not among the events
});

test('[OUT-1] with `--json-output` a notice and a failure are events too: standard error holds nothing else', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const failed = await daemon.spool(['run', '--json-output', '--', 'no-such-command-anywhere']);
  expect([failed.code, eventsOf(failed.stderr)]).toMatchObject([127, [{ error: { code: 'COMMAND_NOT_FOUND' } }]]);
  const file = `${daemon.home}/events`;
  const command = `exec ${SPOOL} run --name kept --json-output -- sh -c 'trap "" INT; echo ready; exec sleep 1000' > /dev/null 2> ${file}`;
  using left = new Terminal(['sh', '-c', command], daemon.env);
  await until('its output is told', () => existsSync(file) && readFileSync(file, 'utf8').includes('ready'));
  process.kill(left.pid, 'SIGQUIT');
  expect((await left.ended()).code).toBe(0);
  const told = eventsOf(readFileSync(file, 'utf8'));
  expect(told.at(-1)).toMatchObject({
    type: 'notice',
    agent: 'kept',
    text: expect.stringContaining('detached from kept'),
  });
  await client.kill('kept');
});

type Text = Extract<TextItem, { type: 'text' }>;

async function textOf(watch: TextWatch): Promise<Text[]> {
  const chunks: Text[] = [];
  for await (const item of watch) if (item.type === 'text') chunks.push(item);
  return chunks;
}

/** Records the time at which each byte reached this process, by a watch of bytes on the same connection. */
function arrivalsOf(client: Client, id: string): { of(offset: number): number } {
  const ends: { readonly end: number; readonly at: number }[] = [];
  void (async () => {
    for await (const item of client.watch(id)) {
      if (item.type === 'output') ends.push({ end: item.offset + item.bytes.length, at: performance.now() });
    }
  })();
  // A byte that reached the text first has arrived just now.
  return { of: (offset) => ends.find(({ end }) => end > offset)?.at ?? performance.now() };
}

/** Follows the text and the bytes of a session from now on; returns the delays of the text. */
async function raced(
  client: Client,
  id: string,
): Promise<{ lateness(): Promise<number>; write(text: string): Promise<void> }> {
  const text = client.watchText(id, { from: 'end' });
  let next = text.next();
  const bytes = client.watch(id, { from: 'end' });
  await bytes.next(); // synced: earlier requests on this connection have been answered too
  let arrivedAt = 0;
  return {
    async lateness() {
      const { value } = await next;
      const late = performance.now() - arrivedAt;
      if (value?.type !== 'text') throw new Error('the session has ended');
      next = text.next();
      return late;
    },
    async write(data) {
      const arrives = bytes.next().then(() => (arrivedAt = performance.now()));
      await client.write(id, data);
      await arrives;
    },
  };
}

/** Parses the events; every line is one. */
const eventsOf = (stderr: string): { type: string; ts: number; data?: string }[] =>
  stderr
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; ts: number; data?: string });
