/** Tests waiting: for the end, for a state, for output, for a match; by events of the daemon, never by polling. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { parseWanted, waitFor, waitForFirst } from '@spool/client/waits';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, PS1: '$ ', HOME: '/' };
const SHELL = ['bash', '--norc', '--noprofile', '-i'];

async function shell(client: Client): Promise<string> {
  const { id } = await client.run({ command: SHELL, size: PTY, env });
  expect((await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 })).reason).toBe('prompt');
  return id;
}

test('[STATE-5] a wait ends with what came first, and says what and where', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await shell(client);

  const output = client.waitUntil(id, 'output', { timeoutMs: 10_000 });
  const { offset } = await client.prompt(id, 'sleep 0.4; read -p "Go on? [y/N] " answer');
  expect((await output).reason).toBe('output');
  const blocked = await client.waitUntil(id, ['idle', 'blocked', 'exit'], { after: offset, timeoutMs: 10_000 });
  expect(blocked).toMatchObject({ reason: 'blocked', session: { status: { state: 'blocked', kind: 'confirm' } } });
  expect(blocked.offset).toBeGreaterThan(offset);

  await client.keys(id, ['y', 'Enter']);
  expect((await client.waitUntil(id, 'prompt', { after: blocked.offset, timeoutMs: 10_000 })).reason).toBe('prompt');
  await client.write(id, 'exit 7\r');
  expect(await client.waitUntil(id, ['blocked'], { timeoutMs: 10_000 })).toMatchObject({
    reason: 'exit',
    session: { state: 'failed', exitCode: 7, status: { state: 'exited' } },
  });
});

test('[STATE-5] a prompt and then a wait: the prompt of before does not end it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await shell(client);
  const { offset } = await client.prompt(id, 'sleep 1; echo done-$((1+1))');
  const waited = await client.waitUntil(id, 'prompt', { after: offset, timeoutMs: 30_000 });
  expect(waited.reason).toBe('prompt');
  expect((await client.screen(id)).content).toContain('done-2');
});

test('[STATE-5] a wait that times out says so, and the session is not touched', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sleep', '1000'], size: PTY, env });
  expect(await client.waitUntil(id, ['idle', 'output'], { timeoutMs: 50 })).toMatchObject({
    reason: 'timeout',
    session: { state: 'running' },
  });
});

test('[STATE-5] a match among other things: the first counts, also the last line before the end', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', 'echo port 4711; exec sleep 1000'], size: PTY, env });
  expect(await waitFor(client, id, parseWanted(['match:/port (\\d+)/', 'exit']))).toMatchObject({
    reason: 'match',
    match: ['port 4711', '4711'],
  });
  const quick = await client.run({ command: ['sh', '-c', 'printf last'], size: PTY, env });
  await client.wait(quick.id);
  expect((await waitFor(client, quick.id, parseWanted(['match:last', 'exit']))).reason).toBe('match');
  const none = await client.run({ command: ['true'], size: PTY, env });
  expect((await waitFor(client, none.id, parseWanted(['match:never']))).reason).toBe('exit');
});

test('[STATE-5] of several sessions, the first', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const slow = await client.run({ command: ['sleep', '1000'], size: PTY, env });
  const asking = await client.run({ command: ['bash', '-c', 'read -p "Overwrite? [y/n] " x'], size: PTY, env });
  const end = await waitForFirst(
    client,
    [slow, asking].map(({ id }) => ({ session: id })),
    parseWanted(['blocked', 'exit']),
    { timeoutMs: 10_000 },
  );
  expect(end).toMatchObject({ reason: 'blocked', session: { id: asking.id } });
});

test('[STATE-5] `spool wait`: reasons, exit codes, several at once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const asking = await client.run({
    command: ['bash', '-c', 'read -p "Overwrite? [y/n] " x; exit 3'],
    name: 'asking',
    size: PTY,
    env,
  });
  await client.run({ command: ['sleep', '1000'], name: 'slow', size: PTY, env });
  const any = await daemon.spool(['wait', '--any', '--until', 'blocked,exit', 'slow', 'asking']);
  expect(any.code).toBe(0);
  expect(any.stdout).toMatch(/^\S+ is blocked: /);
  expect((await daemon.spool(['wait', '--until', 'idle', '-t', '100ms', 'slow'])).code).toBe(124);
  await client.keys(asking.id, ['y', 'Enter']);
  expect((await daemon.spool(['wait', 'asking'])).code).toBe(3);
  expect((await daemon.spool(['wait', '--until', 'blocked', 'asking'])).code).toBe(1);
  expect(await daemon.spool(['wait', '--until', 'sleepy', 'asking'])).toMatchObject({ code: 2 });
  expect(await daemon.spool(['wait', '--until', 'match:/(/', 'asking'])).toMatchObject({ code: 2 });
  const tooFar = await daemon.spool(['wait', '--after', '99999999', '--until', 'match:/x/', 'slow']);
  expect(tooFar).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^spool: invalid argument "after": the session has written 0 bytes/) as string,
  });
});

test('[STATE-5] a pattern that would backtrack for hours ends its own wait, and the daemon never runs it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['sh', '-c', `echo ${'a'.repeat(50)}!; exec sleep 1000`],
    size: PTY,
    env,
  });
  await seen(client, id, '!');
  const wait = waitFor(client, id, parseWanted(['match:/^(?=(a+)+$)b/']), { timeoutMs: 60_000 });
  await expect(wait).rejects.toMatchObject({ code: 'PATTERN_TOO_SLOW' });
  expect((await client.status()).sessions.running).toBe(1);
});

test('[STATE-5] a wait outlives the keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '-c', 'read -r x; exit "$x"'], size: PTY, env });
  const waits = [client.waitUntil(id, ['blocked', 'exit']), client.wait(id)] as const;
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  await client.write(id, '5\r');
  expect(await waits[0]).toMatchObject({ reason: 'exit', session: { exitCode: 5 } });
  expect(await waits[1]).toMatchObject({ exitCode: 5 });
});

test('[STATE-5] 1,000 waits at once cause no wake-ups while nothing happens', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // At their prompts: their status no longer changes, however slow the machine is.
  const sessions = await Promise.all(Array.from({ length: 10 }, () => shell(client)));
  const { keeper } = await client.status();
  const without = await wakeUpsOf(keeper.pid);
  const over = new AbortController();
  const waits = Array.from({ length: 1000 }, (_, at) =>
    client.waitUntil(sessions[at % 10]!, ['blocked', 'output', 'exit'], { signal: over.signal }),
  );
  const ended = Promise.allSettled(waits);
  // Each asks for the end of the output, and with the answer for the wait: some turns later all requests have arrived.
  for (let turn = 0; turn < 5; turn++) await client.status();
  // Each has requested the picture to compare with, once; these requests come after theirs.
  for (const id of sessions) await client.screen(id);
  const withWaits = await wakeUpsOf(keeper.pid);
  over.abort();
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  // The wake-ups without waits: a ping from time to time.
  expect(without).toBeLessThan(200);
  expect(withWaits).toBeLessThan(without + 200); // one for each of them would be a thousand
});

/** Returns the number of wake-ups of its main thread in two seconds. */
async function wakeUpsOf(pid: number): Promise<number> {
  const count = (): number =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8'))![1]);
  const before = count();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return count() - before;
}

test('[STATE-5, LIFE-1] output that comes while there is no keeper is not missed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const go = `${daemon.home}/go`;
  const script = `until [ -e ${go} ]; do sleep 0.01; done; printf once; exec sleep 1000`;
  const { id } = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  const waiting = client.waitUntil(id, 'output', { timeoutMs: 10_000 });
  for (let turn = 0; turn < 5; turn++) await client.status(); // it knows the end of the output, and has requested the wait
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  writeFileSync(go, '');
  expect(await waiting).toMatchObject({ reason: 'output' });
});

test('[STATE-5] --from-now counts for each of several sessions', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const run = (name: string): ReturnType<Client['run']> =>
    client.run({
      command: ['sh', '-c', 'echo hello; read go; echo hello again; exec sleep 1000'],
      name,
      size: PTY,
      env,
    });
  const [one, other] = [await run('one'), await run('other')];
  for (const { id } of [one, other]) await seen(client, id, 'hello');
  const waiting = daemon.spool(['wait', '--any', '--from-now', '--until', 'match:/hello( again)?/', 'one', 'other']);
  await until(
    'it waits',
    async () => (await client.get(one.id)).watchers > 0 && (await client.get(other.id)).watchers > 0,
  );
  await client.write(other.id, '\r');
  expect((await waiting).stdout).toMatch(/^\S+ matched: hello again\n$/);
});

test('[STATE-5] `wait --until output` ignores what shows nothing: titles, moves of the cursor, modes, the same picture again', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const picture = String.raw`\033[H\033[2Jone\r\n\033[31mtwo\033[m\r\n`;
  const nothing = [
    String.raw`\033]0;spinning\007`,
    String.raw`\033[5;5H\033[?25l\033[?2004h`,
    String.raw`\033[m\033[31m\033[m\033[6n\007`,
    picture,
  ];
  const steps = nothing.map((text) => `read x; printf '${text}'; `).join('');
  const script = `stty -echo; printf '${picture}'; ${steps} read x; printf three; read x`;
  const { id } = await client.run({ command: ['sh', '-c', script], env, size: PTY });
  await until('the picture is there', async () => (await client.screen(id)).content.includes('two'));
  const { offset: start } = await client.get(id);
  const ended: string[] = [];
  const long = client.waitUntil(id, 'output', { after: start });
  void long.then(({ reason }) => ended.push(reason));
  for (let at = 0; at < nothing.length; at++) {
    const { offset } = await client.get(id);
    await client.write(id, '\n');
    await until('it has written', async () => (await client.get(id)).offset > offset);
    expect(await client.waitUntil(id, 'output', { after: start, timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
  }
  expect(ended).toEqual([]);
  const printed = await daemon.spool(['wait', '--until', 'output', '--timeout', '300ms', id]);
  expect(printed.code).toBe(124);
  await client.write(id, '\n');
  expect(await long).toMatchObject({ reason: 'output' });
});

test('[STATE-5] `wait --until output`: the same line over and over is output, and so is every byte of a session on pipes', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'stty -echo; yes | head -3000; read x; echo y; read x';
  const same = await client.run({ command: ['sh', '-c', script], env, size: PTY });
  await until('all is there', async () => (await same.get()).offset === 9000);
  const again = client.waitUntil(same.id, 'output', { after: 9000 });
  // Requested after it, so the thread for screens has answered that wait's request.
  for (let round = 0; round < 3; round++) await client.screen(same.id);
  await same.write('\n');
  expect(await again).toMatchObject({ reason: 'output' });
  const pipes = await client.run({
    command: ['sh', '-c', String.raw`read x; printf '\033[m'; read x`],
    env,
    size: null,
  });
  const { offset: none } = await pipes.get();
  const heard = client.waitUntil(pipes.id, 'output', { after: none });
  await pipes.write('\n');
  expect(await heard).toMatchObject({ reason: 'output' });
});
