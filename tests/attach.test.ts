import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { isAlive, seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const CTRL_BACKSLASH = '\x1c';

test('[ATT-6] `spool run -- bash` puts one into a shell; Ctrl-\\ detaches, `spool attach` comes back, and nothing was lost', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using first = new Terminal([SPOOL, 'run', '--env', 'PS1=ready> ', '--', 'bash', '--norc'], daemon.env);
  await first.sees('ready> ');
  first.type('echo one$((1+1))\r');
  await first.sees('one2');
  first.type('trap "echo interrupted" INT; sleep 100\r');
  await first.sees('sleep 100');
  first.type('\x03');
  await first.sees('interrupted');
  const before = stty(first);
  first.type(CTRL_BACKSLASH);
  expect(await first.ended()).toEqual({ code: 0, signal: 0 });
  await first.sees('detached');
  expect(stty(first)).not.toBe(before); // raw while attached, restored afterwards

  const { state, id } = await client.get();
  expect(state).toBe('running');
  using second = new Terminal([SPOOL, 'attach'], daemon.env, { cols: 90, rows: 30 });
  await second.sees('one2');
  await until('the new size is applied', async () => (await client.get(id)).size?.cols === 90);
  second.type('exit 23\r');
  expect(await second.ended()).toEqual({ code: 23, signal: 0 });
});

test('[ATT-6] the detach key typed twice is sent to the child; its CSI-u encodings detach too', async () => {
  await using daemon = new TestDaemon();
  using terminal = new Terminal(
    [SPOOL, 'run', '--', 'sh', '-c', 'stty raw -echo; echo ready; head -c 1 | od -An -c; exec cat'],
    daemon.env,
  );
  await terminal.sees('ready');
  terminal.type(CTRL_BACKSLASH + CTRL_BACKSLASH);
  await terminal.sees('034');
  terminal.type('\x1b[92;5u');
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
});

test('the terminal is itself again after every kind of end', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'echo ready; exec cat'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  for (const end of ['detach', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    // A shell that keeps the terminal, so that it can be checked afterwards.
    using terminal = new Terminal(
      ['sh', '-c', `stty -a > /dev/null; ${SPOOL} attach ${session.id}; echo "shell back"; sleep 100`],
      daemon.env,
    );
    const before = stty(terminal);
    await terminal.sees('ready');
    await until('it is raw', () => stty(terminal) !== before);
    if (end === 'detach') terminal.type(CTRL_BACKSLASH);
    else process.kill(childOf(terminal.pid), end);
    await terminal.sees('shell back');
    expect({ end, stty: stty(terminal) }).toEqual({ end, stty: before });
  }
});

test('closing the terminal, or killing the client, changes nothing for the shell', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['cat'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  const closed = new Terminal([SPOOL, 'attach', session.id], daemon.env);
  closed.type('first\r');
  await closed.sees('first\r\nfirst');
  closed.hangUp();
  await until('the client is gone', () => !isAlive(closed.pid));
  using killed = new Terminal([SPOOL, 'attach', session.id], daemon.env);
  await killed.sees('first\r\nfirst');
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended();
  await until('nobody watches any more', async () => (await client.get(session.id)).watchers === 0);
  await client.write(session.id, 'second\r');
  await seen(client, session.id, 'second\r\nsecond');
});

test('[LIFE-1] [ATT-2] an attached terminal sees nothing of a keeper kill or a holder kill but a pause', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using terminal = new Terminal([SPOOL, 'run', '--', 'sh', '-c', 'stty -echo; echo ready; exec cat'], daemon.env);
  await terminal.sees('ready');
  for (const [round, victim] of (['keeper', 'holder', 'keeper'] as const).entries()) {
    process.kill((await client.status())[victim].pid, 'SIGKILL');
    await client.status(); // the daemon works again
    terminal.type(`line ${round}\r`);
    await terminal.sees(`line ${round}`);
  }
  const shown = terminal.printed.split('\n\x1b[H')[1]!; // the earlier content has scrolled out of view
  expect(shown.replaceAll(/\x1b\[[^a-zA-Z]*[a-zA-Z]/g, '')).toBe('ready\r\nline 0\r\nline 1\r\nline 2\r\n');
});

test('[ATT-3] an ended session can still be attached: its output, how it ended, and its exit code', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'echo the end; exit 9'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  await client.wait(session.id);
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env);
  await terminal.sees('the end');
  await terminal.sees('exit code 9');
  expect(await terminal.ended()).toEqual({ code: 9, signal: 0 });
});

test('[ATT-6] one leaves a session that does not read, however much was pasted into it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'stty raw -echo; printf ready; exec sleep 1000'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env);
  await terminal.sees('ready');
  await terminal.paste('x'.repeat(2_500_000));
  terminal.type(CTRL_BACKSLASH);
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  expect(terminal.printed).toContain('did not read all your input');
});

function stty(terminal: Terminal): string {
  return execFileSync('stty', ['-F', terminal.path, '-g'], { encoding: 'utf8' }).trim();
}

function childOf(pid: number): number {
  return Number(
    execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}

test('[ATT-14] keys take the short way; after the keeper is replaced they do again', async () => {
  const isLong = process.env['SPOOL_ATTACH_PUMP'] === 'off';
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using terminal = new Terminal([SPOOL, 'run', '--env', 'PS1=ready> ', '--', 'bash', '--norc'], daemon.env);
  await terminal.sees('ready> ');
  for (const round of [1, 2]) {
    const takesShortWay = async (): Promise<boolean> => {
      const since = terminal.printed.length;
      terminal.type(`echo ${round}$((${round}+1))\r`);
      await terminal.sees(`${round}${round + 1}`, since);
      return hasShortWay(terminal.pid);
    };
    if (isLong) expect(await takesShortWay()).toBe(false);
    else await until('the short way is open', takesShortWay);
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('another keeper serves', async () => (await client.list()).length === 1);
  }
  terminal.type('exit 5\r');
  expect(await terminal.ended()).toEqual({ code: 5, signal: 0 });
});

/** The short way has a copy of the fd of the daemon's socket; no other part of a client has. */
function hasShortWay(pid: number): boolean {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const link = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return link.startsWith('socket:') ? [link] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
  return new Set(sockets).size < sockets.length;
}
