import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { SPOOL, seen, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PROBE = fileURLToPath(new URL('../packages/testkit/programs/query-probe.mjs', import.meta.url));
const env = { PATH: process.env.PATH! };

test.each([0, 1, 3])(
  '[QRY-1] every query is answered once, right and at once, with %i terminals attached that would answer themselves',
  async (count) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const command = ['sh', '-c', `echo ready; read go; exec ${process.execPath} ${PROBE}`];
    const session = await client.run({ command, size: { cols: 80, rows: 24 }, env });
    await seen(client, session.id, 'ready');
    const terminals = Array.from({ length: count }, () => new Terminal([SPOOL, 'attach', session.id], daemon.env));
    for (const terminal of terminals) {
      await terminal.sees('ready');
      terminal.answersQueries();
    }
    await client.write(session.id, 'go\r');
    const results = await resultOf(client, session.id);
    expect(results.filter(({ isRight }) => !isRight)).toEqual([]);
    // The median says how fast it is; a single one may be late on a machine that is busy with other things.
    const times = results.map(({ ms }) => ms).toSorted((a, b) => a - b);
    expect(times[times.length >> 1]!).toBeLessThan(50);
    for (const terminal of terminals) terminal[Symbol.dispose]();
  },
);

test('[QRY-1] the first program of a cold daemon does not wait for an answer while the daemon gets ready', async () => {
  await using daemon = new TestDaemon();
  // So many rules that reading them takes a while, during which nothing could be answered.
  mkdirSync(`${daemon.home}/config/rules`, { recursive: true });
  const all = Array.from({ length: 12 }, (_, at) => `^(?:a{${at}}|[b-y]+\\d*)\\s+z$`);
  const rules = Array.from({ length: 100 }, (_, at) => ({ name: `r${at}`, says: 'idle', in: 'screen', all }));
  for (let at = 0; at < 64; at++)
    writeFileSync(
      `${daemon.home}/config/rules/${at}.json`,
      JSON.stringify({ agent: `agent-${at}`, commands: [`agent-${at}`], recognise: [], rules }),
    );
  const client = await daemon.client();
  const startedAt = performance.now();
  const script = `stty raw -echo; asked=$EPOCHREALTIME; printf '\\033[c'; IFS= read -rsd c; echo "took $((\${EPOCHREALTIME/./} - \${asked/./})) us"`;
  const session = await client.run({ command: ['bash', '-c', script], size: { cols: 80, rows: 24 }, env });
  const waitedMs = performance.now() - startedAt;
  const tookMs = Number(/took (\d+) us/.exec(await seen(client, session.id, ' us'))![1]) / 1000;
  expect(tookMs).toBeLessThan(waitedMs);
});

test('[QRY-1] a query asked while the keeper is dead is answered by its successor, once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `stty raw -echo; printf 'ready'; head -c 1 >/dev/null; printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; echo done; head -c 1 | od -An -c`;
  const session = await client.run({ command: ['sh', '-c', script], size: { cols: 80, rows: 24 }, env });
  await seen(client, session.id, 'ready');
  const { keeper } = await client.status();
  await client.write(session.id, 'x');
  process.kill(keeper.pid, 'SIGKILL');
  const out = await seen(client, session.id, 'done');
  expect(out.replaceAll(/\s+/g, ' ')).toContain('033 [ 1 ; 6 R');
  // Nothing else is waiting to be read: the next byte is the one that is typed now.
  await client.write(session.id, 'z');
  await until('it has ended', async () => (await client.get(session.id)).state !== 'running');
  expect((await seen(client, session.id, 'z')).slice(out.length)).toMatch(/z/);
});

test('[QRY-1] an answer does not come into the middle of a paste, and does come after it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `
    process.stdin.setRawMode(true);
    process.stdout.write('\\x1b[?2004hready');
    let all = '';
    process.stdin.on('data', (bytes) => {
      all += bytes;
      if (all.endsWith('one')) process.stdout.write('\\x1b[6nasked');
      if (all.endsWith('R')) process.stdout.write('GOT ' + JSON.stringify(all) + ' END');
    });`;
  const { id } = await client.run({
    command: [process.execPath, '-e', script],
    size: { cols: 80, rows: 24 },
    env,
  });
  await seen(client, id, 'ready');
  await client.write(id, '\x1b[200~one');
  await seen(client, id, 'asked');
  await client.screen(id); // it has been read up to there, and the answer made
  await client.write(id, ' two\x1b[201~');
  const out = await seen(client, id, ' END');
  expect(out).toContain('GOT "\\u001b[200~one two\\u001b[201~\\u001b[1;6R"');
});

test('[QRY-2] colours that come with `run` are there for the first question', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ask = `printf '\\033]11;?\\033\\\\'; dd bs=1 count=25 2>/dev/null | tr -d '\\033'; echo`;
  const { id } = await client.run({
    command: ['sh', '-c', `stty raw -echo; ${ask}`],
    size: { cols: 80, rows: 24 },
    colours: { foreground: '#102030', background: '#fffefd' },
    env,
  });
  await seen(client, id, ']11;rgb:ffff/fefe/fdfd');
});

test('[QRY-2] colours are those of the attached terminal, if it told them; else white on black', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ask = `printf '\\033]11;?\\033\\\\'; dd bs=1 count=25 2>/dev/null | tr -d '\\033' ; echo;`;
  const session = await client.run({
    command: ['sh', '-c', `stty raw -echo; ${ask} head -c 1 >/dev/null; ${ask}`],
    size: { cols: 80, rows: 24 },
    env,
  });
  await seen(client, session.id, ']11;rgb:0000/0000/0000');
  const attachment = client.attach(session.id, { colours: { foreground: '#102030', background: '#fffefd' } });
  await attachment[Symbol.asyncIterator]().next();
  await client.write(session.id, 'x');
  await seen(client, session.id, ']11;rgb:ffff/fefe/fdfd');
  attachment.close();
});

interface Result {
  readonly name: string;
  readonly isRight: boolean;
  readonly ms: number;
}

async function resultOf(client: Client, session: string): Promise<readonly Result[]> {
  const out = await seen(client, session, 'RESULT [');
  await until('the probe has ended', async () => (await client.get(session)).state !== 'running');
  const all = /RESULT \[.*\]\r/.test(out) ? out : await seen(client, session, '}]\r');
  return JSON.parse(/RESULT (\[.*\])/.exec(all)![1]!) as Result[];
}
