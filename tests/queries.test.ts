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
    // Programs wait for a second or so. On a busy machine many are late: one that waited for a timer of ours would be, each time.
    expect(Math.min(...results.map(({ ms }) => ms))).toBeLessThan(500);
    for (const terminal of terminals) terminal[Symbol.dispose]();
  },
);

test('[QRY-1] the first program of a cold daemon does not wait for an answer while the daemon gets ready', async () => {
  await using daemon = new TestDaemon();
  // So many rules that reading them takes a while, during which a query could not be answered.
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

test('[QRY-3] a program that echoes what it reads does not ask for ever', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = String.raw`stty raw -echo; printf 'ready\033]7501;?\033\\'; exec cat`;
  const session = await client.run({ command: ['sh', '-c', script], size: { cols: 80, rows: 24 }, env });
  await seen(client, session.id, 'term=spool');
  for (let round = 0; round < 20; round++) {
    await client.write(session.id, `<${round}>`);
    await seen(client, session.id, `<${round}>`);
  }
  const output = await seen(client, session.id, '<19>');
  expect(output.split('7501;?')).toHaveLength(3); // the query, and the echo of the one answer
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
  // No other byte is waiting to be read: the next one is the byte that is typed now.
  await client.write(session.id, 'z');
  await until('it has ended', async () => (await client.get(session.id)).state !== 'running');
  expect((await seen(client, session.id, 'z')).slice(out.length)).toMatch(/z/);
});

test('[QRY-1] a query that was answered is not answered again by the next keeper, nor by the one after it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // It prints every byte that it gets.
  const script = `
    process.stdin.setRawMode(true);
    process.stdout.write('\\x1b[6n\\x1b[c');
    process.stdin.on('data', (bytes) => process.stdout.write('<' + JSON.stringify(bytes.toString()) + '>'));`;
  const command = [process.execPath, '-e', script];
  const { id } = await client.run({ command, size: { cols: 80, rows: 24 }, env });
  const given = (out: string): string =>
    [...out.matchAll(/<("[^>]*")>/g)].map(([, json]) => JSON.parse(json!) as string).join('');
  await until('both are answered', async () => /R.*c">/s.test(await seen(client, id, '">')));
  const answers = given(await seen(client, id, 'c">'));
  for (const mark of ['one', 'two']) {
    const { keeper } = await client.status();
    process.kill(keeper.pid, 'SIGKILL');
    await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
    await client.screen(id); // it has read all output up to here, and would have answered
    await client.write(id, mark);
    await seen(client, id, mark);
  }
  expect(given(await seen(client, id, 'two'))).toBe(`${answers}onetwo`);
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
  await client.screen(id); // the output has been read up to there, and the answer made
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

/** White in the palette: bright white is for bold. */
const WHITE_ON_BLACK = '10=e5e5/e5e5/e5e5 11=0000/0000/0000';

/** Asks for the colour of text (10) and of the background (11) for each byte of input. */
const COLOUR_PROBE = `
  process.stdin.setRawMode(true);
  process.stdout.write('ready');
  let all = '';
  process.stdin.on('data', (bytes) => {
    all += bytes;
    if (all === '?') process.stdout.write('\\x1b]10;?\\x1b\\\\\\x1b]11;?\\x1b\\\\');
    const answers = [...all.matchAll(/\\x1b\\](1[01]);rgb:([0-9a-f/]+)/g)];
    if (answers.length < 2 || !all.endsWith('\\\\')) return;
    process.stdout.write('{' + answers.map(([, which, rgb]) => which + '=' + rgb).join(' ') + '}');
    all = '';
  });`;

test('[QRY-2] colours are white on black until a terminal tells its own, however late, and stay over a killed keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [process.execPath, '-e', COLOUR_PROBE];
  const { id } = await client.run({ command, size: { cols: 80, rows: 24 }, env });
  await seen(client, id, 'ready');
  let answered = 0;
  const colours = async (): Promise<string> => {
    await client.write(id, '?');
    answered++;
    await until('it has its answers', async () => (await seen(client, id, '}')).split('}').length > answered);
    return (await seen(client, id, '}')).split('}')[answered - 1]!.split('{')[1]!;
  };
  expect(await colours()).toBe(WHITE_ON_BLACK);
  const viewer = client.attach(id);
  const items = viewer[Symbol.asyncIterator]();
  await items.next();
  expect(await colours()).toBe(WHITE_ON_BLACK);
  viewer.view({ colours: { background: '#fffefd' } });
  await until('it is told', async () => (await colours()).endsWith('11=ffff/fefe/fdfd'));
  viewer.view({ colours: { foreground: '#102030', background: '#405060' } });
  const own = '10=1010/2020/3030 11=4040/5050/6060';
  await until('it is told again', async () => (await colours()) === own);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('the viewer is back', async () => {
    const [status, { viewers }] = [await client.status(), await client.get(id)];
    return status.keeper.pid !== keeper.pid && viewers.length === 1;
  });
  expect(await colours()).toBe(own);
  viewer.close();
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
