/** Tests the verbs that show the past: screen, logs, export, replay; against real sessions. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import type { Screen } from '@spool/client';
import { ScreenModel, snapshot } from '@spool/screen';
import type { SessionInfo } from '@spool/protocol';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, onTestFinished, test } from 'vitest';

/** Runs a script in a session and waits for its end. */
async function ran(daemon: TestDaemon, script: string, ...flags: string[]): Promise<string> {
  const { id } = await daemon.json<{ id: string }>('run', '-d', ...flags, '--', 'sh', '-c', script);
  await daemon.spool(['wait', id]);
  return id;
}

test('`screen` shows what a person would see: now, at an offset, at a time; as text, with colours, as a page, as JSON', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(daemon, "printf 'one\\r\\n\\033[31mred\\033[m'; sleep 0.3; printf '\\033[2J\\033[Hthree'");
  const plain = await daemon.spool(['screen', id]);
  expect(plain).toMatchObject({ code: 0, stdout: 'three\n' });
  expect((await daemon.spool(['screen', id, '--at', '@5'])).stdout).toBe('one\n');
  const then = await daemon.json<Screen>('screen', id, '--at', '@19');
  expect(then).toMatchObject({ id, cols: 80, rows: 24, offset: 19, isExact: true });
  expect(then.content.trimEnd()).toBe('one\nred');
  const { startedAt } = await daemon.json<SessionInfo>('inspect', id);
  expect((await daemon.spool(['screen', id, '--at', String(startedAt + 200)])).stdout).toBe('one\nred\n');
  expect((await daemon.spool(['screen', id, '--at', '@19', '--format', 'ansi'])).stdout).toMatch(
    /\x1b\[[\d;]*31m.*red/s,
  );
  expect((await daemon.spool(['screen', id, '--at', '@19', '--format', 'html'])).stdout).toMatch(/<.*red.*</s);
  expect(JSON.parse((await daemon.spool(['screen', id, '--format', 'json'])).stdout)).toBeTypeOf('object');
  expect((await daemon.spool(['screen', id, '--at', 'noon'])).code).toBe(2);
  expect((await daemon.spool(['screen', id, '--format', 'pdf'])).code).toBe(2);
});

test('[PAST-7] `screen --history` and `attach --history` bring what scrolled out, also beyond what the daemon keeps', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(daemon, 'seq 1 60000; printf "\\033[31mred\\033[m"');
  const history = async (...flags: string[]): Promise<string[]> =>
    (await daemon.spool(['screen', id, ...flags])).stdout.trim().split('\n');
  const all = await history('--history', '1000');
  expect([all.length, all[0], all.at(-1)]).toEqual([1024, '58978', 'red']);
  const more = await history('--history', '20000');
  expect([more.length, more[0], more.at(-1)]).toEqual([20_024, '39978', 'red']);
  // The offset after the line 30000 of 60000.
  const offset = 9 * 3 + 90 * 4 + 900 * 5 + 9000 * 6 + 20_001 * 7;
  const past = await history('--history', '9000', '--at', `#${offset}`);
  expect([past.length, past[0], past.at(-1)]).toEqual([9023, '20978', '30000']);
  expect((await history('--history', '1500', '--format', 'html')).join('\n')).toMatch(/\b58478\n.*color:.*red/s);
  const page = (await daemon.spool(['export', '--html', id])).stdout;
  expect(page).toMatch(/>1\n2\n3\n.*\n60000\n<span style="color:#[\da-f]+">red<\/span>\n<\/pre>\n$/s);
  using attached = new Terminal([SPOOL, 'attach', '-r', '--history', '3000', id], daemon.env);
  await attached.sees('60000');
  expect(attached.printed).toContain('\x1b[H56978\r\n56979\r\n');
  const refused = await daemon.spool(['screen', id, '--history', '20001']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('from 0 to 20000, or all') });
});

test('`screen --json` has the offset and the time of what it shows, in milliseconds', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(daemon, 'printf one; sleep 0.3; printf two');
  const { startedAt, endedAt } = await daemon.json<SessionInfo>('inspect', id);
  const now = await daemon.json<Screen>('screen', id);
  const then = await daemon.json<Screen>('screen', id, '--at', '#3');
  expect([now.offset, then.offset, then.content.trim()]).toEqual([6, 3, 'one']);
  expect(now.at - then.at).toBeGreaterThan(100);
  expect([then.at >= startedAt, now.at <= endedAt!]).toEqual([true, true]);
});

test('[PAST-1] `logs` tells what a person saw: a progress bar in its last state, no escapes, the last lines, since a time', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(
    daemon,
    "printf 'begin\\n10%%\\r50%%\\r100%%\\n\\033[32mgreen\\033[m typo\\b\\b\\b\\bgood\\n'; sleep 0.5; printf 'last\\nopen'",
  );
  expect((await daemon.spool(['logs', id])).stdout).toBe('begin\n100%\ngreen good\nlast\nopen\n');
  expect((await daemon.spool(['logs', '--text', '--tail', '2', id])).stdout).toBe('last\nopen\n');
  expect((await daemon.spool(['logs', '--tail', '99', id])).stdout).toBe('begin\n100%\ngreen good\nlast\nopen\n');
  expect((await daemon.spool(['logs', '--raw', '--tail', '1', id])).stdout).toBe('open');
  expect((await daemon.spool(['logs', '--raw', '--tail-bytes', '6', id])).stdout).toBe('\r\nopen');
  const { startedAt } = await daemon.json<SessionInfo>('inspect', id);
  expect((await daemon.spool(['logs', '--since', String(startedAt + 300), id])).stdout).toBe('last\nopen\n');
  expect((await daemon.spool(['logs', '--since', '-1h', id])).stdout).toContain('begin');
});

test('[PAST-2] [PAST-3] `logs` of a shell with an editor: a section with its last screen; a part of it by time, by pattern, with times', async () => {
  await using daemon = new TestDaemon();
  const script = [
    "printf 'before\\n'; sleep 0.4",
    "printf '\\033[?1049h\\033[H\\033[2Jmenu\\r\\nitem one'; sleep 0.4; printf '\\033[2;1Hitem two'; sleep 0.4",
    "printf '\\033[H\\033[2J\\033[?1049l'; sleep 0.4; printf 'after\\nerror: last\\n'",
  ].join('; ');
  const id = await ran(daemon, script);
  const clock = /\d\d:\d\d:\d\d/g;
  const section = ['before', '[full-screen program from T to T: its last screen]', 'menu', 'item two'];
  const end = ['[end of the full-screen program]', 'after', 'error: last', ''];
  const all = (await daemon.spool(['logs', id])).stdout;
  expect(all.replaceAll(clock, 'T').split('\n')).toEqual([...section, ...end]);
  expect((await daemon.spool(['export', '--text', id])).stdout).toBe(all);
  const frames = (await daemon.spool(['logs', '--frames', id])).stdout.split('\n');
  expect(frames.filter((line) => line.startsWith('item'))).toEqual(['item one', 'item two', 'item two']);
  expect((await daemon.spool(['logs', '--grep', '/ERR/i', id])).stdout).toBe('error: last\n');
  expect((await daemon.spool(['logs', '-g', 'err', '-C', '1', id])).stdout).toBe('after\nerror: last\n');
  expect((await daemon.spool(['logs', '-n', '1', id])).stdout).toBe('error: last\n');
  const times = (await daemon.spool(['logs', '--timestamps', '--grep', 'before|after', id])).stdout.trim().split('\n');
  const [before, after] = times.map((line) => line.slice(0, 23)) as [string, string];
  expect(new Date(after).getTime() - new Date(before).getTime()).toBeGreaterThan(1000);
  // The printed cursor can be passed to the next call.
  expect((await daemon.spool(['logs', '--since', after, id])).stdout).toBe('after\nerror: last\n');
  expect((await daemon.spool(['logs', '--until', before, id])).stdout).toBe('before\n');
  expect((await daemon.spool(['screen', '--at', before, id])).stdout).toBe('before\n');
  for (const flags of [
    ['--grep', '('],
    ['-C', '2'],
    ['--raw', '--timestamps'],
    ['--grep', 'x', '-C', '-1'],
    ['--json', '--raw', '--grep', 'x'],
  ])
    expect((await daemon.spool(['logs', ...flags, id])).code).toBe(2);
});

test('[PAST-8] `logs --json` has the lines of `logs`, each with its time; with --raw it has the pieces of output', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(daemon, "printf '10%%\\r100%%\\n'; sleep 0.3; printf '\\033[32mgreen\\033[m\\nopen'");
  const json = async (...flags: string[]): Promise<Record<string, unknown>[]> =>
    (await daemon.spool(['logs', '--json', ...flags, id])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const lines = await json();
  expect(lines.map(({ type, text }) => [type, text])).toEqual([
    ['line', '100%'],
    ['line', 'green'],
    ['line', 'open'],
  ]);
  expect(lines.every((line) => line['id'] === id)).toBe(true);
  const [first, second] = lines.map(({ at }) => Number(at)) as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(200);
  expect((await json('--grep', 'gr')).map(({ text }) => text)).toEqual(['green']);
  expect((await json('--tail', '1')).map(({ text }) => text)).toEqual(['open']);
  const pieces = (await json('--raw')).filter(({ type }) => type === 'output');
  expect(pieces.map(({ data }) => data).join('')).toBe('10%\r100%\r\n\x1b[32mgreen\x1b[m\r\nopen');
});

test('[PAST-4] `logs -f` prints a line as soon as it is there, and a full-screen program when it has left', async () => {
  await using daemon = new TestDaemon();
  const id = (await daemon.json<{ id: string }>('run', '-d', '--', 'sh', '-c', 'stty -echo; exec cat -u')).id;
  using follower = new Terminal([SPOOL, 'logs', '-f', id], daemon.env);
  await daemon.spool(['send', id, '--enter', 'first']);
  await follower.sees('first\r\n');
  await daemon.spool(['send', id, '--enter', '\x1b[?1049h\x1b[Hmenu']);
  await daemon.spool(['send', id, '--enter', '\x1b[?1049lsecond']);
  await follower.sees('second\r\n');
  await follower.sees('menu');
  await daemon.spool(['stop', id]);
  await follower.ended();
  expect(follower.printed.replaceAll(/\d\d:\d\d:\d\d/g, 'T').split('\r\n')).toEqual([
    'first',
    '[full-screen program from T to T: its last screen]',
    'menu',
    '[end of the full-screen program]',
    'second',
    '',
  ]);
});

test('`logs -f` shows a prompt although its line has no end', async () => {
  await using daemon = new TestDaemon();
  await daemon.json('run', '-d', '--name', 'asks', '--', 'sh', '-c', 'stty -echo; printf "sure? "; read x; echo ok');
  using terminal = new Terminal([SPOOL, 'logs', '-f', 'asks'], daemon.env);
  await terminal.sees('sure? ');
  await daemon.spool(['keys', 'asks', 'Enter']);
  await terminal.ended();
  expect(terminal.printed).toBe('sure? ok\r\n');
});

testNeeding(missingProgram('asciinema'))('asciinema plays what `export --asciicast` wrote', async () => {
  await using daemon = new TestDaemon();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-export-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const id = await ran(daemon, "printf 'größe '; printf '\\303'; sleep 0.1; printf '\\244\\n'", '--size', '90x20');
  const file = `${folder}/v2.cast`;
  await daemon.json('export', '-o', file, id);
  // It needs its own terminal.
  using player = new Terminal(['asciinema', 'cat', file], { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' });
  expect(await player.ended()).toEqual({ code: 0, signal: 0 });
  await player.sees(Buffer.from('größe ä\r\n').toString('latin1'));
});

test('[PAST-40] `export --asciicast` is a recording in both versions; `--text` and `--html` are what was seen', async () => {
  await using daemon = new TestDaemon();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-export-`);
  const id = await ran(
    daemon,
    "printf 'größe '; sleep 0.2; printf '\\303'; sleep 0.1; printf '\\244\\n'; exit 3",
    '--size',
    '90x20',
  );
  const v3 = (await daemon.spool(['export', '--format', 'asciicast-v3', id])).stdout.trim().split('\n');
  const [header, ...events] = v3.map((line) => JSON.parse(line) as unknown);
  expect(header).toMatchObject({ version: 3, term: { cols: 90, rows: 20 } });
  const list = events as [number, string, string][];
  expect(list.map(([, , data]) => data).join('')).toBe('größe ä\r\n3');
  expect(list.at(-1)!.slice(1)).toEqual(['x', '3']);
  const total = list.reduce((sum, [interval]) => sum + interval, 0);
  expect(total).toBeGreaterThan(0.25);
  expect(total).toBeLessThan(30);

  const file = `${folder}/v2.cast`;
  expect(await daemon.json('export', '-o', file, id)).toMatchObject({ id, format: 'asciicast' });
  const [head, ...timed] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(head).toMatchObject({ version: 2, width: 90, height: 20 });
  const times = (timed as [number, string, string][]).map(([time]) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const piped = await ran(daemon, "printf 'one\\ntwo\\n'", '--pipes');
  expect((await daemon.spool(['export', '--asciicast', piped])).stdout).toContain('"one\\r\\ntwo\\r\\n"');
  expect((await daemon.spool(['export', '--text', id])).stdout).toBe('größe ä\n');
  expect((await daemon.spool(['export', '--html', id])).stdout).toMatch(/<!doctype html>.*größe ä/is);
  expect((await daemon.spool(['export', id])).code).toBe(2);
  expect((await daemon.spool(['export', '--text', '-o', `${folder}/no/such`, id])).code).toBe(2);
  const kept = await daemon.spool(['export', '-o', file, id]);
  expect(kept).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already; use --force') });
  await daemon.spool(['export', '-o', file, '--force', '--text', id]);
  expect(readFileSync(file, 'utf8')).toBe('größe ä\n');
  await daemon.spool(['export', '-o', `${folder}/page.html.gz`, piped]);
  expect(gunzipSync(readFileSync(`${folder}/page.html.gz`)).toString()).toContain('>one\ntwo\n</pre>');
  rmSync(folder, { recursive: true });
});

test('a resize is in the recording, and the first size is the one that it began with', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'printf one; read x; printf two'],
    size: { cols: 70, rows: 20 },
    env: { PATH: process.env.PATH! },
  });
  await until('it has begun', async () => (await client.get(session.id)).offset > 0);
  await client.resize(session.id, { cols: 100, rows: 30 });
  await client.write(session.id, '\r');
  await client.wait(session.id);
  const lines = (await daemon.spool(['export', '--format', 'asciicast-v3', session.id])).stdout.trim().split('\n');
  expect(JSON.parse(lines[0]!)).toMatchObject({ term: { cols: 70, rows: 20 } });
  expect(lines.some((line) => line.endsWith(',"r","100x30"]'))).toBe(true);
});

test('`replay` shows it again in its own time, or faster; q leaves, and the terminal is itself again', async () => {
  await using daemon = new TestDaemon();
  const id = await ran(
    daemon,
    "printf '\\033[?1049h\\033[?25l'; for i in 1 2 3; do printf \"step $i \"; sleep 0.3; done; printf '\\033]52;c;ZXZpbA==\\007end'",
  );
  using slow = new Terminal([SPOOL, 'replay', id], daemon.env);
  const startedAt = performance.now();
  await slow.sees('step\x1b[C1');
  await slow.sees('end of the replay');
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  expect(slow.printed).toContain('end\x1b');
  expect(slow.printed).not.toContain(']52;');
  expect(slow.printed).toMatch(/\x1b\[\?25h\x1b\[\?1049l/);

  using fast = new Terminal([SPOOL, 'replay', '--speed', '100', id], daemon.env);
  await fast.sees('end of the replay');
  using later = new Terminal([SPOOL, 'replay', '--at', '@25', '--idle-limit', '10ms', id], daemon.env);
  await later.sees('end of the replay');

  const long = await ran(daemon, 'printf first; sleep 1.5; printf second');
  using left = new Terminal(['sh', '-c', `${SPOOL} replay ${long}; echo "code $?"; sleep 100`], daemon.env);
  const before = execFileSync('stty', ['-F', left.path, '-g'], { encoding: 'utf8' });
  await left.sees('first');
  left.type('q');
  await left.sees('code 0');
  expect(left.printed).toContain('left the replay');
  expect(left.printed).not.toContain('second');
  expect(execFileSync('stty', ['-F', left.path, '-g'], { encoding: 'utf8' })).toBe(before);
});

test('[PAST-6] keys of a replay: pause, seek, the ends, in a terminal smaller than the recording; the position is in the last row', async () => {
  await using daemon = new TestDaemon();
  const script =
    "printf 'first '; sleep 3; printf '\\033[2J\\033[40;150Hsecond'; sleep 3; printf '\\033[2J\\033[Hthird'; sleep 0.2";
  const id = await ran(daemon, script, '--size', '200x50');
  const size = { cols: 40, rows: 10 };
  using player = new Terminal([SPOOL, 'replay', id], daemon.env, size);
  const shows = (what: string, line: RegExp): Promise<void> =>
    until(`the replay shows ${what} and ${line.source}`, () => {
      using model = new ScreenModel(size);
      model.write(Buffer.from(player.printed, 'latin1'));
      return model.text().some((row) => row.includes(what)) && line.test(model.text().at(-1)!);
    });
  await shows('first', /^/);
  player.type(' 0\x1b[C'); // in one read: pause, back to the beginning, five seconds forward
  await shows('second', /0:05 of 0:06 · paused/);
  player.type('\x1b[D');
  await shows('', /0:00 of 0:06 · paused/);
  player.type('2');
  await shows('first', /0:01 of 0:06 · paused/);
  player.type('+\x1b[F');
  await shows('third', /0:06 of 0:06 · (end|paused) · 2×/);
  player.type('6');
  await shows('second', /0:03 of/);
  player.type('q');
  expect(await player.ended()).toEqual({ code: 0, signal: 0 });
  // The end is reported before the last bytes have been read from the terminal.
  await until('it has said how it ended', () => player.printed.includes('left the replay'));
});

test('[ATT-5] `replay --at` begins where the session was: screen, cursor, pen, margins, modes, half a sequence or character', async () => {
  await using daemon = new TestDaemon();
  const script = [
    '\\033[?25l\\033[5;10H\\033[31mAB',
    'CD\\033[10;1Hrow ten\\033[3;1H\\303\\244 row three',
    '\\033[?1049h\\033[3;7r\\033[44m\\033[7;3Hat the bottom\\r\\nscrolled\\033[4h\\033[7;1H',
    'the end',
  ];
  const id = await ran(daemon, `printf '${script.join('')}'`);
  const log = (await daemon.spool(['logs', '--raw', id])).stdout;
  const whole = pictureOf(Buffer.from(log));
  const places: readonly (readonly [before: string, bytes: number])[] = [
    ['CD', 0],
    ['\x1b[10;1H', 3],
    ['ä', 1],
    ['at the', 0],
    ['\r\nscrolled', 1],
    ['the end', 0],
  ];
  for (const [before, bytes] of places) {
    const at = Buffer.byteLength(log.slice(0, log.indexOf(before))) + bytes;
    // Without a keyboard it passes the bytes on.
    const command = `${SPOOL} replay --at '#${at}' ${id} </dev/null`;
    using terminal = new Terminal(['sh', '-c', command], daemon.env);
    await terminal.sees('end of the replay');
    const shown = terminal.printed.slice(0, terminal.printed.indexOf('the end') + 'the end'.length);
    expect(pictureOf(Buffer.from(shown, 'latin1')), `from ${JSON.stringify(before)}, byte ${bytes}`).toBe(whole);
  }
});

/** Returns the relevant state of a terminal of 80x24 that was sent these bytes. */
function pictureOf(bytes: Uint8Array): string {
  using model = new ScreenModel({ cols: 80, rows: 24 });
  model.write(bytes);
  return Buffer.from(snapshot(model)).toString();
}

test('rename and update change what a session is called and how it is sized', async () => {
  await using daemon = new TestDaemon();
  await daemon.json('run', '-d', '--name', 'old', '--label', 'a=1', '--size-policy', 'smallest', '--', 'sleep', '100');
  expect(await daemon.json('rename', 'old', 'new')).toMatchObject({ name: 'new', sizePolicy: 'smallest' });
  expect(await daemon.json('update', 'new', '--label', 'b=2', '--size-policy', 'fixed')).toMatchObject({
    labels: { a: '1', b: '2' },
    sizePolicy: 'fixed',
  });
  expect(await daemon.json('update', 'new', '--label', 'a=')).toMatchObject({ labels: { b: '2' } });
  expect((await daemon.spool(['inspect', 'old'])).code).toBe(3);
  expect((await daemon.spool(['run', '--size-policy', 'huge', '--', 'true'])).code).toBe(2);
});

test('[SCR-1] one client asks for hundreds of moments of the past: another one waits for one of them at most, and none is asked for a client that has left', async () => {
  await using daemon = new TestDaemon();
  const [one, other, gone] = await Promise.all([daemon.client(), daemon.client(), daemon.client()]);
  const { id } = await one.run({ command: ['seq', '300000'], size: { cols: 80, rows: 24 } });
  const { offset: end } = await one.waitUntil(id, 'exit', { timeoutMs: 60_000 }).then(() => one.get(id));
  const moment = (client: typeof one) => client.screen(id, { at: { offset: Math.floor(Math.random() * end) } });
  const left = Promise.allSettled(Array.from({ length: 1000 }, () => moment(gone)));
  let answered = 0;
  const all = Promise.all(Array.from({ length: 100 }, () => moment(one).then(() => answered++)));
  gone.close();
  await left;
  await moment(other);
  expect(answered).toBeLessThan(20);
  await all;
});
