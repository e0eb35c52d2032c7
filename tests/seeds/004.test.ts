/** Seed 004, "PTY management architecture": its statements, as a user of that system expects them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Attachment, AttachItem, Client, DaemonEvent } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const env = { PATH: process.env.PATH!, HOME: '/', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
const SIZE = { cols: 80, rows: 24 };

/** Reads an attachment in the background. */
function reading(attachment: Attachment): AttachItem[] {
  const items: AttachItem[] = [];
  void (async () => {
    for await (const item of attachment) items.push(item);
  })();
  return items;
}

const modesIn = (items: readonly AttachItem[]): (AttachItem & { type: 'modes' })[] =>
  items.filter((item) => item.type === 'modes');

test('[ATT-11] "AttachStreamInit: ring buffer replay + initial mode state", "AttachModeChanged: terminal mode transition notification"', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script =
    'stty -echo; printf "\\033[?2004h"; echo ready; read a; printf "\\033[?1h"; read b; printf "\\033[?1049h"; read c';
  const session = await client.run({ command: ['sh', '-c', script], size: SIZE, env });
  await seen(client, session.id, 'ready');
  const items = reading(session.attach());
  await until('the first modes', () => modesIn(items).length === 1);
  expect(items.findIndex(({ type }) => type === 'modes')).toBe(items.findIndex(({ type }) => type === 'snapshot') + 1);
  expect(modesIn(items)[0]).toMatchObject({ bracketedPaste: true, applicationCursor: false });
  await session.write('\n');
  await until('the cursor keys', () => modesIn(items).length === 2);
  expect(modesIn(items)[1]).toMatchObject({ bracketedPaste: true, applicationCursor: true, alternateScreen: false });
  await session.write('\n');
  await until('the alternate screen', () => modesIn(items).length === 3);
  const { offset } = await session.get();
  expect(modesIn(items)[2]).toMatchObject({ alternateScreen: true, offset });

  expect(await session.modes()).toMatchObject({ applicationCursor: true, alternateScreen: true });
  expect(await daemon.json('inspect', session.id, '--json')).toMatchObject({
    modes: { applicationCursor: true, bracketedPaste: true, alternateScreen: true, mouse: 'none' },
  });
  const { stdout } = await daemon.spool(['inspect', session.id]);
  expect(stdout).toMatch(/^modes +alternate screen, application cursor keys, bracketed paste$/m);
});

/** The ways to press a key that a program can use. */
const SOURCES: Readonly<
  Record<string, (daemon: TestDaemon, client: Client, id: string, key: string) => Promise<void>>
> = {
  'spool keys': async (daemon, _client, id, key) => {
    const { code, stderr } = await daemon.spool(['keys', id, key]);
    expect([code, stderr]).toEqual([0, '']);
  },
  'client.keys': (_daemon, client, id, key) => client.keys(id, [key]),
  'attachment.keys': async (_daemon, client, id, key) => {
    await using attachment = client.attach(id);
    reading(attachment);
    await attachment.keys([key]);
    await attachment.settled();
  },
};

/** Programs, and the sign of the line at which they are. */
const PROGRAMS: Readonly<Record<string, { command: (file: string) => string[]; at: (line: number) => string }>> = {
  less: { command: (file) => ['less', '-M', file], at: (line) => `lines ${line}-` },
  vim: { command: (file) => ['vim', '-Nu', 'NONE', '-c', 'set ruler', file], at: (line) => ` ${line},1` },
};

/** Returns the arrow keys that a program has read from its terminal, as strace(1) saw them: `OB` or `[B` for each. */
function arrowsRead(trace: string): string[] {
  const text = (hex = ''): string => Buffer.from(hex.replaceAll(String.raw`\x`, ''), 'hex').toString('latin1');
  const typed = [...readFileSync(trace, 'latin1').matchAll(/^read\(\d+<([^>]*)>, "([^"]*)"/gm)]
    .filter(([, path]) => /^\/dev\/(pts\/\d+|tty)$/.test(text(path)))
    .map(([, , bytes]) => text(bytes));
  return [...typed.join('').matchAll(/\x1b([O[][AB])/g)].map(([, arrow]) => arrow!);
}

/** Terminals in whose terminfo programs find each of the two cursor-key modes. */
const TERMS = { application: 'xterm-256color', normal: 'linux' } as const;

for (const [program, { command, at }] of Object.entries(PROGRAMS))
  for (const [keys, term] of Object.entries(TERMS)) {
    const name = `${program}, ${keys} cursor keys`;
    testNeeding(missingProgram(program, 'strace'))(
      `[IN-5] "attach_input() … transforms arrow keys when DECCKM is active", whichever way they are typed: ${name}`,
      async () => {
        await using daemon = new TestDaemon();
        const client = await daemon.client();
        const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
        onTestFinished(() => rmSync(folder, { recursive: true }));
        const file = `${folder}/lines`;
        writeFileSync(file, Array.from({ length: 100 }, (_, line) => `line ${line + 1}\n`).join(''));
        const trace = `${folder}/trace`;
        const traced = ['strace', '-y', '-xx', '-e', 'trace=read', '-o', trace, ...command(file)];
        const session = await client.run({ command: traced, size: SIZE, env: { ...env, TERM: term } });
        const shows = (line: number): Promise<void> =>
          until(`${name} is at line ${line}`, async () => (await session.screen()).content.includes(at(line)));
        await shows(1);
        await until('the mode', async () => (await session.modes())!.applicationCursor === (keys === 'application'));
        let line = 1;
        for (const press of Object.values(SOURCES)) {
          await press(daemon, client, session.id, 'Down');
          await shows(++line);
          await press(daemon, client, session.id, 'Up');
          await shows(--line);
          await press(daemon, client, session.id, 'Down');
          await shows(++line);
        }
        // vim understands both forms, whatever it has requested: so its input counts, not its screen.
        const form = keys === 'application' ? 'O' : '[';
        const pressed = Object.keys(SOURCES).flatMap(() => ['B', 'A', 'B']);
        expect(arrowsRead(trace)).toEqual(pressed.map((key) => form + key));
      },
    );
  }

test('[ATT-8] [QRY-1] "Strips … queries to prevent client terminals from generating their own responses", and replies that come anyway are not typed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'stty raw -echo; printf "ready\\033[c"; sleep 0.2; printf "again\\033[6n\\033[c"; exec cat -v';
  const session = await client.run({ command: ['sh', '-c', script], size: SIZE, env });
  const attachment = session.attach();
  const items: AttachItem[] = [];
  // An emulator that answers every query it is shown.
  void (async () => {
    for await (const item of attachment) {
      items.push(item);
      if (!('bytes' in item)) continue;
      const shown = Buffer.from(item.bytes).toString('latin1');
      if (shown.includes('\x1b[c')) void attachment.type('\x1b[?6;6;6c');
      if (shown.includes('\x1b[6n')) void attachment.type('\x1b[66;66R');
    }
  })();
  await seen(client, session.id, 'again');
  // A terminal that still answers an earlier query.
  await attachment.type('\x1b[?6;6;6c\x1b[66;66Rtyped');
  await attachment.settled();
  await seen(client, session.id, 'typed');
  const output = async (): Promise<string> => (await session.tail({ bytes: 10_000 })).replace(/\s/g, '');
  await until('the daemon has answered each query', async () => (await output()).split('^[[?62;').length > 2);
  const text = await output();
  expect(text).not.toContain('6;6');
  expect(text.split('^[[?62;').length, 'once').toBe(3);
});

/** Starts a daemon that reports a session as stalled after two seconds. */
function impatient(): TestDaemon {
  const daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ stalledAfter: '2s' }));
  return daemon;
}

/** A source that keeps a compiler busy for seconds, without output. */
const SOURCE = `${mkdtempSync(`${tmpdir()}/spool-test-`)}/large.c`;
beforeAll(() => {
  const body = 'for (int i = 0; i < n; i++) { s += p[i] * i; if (s % 7 == 3) { s ^= q[i & 15]; p[i] = s; } } return s;';
  const functions = Array.from(
    { length: 1500 },
    (_, at) => `int f${at}(int *p, int *q, int n) { int s = ${at}; ${body} }`,
  );
  writeFileSync(SOURCE, functions.join('\n'));
});
afterAll(() => rmSync(dirname(SOURCE), { recursive: true }));

/** Programs that print nothing, and their expected status. */
const SILENT: Readonly<
  Record<string, { readonly command: readonly string[]; readonly needs?: string; readonly kind: string | null }>
> = {
  'a sleep': { command: ['sleep', '1000'], kind: 'stalled' },
  'while true': { command: ['sh', '-c', 'while :; do :; done'], kind: 'busy' },
  'a compiler': {
    command: ['sh', '-c', `while :; do cc -O1 -c -o /dev/null ${SOURCE}; done`],
    needs: 'cc',
    kind: null,
  },
  'a server': {
    command: [process.execPath, '-e', 'require("net").createServer().listen(0, "127.0.0.1")'],
    kind: null,
  },
  // The debugged program is idle, and held in the state t.
  'a debugger': {
    command: ['gdb', '-q', '-ex', 'set debuginfod enabled off', '-ex', 'starti', 'sleep'],
    needs: 'gdb',
    kind: null,
  },
  'a program that reads its terminal': { command: ['cat'], kind: null },
};

test('[STATE-20] "PTY health monitoring: detect hung processes (no output + no child exit)": stalled, busy and merely quiet', async () => {
  await using daemon = impatient();
  const client = await daemon.client();
  const programs = Object.entries(SILENT).filter(
    ([, { needs }]) => needs === undefined || missingProgram(needs) === null,
  );
  const sessions = await Promise.all(
    programs.map(async ([name, { command, kind }]) => ({
      name,
      kind,
      session: await client.run({ command, name: name.replaceAll(' ', '-'), size: SIZE, env }),
    })),
  );
  for (const { name, kind, session } of sessions)
    if (kind !== null)
      await until(`${name} is ${kind}`, async () => (await session.get()).status.kind === kind, 60_000);
  for (const { name, kind, session } of sessions)
    expect((await session.get()).status.kind === 'prompt' ? null : (await session.get()).status.kind, name).toBe(kind);
  const sleeping = sessions.find(({ kind }) => kind === 'stalled')!.session;
  const { status } = await sleeping.explain();
  expect(status.evidence.find(({ source }) => source === 'process')!.why).toMatch(
    /^for \d+s it has written nothing and used no CPU time: it sleeps$/,
  );
});

test('[STATE-40] "detect hung processes … and offer automatic cleanup": a stopped child is one event and one notification that names what to do', async () => {
  await using daemon = impatient();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'echo ready; sleep 1000'],
    name: 'halted',
    size: SIZE,
    env,
  });
  await seen(client, session.id, 'ready');
  const told: DaemonEvent[] = [];
  const events = client.events({ sessions: [session.id] });
  void (async () => {
    for await (const event of events) told.push(event as DaemonEvent);
  })();
  await session.signal('STOP');
  await until('it is stopped', async () => (await session.get()).status.kind === 'stopped');
  await until('a notification', () => told.some(({ type }) => type === 'notification'));
  const notifications = told.filter((event) => event.type === 'notification');
  expect(notifications).toMatchObject([{ about: 'health', title: 'halted is stopped' }]);
  expect(notifications[0]!.body).toContain('spool kill -s CONT halted');
  await daemon.spool(['kill', '-s', 'CONT', 'halted']);
  await until('it goes on', async () => (await session.get()).status.kind !== 'stopped');
  const kinds = told.flatMap((event) => (event.type === 'session-status' ? [event.status.kind] : []));
  expect(kinds.filter((kind, at) => kind === 'stopped' && kinds[at - 1] !== 'stopped')).toEqual(['stopped']);
});

test('[STATE-42] "automatic cleanup": --idle-timeout ends a session that does nothing, and none that works', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const idle = await client.run({ command: ['sleep', '1000'], idleTimeoutMs: 1000, size: SIZE, env });
  const script = 'i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo $i; sleep 0.1; done';
  const working = await client.run({ command: ['sh', '-c', script], idleTimeoutMs: 2000, size: SIZE, env });
  expect(await idle.wait()).toMatchObject({ endedBy: 'timeout' });
  expect(await working.wait()).toMatchObject({ endedBy: null, exitCode: 0 });
  const { code } = await daemon.spool(['run', '--idle-timeout', '500ms', '--', 'sleep', '1000']);
  expect(code).not.toBe(0);
});

test('[RUN-5] [CONF-1] "Wait up to stop_grace_seconds (configurable, default 5s)"; signal names as for kill(1)', async () => {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ grace: '1s' }));
  const client = await daemon.client();
  const script = "trap 'echo asked' TERM; trap 'echo one' USR1; echo ready; while :; do sleep 0.05; done";
  const session = await client.run({ command: ['sh', '-c', script], size: SIZE, env });
  await seen(client, session.id, 'ready');
  await session.signal('USR1');
  await seen(client, session.id, 'one');
  await session.signal('sigusr1');
  const { startedAt } = session.info;
  const asked = Date.now();
  // Beside one that is given less than the default: whatever else runs on this machine holds up both.
  const slower = await client.run({ command: ['sh', '-c', script], size: SIZE, env });
  await seen(client, slower.id, 'ready');
  const [ended, later] = await Promise.all([session.stop(), slower.stop({ graceMs: 4500 })]);
  expect(ended).toMatchObject({ state: 'stopped', signal: 'SIGKILL' });
  expect(ended.endedAt! - Math.max(asked, startedAt)).toBeGreaterThan(900);
  expect(ended.endedAt!, 'not the default of 5 s').toBeLessThan(later.endedAt!);
});

test('[QRY-2] "COLORFGBG": a session that starts in the background has the colours of where it was started', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ask = `stty raw -echo; printf '\\033]11;?\\033\\\\'; dd bs=1 count=25 2>/dev/null | tr -d '\\033'; echo; sleep 100`;
  const colourIn = async (name: string, fgbg: string): Promise<string> => {
    daemon.env.COLORFGBG = fgbg;
    const asked = await daemon.spool(['run', '-d', '--name', name, '--', 'sh', '-c', ask]);
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    await seen(client, name, ']11;rgb:');
    await until('the whole answer', async () => /rgb:[\da-f/]{14}/.test(await seen(client, name, ']11;rgb:')));
    return /rgb:([\da-f/]{14})/.exec(await seen(client, name, ']11;rgb:'))![1]!;
  };
  expect(await colourIn('light', '0;15')).toBe('ffff/ffff/ffff');
  expect(await colourIn('dark', '15;0')).toBe('0000/0000/0000');
  expect(await colourIn('odd', 'default')).toBe('0000/0000/0000');
});

test.each([
  ['a terminal', SIZE],
  ['pipes', null],
] as const)(
  '[RUN-23] a background process that outlives the leader keeps no session open, and learns that nobody reads: %s',
  async (_name, size) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // It writes after the test has seen the end of the leader, until that fails: the daemon's processes close the terminal one
    // after the other.
    const later = `while ! [ -e ${folder}/ended ]; do sleep 0.05; done; while echo late 2>/dev/null; do sleep 0.05; done; echo over > ${folder}/over`;
    const script = `(trap '' HUP PIPE; echo early; : > ${folder}/early; ${later}) & while ! [ -e ${folder}/early ]; do sleep 0.05; done; exit 3`;
    const session = await client.run({ command: ['sh', '-c', script], size, env });
    const { exitCode, offset } = await session.wait();
    expect(exitCode).toBe(3);
    writeFileSync(`${folder}/ended`, '');
    await until('it cannot write any more', () => existsSync(`${folder}/over`), 60_000);
    expect(await session.tail({ bytes: 1000 })).toBe('early');
    expect((await session.get()).offset).toBe(offset);
  },
);
