import type { Client } from '@spool/client';
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { expectClean, ReferenceTerminal, seenBy, stty } from './support/reference-terminal.ts';
import { TerminalUser } from './support/terminal-user.ts';

const SIZE = { cols: 100, rows: 20 };
const ASKS = 'echo "About to push 3 commits"; read -p "Continue? [y/N] " answer; echo "got $answer"; exec sleep 1000';

const CTRL_BACKSLASH = '\x1c';
const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

async function runIn(daemon: TestDaemon, name: string, script: string, pipes = false): Promise<string> {
  const { stdout } = await daemon.spool([
    'run',
    '-d',
    '--name',
    name,
    ...(pipes ? ['--pipes'] : []),
    '--',
    'bash',
    '-c',
    script,
  ]);
  return stdout.trim();
}

test('[STATE-4] the list shows who waits first; enter attaches, a detach comes back to it, and the terminal is left as it was', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await runIn(daemon, 'build', 'for part in $(seq 1000); do echo "compiling part $part"; sleep 0.1; done');
  const deploy = await runIn(daemon, 'deploy', ASKS);
  await client.waitUntil(deploy, 'blocked', { timeoutMs: 15_000 });

  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.seesThat('deploy is blocked, above build', ({ lines, isAlternate, isCursorHidden }) => {
    const at = lines.findIndex((line) => line.startsWith('! blocked'));
    return (
      isAlternate &&
      isCursorHidden &&
      at !== -1 &&
      /deploy .*Continue\? \[y\/N\]/.test(lines[at]!) &&
      /working .*build .*compiling part \d+/.test(lines[at + 1] ?? '')
    );
  });
  await person.sees('1 blocked · 1 working');

  person.types('\r');
  await person.seesThat(
    'the session itself',
    ({ lines, isAlternate }) => !isAlternate && lines.some((line) => line.startsWith('Continue?')),
  );
  await until('somebody is attached', async () => (await client.get(deploy)).viewers.length === 1);
  person.types(CTRL_BACKSLASH);
  await person.seesThat(
    'the list again',
    ({ lines, isAlternate }) => isAlternate && lines.some((line) => line.startsWith('! blocked')),
  );
  await until('nobody is attached', async () => (await client.get(deploy)).viewers.length === 0);

  // Once more, and this time it is answered: the list updates by itself.
  person.types('\r');
  await person.seesThat('the session once more', ({ isAlternate }) => !isAlternate);
  person.types('y\r');
  await person.sees('got y');
  person.types(CTRL_BACKSLASH);
  await person.sees('2 working');
  person.types('q');
  await person.isBackInTheShell(0);
});

test('[STATE-4] starts, ends, removals and last lines come by themselves; prompt, stop, filter and help work', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('There are no sessions');
  const reader = await runIn(daemon, 'reader', 'echo "ready for a line"; while read line; do echo "read: $line"; done');
  await runIn(daemon, 'piped', 'echo "on pipes"; exec sleep 1000', true);
  await person.sees('reader', 'ready for a line');
  await person.sees('piped', 'on pipes');

  person.types('/READ');
  await person.seesThat(
    'only one row',
    ({ lines }) => lines.some((line) => line.includes('reader')) && !lines.some((line) => line.includes('piped')),
  );
  person.types('zz');
  await person.sees('No session contains "READzz"');
  person.types('\x7f\x7f\r');
  await person.sees('/READ');
  person.types('p');
  await person.sees('prompt for reader:');
  person.types('q and j are letters here\r');
  await person.sees('read: q and j are letters here');
  await person.sees('reader accepted it');
  person.types('\x1b');
  await person.sees('piped');

  person.types('?');
  await person.sees('send a prompt');
  person.types('x');
  await person.sees('LAST LINE');

  person.types('gs');
  await person.sees('Stop reader?');
  person.types('n');
  await person.sees('enter attach');
  person.types('s');
  await person.sees('Stop reader?');
  person.types('y');
  await person.sees('1 ended (hidden)');
  await person.sees('reader was stopped'); // the next key clears it
  expect((await client.get(reader)).state).toBe('stopped');
  person.types('a');
  await person.sees('stopped SIG');
  await client.remove(reader);
  await person.seesThat('it is gone', ({ lines }) => !lines.some((line) => line.includes('reader')));
  person.types('\x03');
  await person.isBackInTheShell(0);
});

test('[STATE-4] hostile names, titles and output reach the terminal as text; a terminal of any size is drawn', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({
    command: [
      'bash',
      '-c',
      'printf "\\033]0;title \\302\\233 31m\\007"; stty -echo; printf "wide 漢字 \\033[5n\\033[31mred\\n"; exec sleep 1000',
    ],
    env: { PATH: process.env.PATH! },
    name: '漢字 \u202ename',
  });
  using terminal = new Terminal([SPOOL, 'watch'], daemon.env, SIZE);
  await terminal.sees(Buffer.from('漢字 \\u{202e}name').toString('latin1'));
  await terminal.sees('red');
  expect(terminal.printed).not.toMatch(/\x1b\]52|\x1b\[5n|\x9b/);
  for (const [cols, rows] of [
    [30, 8],
    [12, 4],
    [3, 2],
    [1, 1],
    [120, 40],
  ] as const) {
    const before = terminal.printed.length;
    terminal.resize(cols, rows);
    await terminal.sees('\x1b[2J', before);
  }
  const glass = new ReferenceTerminal({ cols: 120, rows: 40 });
  await glass.feed(Buffer.from(terminal.printed, 'latin1'));
  expect(glass.picture.lines[0]).toContain('1 working');
  terminal.type('q');
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
});

test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGTSTP'] as const)(
  '[STATE-4] the terminal is itself again after %s',
  async (signal) => {
    await using daemon = new TestDaemon();
    const shell = `read first; ${SPOOL} watch & echo $! > ${daemon.home}/pid; fg; echo "shell back"; sleep 100`;
    using terminal = new Terminal(['bash', '-mc', shell], daemon.env, SIZE);
    const before = stty(terminal);
    terminal.type('\r');
    await terminal.sees('There are no sessions');
    process.kill(Number(readFileSync(`${daemon.home}/pid`, 'utf8')), signal);
    await terminal.sees('shell back');
    expectClean(await seenBy(SIZE, terminal.printed));
    expect(stty(terminal)).toBe(before);
    if (signal === 'SIGTSTP') process.kill(Number(readFileSync(`${daemon.home}/pid`, 'utf8')), 'SIGKILL');
  },
);

test('[STATE-4] Ctrl-Z goes to the shell, `fg` comes back to the list', async () => {
  await using daemon = new TestDaemon();
  const script = `${SPOOL} watch; echo "in the shell"; fg; echo "shell back"`;
  using terminal = new Terminal(['bash', '-mc', script], daemon.env, SIZE);
  await terminal.sees('There are no sessions');
  const before = terminal.printed.length;
  terminal.type('\x1a');
  await terminal.sees('in the shell', before);
  await terminal.sees('There are no sessions', before);
  terminal.type('q');
  await terminal.sees('shell back');
  expectClean(await seenBy(SIZE, terminal.printed));
});

test('[STATE-4] for programs: a line for each row that appears, changes or goes; without a terminal, a sentence', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const asks = await runIn(daemon, 'asks', ASKS);
  await client.waitUntil(asks, 'blocked', { timeoutMs: 15_000 });
  using terminal = new Terminal(['sh', '-c', `exec ${SPOOL} watch --json < /dev/null`], daemon.env, SIZE);
  await terminal.sees('"state":"blocked"');
  await client.stop(asks);
  await terminal.sees('"state":"stopped"');
  await client.remove(asks);
  await terminal.sees(`{"type":"row-removed","id":"${asks}","name":"asks"}`);
  const rows = terminal.printed
    .split('\r\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { type: string; id: string; name?: string });
  expect(rows[0]).toMatchObject({
    type: 'row',
    id: asks,
    name: 'asks',
    state: 'running',
    status: { state: 'blocked', kind: 'confirm' },
  });

  const { code, stdout, stderr } = await daemon.spool(['watch']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/needs a terminal.*`spool ls`.*`spool events -f`/);
});

test('[STATE-4] 500 sessions: the list is there at once, scrolls, and looks only at what is in view', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let from = 0; from < 500; from += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        client.run({
          command: ['sh', '-c', `echo "line of ${from + at}"; exec sleep 1000`],
          name: `s${String(from + at).padStart(3, '0')}`,
          env: { PATH: process.env.PATH! },
        }),
      ),
    );
  }
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('500 ');
  person.types('v'); // no preview: all rows for the list
  await person.seesThat(
    'the last lines of those in view',
    ({ lines }) => lines.filter((line) => /line of \d+/.test(line)).length >= 15,
  );
  person.types('G');
  await person.seesThat('the end of the list', ({ lines }) =>
    lines.some((line) => /s4\d\d .*line of 4\d\d/.test(line)),
  );
  person.types('q');
  await person.isBackInTheShell(0);
});

/** A program that shows its input, with controls as `cat -v` writes them. */
const RECORDS = 'stty raw -echo; printf "ready>"; exec cat -v';

test('[WATCH-1] no key is lost: several in one read, cut sequences, typed before the list is there, before and after an attach', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const name of ['one', 'two', 'three', 'four']) await runIn(daemon, name, RECORDS);
  await Promise.all(['one', 'two', 'three', 'four'].map((name) => seen(client, name, 'ready>')));
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  person.types('jj'); // before the first picture
  await person.seesThat('the third is selected', ({ lines }) => lines.some((line) => line.startsWith('── three')));
  person.types('kkjkj');
  await person.sees('── two ');
  person.types('\x1b[B\x1bOB\x1b[A');
  await person.sees('── three ');
  person.types('\x1b');
  person.types('[B');
  await person.sees('── four ');
  person.types('/two\r');
  await person.sees('── two ');
  person.types('\x1bG');
  await person.sees('── four ');
  // Typed at once: attach, a text for the session, detach, and a key for the list.
  person.types('\rabc\x1cgj');
  await seen(client, 'four', 'ready>abc');
  await person.sees('── two ');
  expect(await screenOf(client, 'four')).toBe('ready>abc');
  for (const name of ['one', 'two', 'three']) expect(await screenOf(client, name)).toBe('ready>');
  person.types('q');
  await person.isBackInTheShell(0);
});

test('[WATCH-2, WATCH-41] the preview is the live screen of the selected session; its keys and the mouse do nothing to any session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const paints = 'stty raw -echo; printf "\\033[1;1Htop left\\033[50;180Hbottom right\\033[25;1Hmiddle>"; exec cat -v';
  const wide = await client.run({
    command: ['sh', '-c', paints],
    size: { cols: 200, rows: 50 },
    name: 'wide',
    env: { PATH: process.env.PATH! },
    sizePolicy: 'fixed',
  });
  await runIn(daemon, 'other', RECORDS);
  await seen(client, wide.id, 'middle>');
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('── wide · 200×50 · 1–100 × ', 'middle>');
  await client.write(wide.id, 'live');
  await person.sees('middle>live');
  for (const _ of Array.from({ length: 9 })) person.types('\x1b[1;2A');
  await person.sees('× 1–', 'top left');
  for (const _ of Array.from({ length: 20 })) person.types('\x1b[1;2B\x1b[C');
  await person.sees('101–200 × ', 'bottom right');
  person.types('\x1b[D');
  await person.sees('93–192 × ');
  person.types('\x1b');
  await person.sees('1–100 × ', 'middle>live');
  person.types('\x1b[<64;20;15M\x1b[<64;20;15M'); // the wheel, over the preview
  await person.seesThat('the preview has moved up', ({ lines }) =>
    lines.some((line) => /── wide .* × (?:[1-9]|1\d)–/.test(line)),
  );
  person.clicks(5, 4); // the second row of the list
  await person.sees('── other ', 'ready>');
  person.types('\x1b[<64;20;4M'); // the wheel, over the list
  await person.sees('── wide ');
  person.types('v');
  await person.seesThat('there is no preview', ({ lines }) => !lines.some((line) => line.startsWith('── ')));
  person.types('v');
  await person.sees('── wide ');

  // It reads and does not attach: no viewer, no size, no key.
  const { viewers, size } = await client.get(wide.id);
  expect([viewers, size]).toEqual([[], { cols: 200, rows: 50 }]);
  for await (const mark of client.marks(wide.id)) {
    expect(mark.type).not.toBe('resize');
    if (mark.offset >= (await client.get(wide.id)).offset) break;
  }
  expect(await screenOf(client, 'wide')).toMatch(/middle>live$/m);
  expect(await screenOf(client, 'other')).toBe('ready>');
  person.types('q');
  await person.isBackInTheShell(0);
});

test('[WATCH-3] sessions are started, renamed, stopped and removed from the list, and nothing is removed without a yes', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('press n to start one');
  person.types('ncat\r\r\r');
  await person.sees('started cat');
  person.types('necho "two words" | cat; sleep 100\r');
  await person.sees('name (empty');
  person.types('\r');
  await person.sees('folder: /');
  person.types('\x15/usr\r');
  await person.sees('── sh ', 'two words');
  person.types('r\x15second one\r');
  await person.sees('renamed sh to second one');
  await person.sees('── second one');
  expect(await client.get('second one')).toMatchObject({
    command: ['sh', '-c', 'echo "two words" | cat; sleep 100'],
    cwd: '/usr',
  });
  person.types('r\x15cat\r');
  await person.sees('is used by a running session');
  person.types('x');
  await person.sees('second one is running; press s to stop it first');
  person.types('sy');
  await person.sees('second one was stopped');
  person.types('aG');
  await person.sees('── second one');
  person.types('x');
  await person.sees('Remove second one');
  person.types('n');
  await person.sees('enter attach');
  expect((await client.get('second one')).state).toBe('stopped');
  person.types('xy');
  await person.sees('removed second one');
  await person.seesThat('it is gone', ({ lines }) => !lines.some((line) => line.includes('stopped')));
  expect((await client.list()).map(({ name }) => name)).toEqual(['cat']);
  person.types('o');
  await person.sees('by name');
  person.types('q');
  await person.isBackInTheShell(0);
});

test('[WATCH-42] the request of an agent without a terminal is answered from the list, a long one in its own view', async () => {
  await using daemon = new TestDaemon();
  const start = async (name: string, prompt: string): Promise<void> => {
    const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
    await daemon.json('run', '--agent', 'claude', '-d', '--name', name, '--program', program, '--', prompt);
  };
  await start('ann', 'ask 1');
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('Allow Bash? echo 0');
  // In the same read: a key before the request is shown does not answer it.
  person.types(' n');
  await person.sees('ann asks:', 'y allow once');
  // For half a second after the request has appeared, keys are not for it.
  await until('it is allowed, and the turn is over', async () => {
    person.types('y');
    return (await person.look()).lines.some((line) => line.includes('ask is done'));
  });
  await start(
    'bob',
    `steps ${JSON.stringify([{ ask: { id: 'long', tool: 'Bash', input: { command: Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n') } } }])}`,
  );
  await person.sees('! blocked');
  person.types('k ');
  await person.sees('Ctrl-O shows them');
  person.types(CTRL_BACKSLASH);
  await person.sees('! blocked');
  person.types('q');
  await person.isBackInTheShell(0);
});

async function screenOf(client: Client, session: string): Promise<string> {
  return (await client.screen(session)).content.trim();
}
