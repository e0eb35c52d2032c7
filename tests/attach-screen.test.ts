/** Tests attached terminals with a reference terminal: xterm reads the bytes that they were sent. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client } from '@spool/client';
import { outputOf, seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import { expectClean, seenBy, showsTruth, stty, truth } from './support/reference-terminal.ts';

const CTRL_BACKSLASH = '\x1c';
const FIRST = { cols: 80, rows: 24 };
const SECOND = { cols: 100, rows: 30 };

const folder = mkdtempSync(`${tmpdir()}/spool-test-screen-`);
writeFileSync(
  `${folder}/text`,
  Array.from({ length: 200 }, (_, at) => `line ${at + 1} of a text – “größe”`).join('\n'),
);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly name: string;
  readonly program: string;
  readonly command: readonly string[];
  /** Keys that are typed once the program runs (`ready` is on its screen). */
  readonly keys: string;
  readonly ready: string;
  readonly then: string;
  readonly env?: Record<string, string>;
}

const CASES: readonly Case[] = [
  {
    name: 'bash and readline',
    program: 'bash',
    command: ['bash', '--norc'],
    ready: 'ready> ',
    keys: 'seq 1 40\rprintf "\\033[1;31mred\\033[m\\n"\recho half of a li',
    then: 'half of a li',
    env: { PS1: 'ready> ' },
  },
  {
    name: 'vim',
    program: 'vim',
    command: ['vim', '-u', 'NONE', '-N', '-i', 'NONE', `${folder}/text`],
    ready: 'line 3 of',
    keys: ':set mouse=a number\r20Gihere i am ',
    then: 'here i am',
  },
  {
    name: 'less',
    program: 'less',
    command: ['less', `${folder}/text`],
    ready: 'line 3 of',
    keys: '/line 77\r',
    then: 'line 77',
  },
  {
    name: 'htop',
    program: 'htop',
    command: ['htop', '-d', '250'],
    ready: 'PID',
    keys: 'u',
    then: 'Show processes of',
  },
  {
    name: 'tmux',
    program: 'tmux',
    command: ['tmux', '-S', `${folder}/tmux`, '-f', '/dev/null', 'new-session', 'sh'],
    ready: '0:',
    keys: 'echo half of zz\r',
    then: 'half of zz',
  },
  {
    name: 'fish',
    program: 'fish',
    command: ['fish', '--no-config', '-C', 'function fish_prompt; echo "ready> "; end'],
    ready: 'ready> ',
    keys: 'seq 1 5\recho half of zzz',
    then: 'half of zzz',
    env: { HOME: folder },
  },
];

for (const { name, program, command, ready, keys, then, env } of CASES) {
  const title = `[ATT-1, ATT-4] ${name}: attach, leave, come back at another size, and see what one who never left would see`;
  testNeeding(missingProgram(program))(title, async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const variables = { ...env, PATH: process.env.PATH!, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    const session = await client.run({ command, size: FIRST, env: variables });
    {
      using first = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
      first.answersQueries();
      await first.sees(ready);
      first.type(keys);
      await until('the keys have had their effect', async () =>
        (await truth(client, session.id, FIRST)).lines.join('\n').includes(then),
      );
      await showsTruth(first, FIRST, client, session.id, FIRST);
      first.type(CTRL_BACKSLASH);
      expect(await first.ended()).toEqual({ code: 0, signal: 0 });
      expectClean(await seenBy(FIRST, first.printed));
    }
    using same = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
    same.answersQueries();
    await showsTruth(same, FIRST, client, session.id, FIRST);
    same.type(CTRL_BACKSLASH);
    expect(await same.ended()).toEqual({ code: 0, signal: 0 });
    expectClean(await seenBy(FIRST, same.printed));

    using other = new Terminal([SPOOL, 'attach', session.id], daemon.env, SECOND);
    other.answersQueries();
    await until('the size is applied', async () => (await client.get(session.id)).size?.cols === SECOND.cols);
    await showsTruth(other, SECOND, client, session.id, FIRST);
    other.type(CTRL_BACKSLASH);
    expect(await other.ended()).toEqual({ code: 0, signal: 0 });
    expectClean(await seenBy(SECOND, other.printed));
    await client.kill(session.id);
  });
}

test('[ATT-4] after every kind of end the terminal is as it was: settings, modes, screen, cursor', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const modes =
    '\\033[?1049h\\033[?1003h\\033[?1006h\\033[?2004h\\033[?1h\\033[?25l\\033=\\033[>5u\\033[?1004h\\033[3;10r';
  for (const end of ['detach', 'exit', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'removed'] as const) {
    const session = await client.run({
      command: ['sh', '-c', `stty -echo; printf '${modes}wild'; read x; exit 5`],
      size: FIRST,
      env: { PATH: process.env.PATH! },
    });
    using terminal = new Terminal(
      ['sh', '-c', `echo before; ${SPOOL} attach ${session.id}; echo "shell back $?"; sleep 100`],
      daemon.env,
      FIRST,
    );
    const before = stty(terminal);
    await terminal.sees('wild');
    expect((await seenBy(FIRST, terminal.printed)).picture).toMatchObject({ isAlternate: true, isCursorHidden: true });
    if (end === 'detach') terminal.type(CTRL_BACKSLASH);
    else if (end === 'exit') terminal.type('\r');
    else if (end === 'removed') await client.remove(session.id, { force: true });
    else process.kill(childOf(terminal.pid), end);
    await terminal.sees('shell back');
    const glass = await seenBy(FIRST, terminal.printed);
    expectClean(glass);
    expect(terminal.printed, end).toContain('\x1b[<1u'); // the kitty flags are popped
    expect(terminal.printed, end).not.toContain('\x1bc'); // never a full reset
    expect(glass.lines(), end).toContain('before'); // the content from before the attach is in the scrollback
    expect({ end, stty: stty(terminal) }).toEqual({ end, stty: before });
    if (end !== 'removed') await client.kill(session.id);
  }
});

test('[ATT-8] hostile output reaches neither the terminal nor, by its replies, the session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const evil = [
    '\\033]52;c;ZXZpbA==\\007',
    '\\033[c\\033[>c\\033[6n\\033[5n\\033[21t\\033[18t\\033[?u\\033[>q',
    '\\033]10;?\\007\\033]11;?\\007\\033]4;1;?\\007',
    '\\033P$qm\\033\\\\\\033P+q544e\\033\\\\',
    '\\033[2h\\033[?3h\\033[5i\\033]50;evil\\007\\005',
    '\\302\\2336n',
  ].join('');
  const command = [
    'sh',
    '-c',
    `stty raw -echo; printf '${evil}'; printf 'old>'; while [ "$(head -c 1)" != x ]; do :; done; printf '${evil}live>'; exec cat -v`,
  ];
  const session = await client.run({ command, size: FIRST, env: { PATH: process.env.PATH! } });
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
  terminal.answersQueries();
  await terminal.sees('old>');
  await until('the terminal has told its colours', () => terminal.hasAnswered);
  terminal.type('x');
  await terminal.sees('live>');
  terminal.type('marker');
  await terminal.sees('marker');
  // Our own query, which is sent once, before any output of the session is shown.
  const shown = terminal.printed.replace('\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c', '');
  const traces = [
    ']52',
    '[c',
    '[>c',
    '[6n',
    '[5n',
    '[21t',
    '[18t',
    '[?u',
    '[>q',
    ']10',
    ']11',
    ']4;',
    'P',
    '[2h',
    '[?3h',
    '[5i',
    ']50',
  ];
  for (const trace of [...traces.map((text) => `\x1b${text}`), '\x05', '\x9b'])
    expect(shown, JSON.stringify(trace)).not.toContain(trace);
  // The input of the session: the keeper's own answers, with the colours that this terminal reported; not the terminal's answers.
  await seen(client, session.id, 'rgb:1111/1111/1111');
  const typed = (await truthText(client, session.id)).split('live>')[1]!;
  expect(typed).toContain('marker');
  expect(typed).not.toMatch(/9;9R|XTerm\(1\)|8;99;99t|\?9u/);
});

test('[QRY-2] a terminal that tells its colours late is heard late, and none of it is typed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `stty raw -echo; printf 'ready>'; head -c 1 >/dev/null; printf '\\033]11;?\\007'; exec cat -v`;
  const session = await client.run({ command: ['sh', '-c', script], size: FIRST, env: { PATH: process.env.PATH! } });
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
  terminal.answersQueries({ lateMs: 400 });
  await terminal.sees('ready>');
  expect(terminal.hasAnswered).toBe(false);
  await until('the terminal has answered', () => terminal.hasAnswered);
  terminal.type('x');
  await seen(client, session.id, 'rgb:');
  terminal.type('.');
  expect((await seen(client, session.id, '.')).split('\x07')[1]).toBe('^[]11;rgb:2222/2222/2222^G.');
});

async function truthText(client: Client, session: string): Promise<string> {
  let text = '';
  for await (const item of client.watch(session, { from: 0 })) {
    if (item.type === 'output') text += Buffer.from(item.bytes).toString('latin1');
    if (item.type === 'synced') break;
  }
  return text;
}

test('[IN-1, LIFE-1] what is typed while the keeper is killed arrives exactly once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'stty raw -echo; printf "ready>"; exec cat'],
    size: FIRST,
    env: { PATH: process.env.PATH! },
  });
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
  await terminal.sees('ready>');
  let typed = '';
  for (let at = 0; at < 300; at++) {
    const keys = `${at}.`;
    typed += keys;
    terminal.type(keys);
    if (at % 75 === 40) process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await until(
    'all of it is there',
    async () => (await client.get(session.id)).offset >= 'ready>'.length + typed.length,
  );
  await client.stop(session.id);
  expect((await outputOf(client, session.id)).toString()).toBe(`ready>${typed}`);
});

test('[ATT-7] a takeover sends the other away with a word; who only looks stays, and cannot type', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: FIRST, env: { PATH: process.env.PATH! } });
  using first = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
  using looking = new Terminal([SPOOL, 'attach', '-r', session.id], daemon.env, SECOND);
  await until('both are there', async () => (await client.get(session.id)).viewers.length === 2);
  first.type('one\r');
  await looking.sees('one');
  looking.type('nothing of this\r');
  using second = new Terminal([SPOOL, 'attach', '--takeover', session.id], daemon.env, FIRST);
  expect(await first.ended()).toEqual({ code: 0, signal: 0 });
  await first.sees('[spool: taken over by cli ');
  second.type('two\r');
  await looking.sees('two');
  looking.type('\x03');
  expect(await looking.ended()).toEqual({ code: 0, signal: 0 });
  expect(await truthText(client, session.id)).not.toContain('nothing');
  expect((await client.get(session.id)).size).toMatchObject(FIRST); // the size of a viewer without input does not count
  const inspected = await daemon.spool(['inspect', session.id]);
  expect(inspected.stdout).toMatch(/viewers +1: cli \d+ 80x24/);
});

test('[SIZE-4] a resized window reaches the session once it has come to rest, and a keeper kill changes nothing about it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: FIRST, env: { PATH: process.env.PATH! } });
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
  terminal.type('x\r');
  await terminal.sees('x\r\nx');
  const sizes: number[] = [];
  for (let cols = 81; cols <= 90; cols++) terminal.resize(cols, 24);
  await until('the last size is applied', async () => (await client.get(session.id)).size?.cols === 90);
  for await (const mark of client.marks(session.id)) if (mark.type === 'resize') sizes.push(mark.cols);
  expect(sizes.filter((cols) => cols !== 80 && cols !== 90)).toEqual([]);
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  terminal.resize(95, 25);
  await until('a size during the kill is applied', async () => (await client.get(session.id)).size?.cols === 95);
});

test('[ATT-1] stopped and continued (SIGTSTP, SIGCONT), the terminal shows the session anew', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'printf "\\033[?2004h\\033[?1049hpicture"; exec cat'],
    size: FIRST,
    env: { PATH: process.env.PATH! },
  });
  using terminal = new Terminal(['sh', '-c', `${SPOOL} attach ${session.id}; sleep 100`], daemon.env, FIRST);
  await terminal.sees('picture');
  const pid = childOf(terminal.pid);
  process.kill(pid, 'SIGTSTP');
  await until('it is stopped', () =>
    /State:\s+T/.test(execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' })),
  );
  await until('its terminal is clean', async () => !(await seenBy(FIRST, terminal.printed)).picture.isAlternate);
  expectClean(await seenBy(FIRST, terminal.printed));
  const since = terminal.printed.length;
  process.kill(pid, 'SIGCONT');
  await terminal.sees('picture', since);
  await showsTruth(terminal, FIRST, client, session.id, FIRST);
  terminal.type('on\r');
  await terminal.sees('on\r\non', since);
});

test('[ATT-12] stopped without a word (SIGSTOP) and continued, the terminal is raw again and shows the session anew', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'printf "\\033[?2004h\\033[?1049hpicture"; exec cat'],
    size: FIRST,
    env: { PATH: process.env.PATH! },
  });
  using terminal = new Terminal(['sh', '-c', `${SPOOL} attach ${session.id}; sleep 100`], daemon.env, FIRST);
  await terminal.sees('picture');
  const pid = childOf(terminal.pid);
  const since = terminal.printed.length;
  process.kill(pid, 'SIGSTOP');
  // Like a shell that takes its terminal back.
  execFileSync('stty', ['-F', readlinkSync(`/proc/${pid}/fd/0`), 'sane']);
  process.kill(pid, 'SIGCONT');
  await terminal.sees('picture', since);
  await showsTruth(terminal, FIRST, client, session.id, FIRST);
  terminal.type(CTRL_BACKSLASH);
  await terminal.sees('detached', since);
});

function childOf(pid: number): number {
  const pids = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return Number(pids.trim().split('\n')[0]);
}
