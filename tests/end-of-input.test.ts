import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { seen, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

test('[IN-20, IN-44] `echo hello | spool run -- cat` ends, and prints hello once', async () => {
  await using daemon = new TestDaemon();
  expect(await daemon.spool(['run', '--', 'cat'], { input: 'hello\n' })).toMatchObject({
    code: 0,
    stdout: 'hello\n',
    stderr: '',
  });
});

test.each([
  ['half a line, which needs the key twice', 'half a line', 'cat', 'half a line\n'],
  ['nothing at all', '', 'cat', ''],
  ['two programs, one after the other', 'one\n', 'cat; echo next; cat; echo done', 'one\nnext\ndone\n'],
  [
    'a program that switches to raw mode and back',
    'one\n',
    'cat; stty raw; sleep 0.2; stty -raw; cat; echo done',
    'one\ndone\n',
  ],
  ['a pipeline', 'b\na\n', 'sort | cat -n | tr -d " \\t"', '1a\n2b\n'],
  ['another end-of-file key', 'one\n', 'stty eof ^X; cat; echo done', 'one\ndone\n'],
  ['an interactive shell', 'echo $((40 + 2))x\n', 'exec env -i PS1= bash --norc --noediting -i', '42x\nexit\n'],
])('[IN-44] the end of stdin reaches %s', async (_what, input, script, stdout) => {
  await using daemon = new TestDaemon();
  expect(await daemon.spool(['run', '--', 'sh', '-c', script], { input })).toMatchObject({ code: 0, stdout });
});

test('[IN-20] input that could not be forwarded is a failure, whatever the command says', async () => {
  await using daemon = new TestDaemon();
  const ran = await daemon.spool(['run', '--', 'wc', '-c'], { input: `first\n${'a'.repeat(5000)}\nlast\n` });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('stdin is no longer forwarded');
});

test('[IN-45] a shell that edits its line in raw mode ends too', async () => {
  await using daemon = new TestDaemon();
  const ran = await daemon.spool(['run', '--', 'bash', '--norc', '-i'], { input: 'echo $((40 + 2))x\n' });
  expect([ran.code, ran.stdout.includes('42x')]).toEqual([0, true]);
});

test('[IN-45] a script that waits for a key gets none from the end of its input', async () => {
  await using daemon = new TestDaemon();
  const script = 'read -t 2 -rsn1 key; echo "$? <$key>"';
  const { stdout } = await daemon.spool(['run', '--', 'bash', '-c', script], { input: '' });
  expect(stdout).toBe('142 <>\n'); // it timed out
});

/** Reads lines, slowly at first, and prints their number and hash at the end. */
const SLOW_HASH = `
const hash = require('node:crypto').createHash('sha256');
let pauses = 40;
process.stdin.on('data', (bytes) => {
  hash.update(bytes);
  if (pauses-- <= 0) return;
  process.stdin.pause();
  setTimeout(() => process.stdin.resume(), 25);
});
process.stdin.on('end', () => console.log('GOT ' + hash.digest('hex')));
console.log('ready');`;

test('[IN-20] input larger than every buffer arrives once, then its end; also when keepers are killed meanwhile', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const input = Array.from({ length: 30_000 }, (_, at) => `line ${at} ${'x'.repeat(90)}\n`).join('');
  const ran = daemon.spool(['run', '--name', 'slow', '--', process.execPath, '-e', SLOW_HASH], { input });
  await until('the session is there', async () => (await client.list()).length === 1);
  for (let round = 0; round < 3; round++) {
    const { keeper } = await client.status();
    process.kill(keeper.pid, 'SIGKILL');
    await until('the next keeper is there', async () => (await client.status()).keeper.pid !== keeper.pid);
  }
  expect((await client.get('slow')).state).toBe('running'); // so the processes died before all input was read
  const hash = createHash('sha256').update(input).digest('hex');
  expect(await ran).toMatchObject({ code: 0, stdout: `ready\nGOT ${hash}\n`, stderr: '' });
});

test('[IN-44] an end that is due survives the keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-end-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `stty raw; echo ready; until [ -e ${folder}/go ]; do sleep 0.02; done; stty -raw; cat; echo done`;
  const { id } = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  await seen(client, id, 'ready');
  await client.closeInput(id);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('the next keeper is there', async () => (await client.status()).keeper.pid !== keeper.pid);
  writeFileSync(`${folder}/go`, '');
  expect(await client.wait(id)).toMatchObject({ exitCode: 0 });
});

test.each(['abc\n', ''])(
  '[IN-45] a program in raw mode gets no key, neither while it starts nor later (input %j)',
  async (input) => {
    await using daemon = new TestDaemon();
    const folder = mkdtempSync(`${tmpdir()}/spool-test-end-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // It starts slowly, like an agent: it computes for a while before it requests raw mode.
    const program = `
    for (const until = process.cpuUsage().user + 300_000; process.cpuUsage().user < until;);
    require('node:fs').writeFileSync('${folder}/got', '');
    process.stdin.setRawMode(true);
    process.stdin.on('data', (bytes) => require('node:fs').appendFileSync('${folder}/got', bytes));
    console.log('raw');
    setTimeout(() => process.exit(7), 1500);`;
    const ran = await daemon.spool(['run', '--', process.execPath, '-e', program], { input });
    expect(ran).toMatchObject({ code: 7, stdout: 'raw\n' });
    expect(readFileSync(`${folder}/got`, 'latin1')).toBe(input);
  },
);

test('[IN-20] input after the end of input withdraws the end', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'stty raw; echo ready; head -c 1 >/dev/null; stty -raw; echo cooked; cat';
  const { id } = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  await seen(client, id, 'ready');
  await client.closeInput(id);
  await client.write(id, 'x');
  await seen(client, id, 'cooked');
  await client.write(id, 'still here\n');
  await seen(client, id, 'still here\r\nstill here');
  // Ending a `cat` takes less time than this, as the first tests show.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await client.get(id)).state).toBe('running');
});

test('[IN-46] attaching with an empty stdin ends no input', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const pty = await client.run({ command: ['cat'], size: PTY, env });
  const pipes = await client.run({ command: ['cat'], size: null, env });
  for (const { id } of [pty, pipes]) {
    const looking = spawn(SPOOL, ['attach', id], {
      env: daemon.env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await client.write(id, 'hello\n');
    await new Promise<void>((resolve) => looking.stdout.once('data', () => resolve()));
    await client.write(id, 'more\n');
    await seen(client, id, 'more');
    looking.kill();
    expect((await client.get(id)).state).toBe('running');
  }
});

const COLOURED = `printf '\\033[1;31mred\\033[0m\\n'; printf '10%%\\r20%%\\rdone\\n'; printf '\\033]0;title\\007end'`;

test('[ATT-9] `spool run -- make > log` writes plain lines; --raw writes the bytes', async () => {
  await using daemon = new TestDaemon();
  expect((await daemon.spool(['run', '--', 'sh', '-c', COLOURED])).stdout).toBe('red\ndone\nend\n');
  const raw = await daemon.spool(['run', '--raw', '--name', 'raw', '--', 'sh', '-c', COLOURED]);
  expect(raw.stdout).toBe('\x1b[1;31mred\x1b[0m\r\n10%\r20%\rdone\r\n\x1b]0;title\x07end');
  // The session itself still has a terminal: other viewers see its colours.
  expect((await daemon.spool(['logs', '--raw', 'raw'])).stdout).toBe(raw.stdout);
});

test('[ATT-9] `attach </dev/null` writes plain lines too, and begins with a whole one', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf '\\033[32mline %06d of many\\033[0m\\n' $i; done`;
  const { id } = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  await client.wait(id);
  const shown = spawnSync('sh', ['-c', `${SPOOL} attach ${id} </dev/null`], {
    env: daemon.env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  const lines = shown.stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter((line) => !/^line \d{6} of many$/.test(line))).toEqual([]);
  expect(lines.at(-1)).toBe('line 003000 of many');
});
