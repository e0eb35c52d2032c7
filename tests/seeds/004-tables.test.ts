/** Seed 004: its tables and lists, row by row: lifecycle, replay, queries, the filter, frames, resizes, stop and kill, errors. */
import { readFileSync } from 'node:fs';
import type { Attachment, AttachItem, Client, Session } from '@spool/client';
import { encodeJson, FrameType } from '@spool/protocol';
import { BareClient, isAlive, outputOf, seen, TestDaemon, until } from '@spool/testkit';
import { missingProgram, NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from '../support/gateway.ts';

const env = { PATH: process.env.PATH!, HOME: '/', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
const SIZE = { cols: 80, rows: 24 };
const daemon = new TestDaemon();
let client: Client;
beforeAll(async () => {
  client = await daemon.client();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const shell = (script: string, name?: string): Promise<Session> =>
  client.run({ command: ['sh', '-c', script], size: SIZE, env, ...(name !== undefined && { name }) });

/**
 * A program that prints each line of its input, with the escapes of printf(1). Answers to its earlier output may precede the
 * colon.
 */
const PRINTER = `stty -echo; echo ready; while read -r line; do printf '%b' "\${line##*:}"; done`;

/** Returns the bytes as an argument of printf(1). */
const printed = (bytes: string): string =>
  [...Buffer.from(bytes, 'latin1')].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');

/** Reads an attachment in the background. */
function reading(attachment: Attachment): AttachItem[] {
  const items: AttachItem[] = [];
  onTestFinished(() => attachment.close());
  void (async () => {
    for await (const item of attachment) items.push(item);
  })();
  return items;
}

const outputIn = (items: readonly AttachItem[]): string =>
  items.map((item) => (item.type === 'output' ? Buffer.from(item.bytes).toString('latin1') : '')).join('');

const has = (items: readonly AttachItem[], type: AttachItem['type']): boolean =>
  items.some((item) => item.type === type);

test('"Spawned → Running: immediately after spawn", "Exited: exit code captured, ring buffer preserved, no more input accepted", "Cleaned up"', async () => {
  const session = await shell('echo kept; read x; exit 3');
  expect(await session.get()).toMatchObject({ state: 'running', exitCode: null, pid: expect.any(Number) });
  await session.write('\n');
  expect(await session.wait()).toMatchObject({ state: 'failed', exitCode: 3 });
  expect((await outputOf(client, session.id)).toString()).toContain('kept');
  await expect(session.write('late\n')).rejects.toMatchObject({ code: 'SESSION_EXITED' });
  await client.remove(session.id);
  await expect(client.get(session.id)).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
});

test('"Reads the ring buffer contents … live output", "Each byte in the ring has a monotonically increasing logical offset"', async () => {
  const session = await shell('stty -echo; seq 1 2000; read x; echo live');
  await seen(client, session.id, '2000\r\n');
  const whole = Array.from({ length: 2000 }, (_, at) => `${at + 1}\r\n`).join('') + 'live\r\n';
  const reads = [0, 1234, whole.length - 6].map(async (from) => {
    let [text, next] = ['', from];
    for await (const item of client.watch(session.id, { from })) {
      if (item.type !== 'output') continue;
      expect(item.offset).toBe(next);
      next += item.bytes.length;
      text += Buffer.from(item.bytes).toString();
    }
    expect(text).toBe(whole.slice(from));
  });
  await session.write('\n');
  await Promise.all(reads);
});

/** The table "Query response generation": the query, and the answer, as `cat -v` shows it. */
const QUERIES: readonly (readonly [name: string, query: string, answer: RegExp])[] = [
  ['Cursor Position Report', '\x1b[5;7H\x1b[6n', /^\^\[\[5;7R$/],
  ['Device Status Report', '\x1b[5n', /^\^\[\[0n$/],
  ['Foreground color', '\x1b]10;?\x07', /^\^\[\]10;rgb:[\da-f]{4}\/[\da-f]{4}\/[\da-f]{4}\^G$/],
  ['Background color', '\x1b]11;?\x07', /^\^\[\]11;rgb:[\da-f]{4}\/[\da-f]{4}\/[\da-f]{4}\^G$/],
  ['Primary device attributes', '\x1b[c', /^\^\[\[\?62;[\d;]+c$/],
  ['Primary device attributes, with 0', '\x1b[0c', /^\^\[\[\?62;[\d;]+c$/],
  ['Secondary device attributes', '\x1b[>c', /^\^\[\[>\d+;\d+;\d+c$/],
  ['Secondary device attributes, with 0', '\x1b[>0c', /^\^\[\[>\d+;\d+;\d+c$/],
  ['XTVERSION', '\x1b[>0q', /^\^\[P>\|spool\([^)]+\)\^\[\\$/],
  ['DECRPM', '\x1b[?2004$p', /^\^\[\[\?2004;2\$y$/],
  ['DECRPM of a mode that is set', '\x1b[?2004h\x1b[?2004$p', /^\^\[\[\?2004;1\$y$/],
  ['Kitty keyboard query', '\x1b[?u', /^\^\[\[\?0u$/],
];

test.each(QUERIES)(
  '[QRY-1] "extract_query_responses_no_client() currently handles": %s',
  async (_name, query, answer) => {
    // A second query ends the answer of the first.
    const session = await shell(`stty raw -echo; printf '%b' '${printed(`${query}\x1b[?6n`)}'; exec cat -v`);
    let got = '';
    await until('both are answered', async () => {
      got = (await outputOfNow(session.id)).slice(query.length + '\x1b[?6n'.length);
      return /\^\[\[\?\d+;\d+(;\d+)?R/.test(got);
    });
    expect(got.replace(/\^\[\[\?\d+;\d+(;\d+)?R.*$/s, '')).toMatch(answer);
    await session.kill();
  },
);

test('[QRY-1] "keeps subsequent CPR responses aligned with the latest successful PTY resize, including … another attached client"', async () => {
  // Each line asks again, and shows the answer that came before it.
  const ask = `printf '\\033[999;999H\\033[6n'`;
  const session = await shell(`stty -echo; echo ready; while read -r line; do echo "$line" | cat -v; ${ask}; done`);
  await seen(client, session.id, 'ready');
  const [viewer, other] = [session.attach(), session.attach()];
  for (const attachment of [viewer, other]) reading(attachment);
  await session.write('\n');
  await until('it is asked', async () => (await outputOfNow(session.id)).includes('\x1b[6n'));
  await until('the answer is there', async () => {
    await session.write('\n');
    return (await outputOfNow(session.id)).includes('^[[24;80R');
  });
  await other.view({ size: { cols: 101, rows: 33 } });
  await until('the next answer has the new size', async () => {
    await session.write('\n');
    return (await outputOfNow(session.id)).includes('^[[33;101R');
  });
  await session.kill();
});

async function outputOfNow(id: string): Promise<string> {
  let all = '';
  for await (const item of client.watch(id, { from: 0 })) {
    if (item.type === 'output') all += Buffer.from(item.bytes).toString('latin1');
    if (item.type === 'synced' || item.type === 'exit') break;
  }
  return all;
}

/** The list "Patterns stripped" of EscapeFilter. */
const STRIPPED: readonly (readonly [name: string, bytes: string])[] = [
  ['Full CPR', '\x1b[12;40R'],
  ['Full CPR, with ?', '\x1b[?12;40R'],
  ['DSR/CPR queries', '\x1b[6n\x1b[5n'],
  ['Private-mode probes', '\x1b[?996n\x1b[?2026$p'],
  ['DA1', '\x1b[c\x1b[0c'],
  ['DA2', '\x1b[>c\x1b[>0c'],
  ['XTVERSION', '\x1b[>0q'],
  ['kitty keyboard queries', '\x1b[?u'],
  ['Window-size probes', '\x1b[14t\x1b[15t\x1b[16t\x1b[17t\x1b[18t\x1b[19t'],
  ['OSC 10/11 color responses', '\x1b]10;rgb:ffff/ffff/ffff\x07\x1b]11;rgb:0000/0000/0000\x07'],
  ['Generic OSC', '\x1b]7;file://host/tmp\x07\x1b]1337;Something=1\x07'],
];

test('[ATT-8] "Patterns stripped", one by one, whole and "split at arbitrary byte boundaries"; what draws stays', async () => {
  const session = await shell(PRINTER);
  await seen(client, session.id, 'ready');
  const items = reading(session.attach());
  await until('it is painted', () => has(items, 'snapshot'));
  let expected = '';
  const shows = async (bytes: string, rest: string): Promise<void> => {
    const { offset } = await session.get();
    await session.write(`:${printed(bytes)}\n`);
    await until('it is printed', async () => (await session.get()).offset === offset + bytes.length);
    expected += rest;
  };
  for (const [at, [, bytes]] of STRIPPED.entries()) {
    await shows(`<${at}${bytes}>`, `<${at}>`);
    const cut = 1 + (at % (bytes.length - 1));
    await shows(`(${bytes.slice(0, cut)}`, '(');
    await shows(`${bytes.slice(cut)})`, ')');
  }
  await shows('[6n[12;40R', '[6n[12;40R'); // without ESC it is text: only ConPTY drops that
  await shows('\x1b[1mbold\x1b[m', '\x1b[1mbold\x1b[m');
  await until('all is shown', () => outputIn(items).endsWith('\x1b[1mbold\x1b[m'));
  const shown = outputIn(items);
  for (const [at, [name]] of STRIPPED.entries()) expect(shown, name).toContain(`<${at}>()`);
  expect(shown).toBe(expected);
  // "Persist filter … oly logs reads clean data from disk"
  await session.kill();
  const { stdout } = await daemon.spool(['logs', session.id]);
  expect(stdout).toContain(
    STRIPPED.map((_pattern, at) => `<${at}>()`)
      .join('')
      .slice(0, 60),
  );
});

test('[ATT-11] "Chunk 1: "output\\x1b" → state = Esc; Chunk 2: "[?1h" → detects DECCKM set"', async () => {
  const session = await shell(PRINTER);
  await seen(client, session.id, 'ready');
  const items = reading(session.attach());
  await until('it is painted', () => has(items, 'modes'));
  await session.write(`:${printed('output\x1b')}\n`);
  await seen(client, session.id, 'output\x1b');
  expect(await session.modes()).toMatchObject({ applicationCursor: false });
  await session.write(`:${printed('[?1h')}\n`);
  await until('it is told', () => items.filter(({ type }) => type === 'modes').length === 2);
  expect(items.findLast(({ type }) => type === 'modes')).toMatchObject({ applicationCursor: true });
  expect(await session.modes()).toMatchObject({ applicationCursor: true });
});

test('[SIZE-1] [SIZE-4] "AttachStreamInit, AttachStreamChunk, AttachResized, AttachStreamDone; AttachInput, AttachResize, AttachDetach"; "last successful resize wins"', async () => {
  const session = await shell(
    'stty -echo; echo ready; while read -r x && [ "$x" != end ]; do echo "got $x"; done; exit 4',
  );
  await seen(client, session.id, 'ready');
  const [one, two] = [session.attach({ size: SIZE }), session.attach()];
  const [first, second] = [reading(one), reading(two)];
  await until('both are painted', () => has(first, 'snapshot') && has(second, 'snapshot'));
  // "All attached clients write to the same PTY stdin."
  await one.type('a\r');
  await two.type('b\r');
  for (const items of [first, second])
    await until('both lines are shown', () => /got a[^]*got b|got b[^]*got a/.test(outputIn(items)));
  const sizes = (items: readonly AttachItem[]): string[] =>
    items.flatMap((item) => (item.type === 'resized' ? [`${item.cols}x${item.rows}`] : []));
  await one.view({ size: { cols: 90, rows: 30 } });
  await until('the other is told', () => sizes(second).at(-1) === '90x30');
  await two.view({ size: { cols: 70, rows: 20 } });
  await until('the first is told', () => sizes(first).at(-1) === '70x20');
  expect((await session.get()).size).toMatchObject({ cols: 70, rows: 20 });
  await two.view({ size: { cols: 70, rows: 20 } }); // "Requests that match the current size are no-ops"
  two.close();
  await until('one stays', async () => (await session.get()).viewers.length === 1);
  expect(sizes(first).filter((size) => size === '70x20')).toHaveLength(1);
  expect(sizes(second)).not.toContain('70x20'); // "never receives its own resize back"
  await one.type('end\r');
  await until('the end is told', () => has(first, 'exit'));
  expect(first.find(({ type }) => type === 'exit')).toMatchObject({ exitCode: 4 });
});

test('[REM-8] "WebSocket uses JSON messages with a `type` field": each message of the block, as it stands', async () => {
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('operator');
  const [told, said] = readFileSync(new URL('blocks/004-websocket.txt', import.meta.url), 'utf8')
    .split('// Client → Server\n')
    .map((half) =>
      half
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { type: string }),
    ) as [{ type: string }[], { type: string }[]];
  const script = 'stty -echo; echo ready; read x; echo "got $x"; printf "\\033[?1h"; read y; exit 0';
  const { id } = await shell(script);
  await seen(client, id, 'ready');
  const open = async (): Promise<{ socket: WebSocket; messages: { type: string }[] }> => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws?session=${id}`, ['spool.attach.v1'], {
      headers: { authorization: `Bearer ${token}` },
    });
    onTestFinished(() => socket.terminate());
    const messages: { type: string }[] = [];
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as { type: string }));
    await until('it is painted', () => messages.some(({ type }) => type === 'init'), 60_000);
    return { socket, messages };
  };
  const [viewer, leaver] = [await open(), await open()];
  leaver.socket.send(JSON.stringify({ type: 'resize', rows: 30, cols: 100 }));
  await until('the size is taken', async () => (await client.get(id)).size?.cols === 100);
  const [input, resize, detach] = said.map((message) => JSON.stringify(message)) as [string, string, string];
  leaver.socket.send(resize);
  await until('the size is taken', async () => (await client.get(id)).size?.cols === 80);
  leaver.socket.send(input);
  leaver.socket.send(detach); // right after it: no typed key is lost
  await seen(client, id, 'got ls');
  await until('the one that detached is gone', () => leaver.socket.readyState === WebSocket.CLOSED);
  expect((await client.get(id)).state).toBe('running');
  await until('the mode is told', () => viewer.messages.some(({ type }) => type === 'mode_changed'));
  await client.write(id, '\n');
  await until('the end is told', () => viewer.messages.some(({ type }) => type === 'session_ended'));
  for (const expected of told) {
    const { data: _data, ...fields } = expected as { type: string; data?: string };
    expect(viewer.messages).toContainEqual(expect.objectContaining(fields));
  }
});

test('[RUN-42] "Finalize the session as `stopped` …; reserve `failed` for unrequested non-zero exits", "as `killed` once the process exit is observed"', async () => {
  const [stopped, killed, failed] = [await shell('sleep 1000'), await shell('sleep 1000'), await shell('exit 1')];
  expect(await stopped.stop()).toMatchObject({ state: 'stopped', signal: 'SIGTERM' });
  expect(await killed.kill()).toMatchObject({ state: 'killed', signal: 'SIGKILL' });
  expect(await failed.wait()).toMatchObject({ state: 'failed', exitCode: 1 });
});

test('"Child crashes: send AttachStreamDone, preserve ring", "Client disconnect: attach_detach() cleanup", "write() to closed fd"', async () => {
  const session = await shell('stty -echo; echo before; read x; kill -SEGV $$');
  await seen(client, session.id, 'before');
  const other = await daemon.client();
  reading(other.attach(session.id));
  await until('it is attached', async () => (await session.get()).viewers.length === 1);
  other.close();
  await until('it is gone', async () => (await session.get()).viewers.length === 0);
  const attachment = session.attach();
  const items = reading(attachment);
  await until('it is painted', () => has(items, 'snapshot'));
  await attachment.type('\r');
  await until('the end is told', () => has(items, 'exit'));
  expect(items.find(({ type }) => type === 'exit')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  expect((await outputOf(client, session.id)).toString()).toContain('before');
  await expect(session.write('x')).rejects.toMatchObject({ code: 'SESSION_EXITED' });
});

/** The number of the system call vhangup(2), by processor. */
const VHANGUP = { x64: 153, arm64: 58 }[process.arch as 'x64' | 'arm64'];

testNeeding(missingProgram('perl'), NOT_ROOT)(
  '[RUN-23] "PTY read failure: reader thread `read()` returns error → thread exits, broadcast closed": the log stays, the end is told',
  async () => {
    // Hanging up a terminal makes every read of its other side fail with EIO, for good.
    const script = `$| = 1; $SIG{HUP} = "IGNORE"; print "before\n"; <STDIN>; syscall(${VHANGUP}) == 0 or exit 9; sleep 1; exit 5`;
    const session = await client.run({ command: ['perl', '-e', script], size: SIZE, env });
    await seen(client, session.id, 'before');
    const items = reading(session.attach());
    await until('it is painted', () => has(items, 'snapshot'));
    await session.write('\n');
    expect(await session.wait()).toMatchObject({ state: 'failed', exitCode: 5, trouble: null });
    await until('the end is told', () => has(items, 'exit'));
    expect((await outputOf(client, session.id)).toString()).toContain('before');
    expect((await shell('echo others live').then((other) => other.wait())).exitCode).toBe(0);
  },
);

test('"IPC connection reset: `read_request` returns error → client reader task exits": in mid-frame and with unread output', async () => {
  const session = await shell('stty -echo; echo ready; while :; do echo more; sleep 0.01; done');
  await seen(client, session.id, 'ready');
  const { socket } = await client.status();
  const [half, deaf] = [await BareClient.connect(socket), await BareClient.connect(socket)];
  half.send(Buffer.from(encodeJson(FrameType.request, 1, { op: 'list' })).subarray(0, 7));
  await deaf.answer(1, { op: 'attach', session: session.id, creditBytes: 1 << 20, typing: 'one-who-is-deaf' });
  await until('it is attached', async () => (await session.get()).viewers.length === 1);
  deaf.pause();
  await until('output waits for it', async () => (await session.get()).offset > 2000);
  half.close();
  deaf.close(); // with unread bytes: the daemon's side is reset
  await until('its viewer is gone', async () => (await session.get()).viewers.length === 0);
  const { offset } = await session.get();
  await until('the session goes on', async () => (await session.get()).offset > offset);
  await session.kill();
});

test('[RUN-5] "stop_all_sessions(): … call stop() on each, wait for all to exit, flush persistence"', async () => {
  await using own = new TestDaemon();
  const caller = await own.client();
  const command = ['sh', '-c', "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.05; done"];
  const sessions = await Promise.all([1, 2, 3].map(() => caller.run({ command, size: SIZE, env })));
  for (const { id } of sessions) await seen(caller, id, 'ready');
  const pids = await Promise.all(sessions.map(async (session) => (await session.get()).pid!));
  expect((await own.spool(['daemon', 'stop', '--force'])).code).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
  const next = await own.client();
  expect((await next.list()).map(({ state, exitCode }) => [state, exitCode])).toEqual(
    sessions.map(() => ['stopped', 0]),
  );
  for (const { id } of sessions) expect((await outputOf(next, id)).toString()).toContain('tidied');
});
