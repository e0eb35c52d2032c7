/**
 * Tests third-party programs in a real browser, against a live session: the player of asciinema, and the packed SDK. Both run on
 * a page of the gateway, because no other origin may connect.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { TestDaemon, until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { rolldown } from 'rolldown';
import { afterAll, expect } from 'vitest';
import { closeBrowser, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { TestGateway } from './support/gateway.ts';
import { ROOT } from './support/sources.ts';

afterAll(closeBrowser);

const SIZE = { cols: 60, rows: 12 };
const PLAYER = `${ROOT}/node_modules/asciinema-player/dist/bundle/asciinema-player.min.js`;

/**
 * Runs a script on a page of the gateway that has no content policy. A page from the test would not work: Chromium counts it as
 * one of the internet, which may not connect to this machine.
 */
async function showPage(page: Page, origin: string, script: string): Promise<void> {
  await page.getByRole('navigation').first().waitFor();
  await page.goto(`${origin}/healthz`);
  await page.addScriptTag({ path: script });
}

testNeeding(NO_BROWSER)("[REM-10] asciinema's own player shows a live session in a browser, to its end", async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [
    'sh',
    '-c',
    'stty -echo; printf "\\033[31mréd\\033[m 漢字\\n"; while read x; do echo "got $x"; done',
  ];
  const { id } = await client.run({ command, size: SIZE });
  await using opened = await openPage(daemon);
  const { page, origin } = opened;
  await showPage(page, origin, PLAYER);
  const { token } = await daemon.json<{ token: string }>('token', 'create', '--role', 'viewer');
  await page.evaluate(
    ([url, place, bearer]) => {
      // The player offers its own subprotocols only.
      const { WebSocket } = globalThis;
      globalThis.WebSocket = class extends WebSocket {
        constructor(address: string | URL, protocols?: unknown) {
          super(address, [protocols as string[], `spool.bearer.${bearer}`].flat());
        }
      };
      const { AsciinemaPlayer } = globalThis as unknown as {
        AsciinemaPlayer: { create(source: object, place: unknown, options: object): object };
      };
      const { document } = globalThis as unknown as { document: { querySelector(name: string): unknown } };
      AsciinemaPlayer.create({ driver: 'websocket', url }, document.querySelector(place!), { autoPlay: true });
    },
    [`${origin.replace('http', 'ws')}/ws?session=${id}`, 'body', token],
  );
  const shown = async (): Promise<string> => (await page.locator('.ap-term').innerText()).replaceAll('\u00a0', ' ');
  const sees = (text: string): Promise<void> =>
    until(`the player shows ${text}`, async () => (await shown()).includes(text), 60_000);
  await sees('réd');
  await sees('漢');
  for (const word of ['one', 'two']) {
    await client.write(id, `${word}\n`);
    await sees(`got ${word}`);
  }
  // Its content, line by line, is that of the session; this player gives a wide character one cell.
  const lines = async (): Promise<string[]> => {
    const { content } = await client.screen(id, { format: 'text' });
    return content.split('\n').map((line) => line.trimEnd());
  };
  const own = (await page.locator('.ap-line').allTextContents()).map((line) => line.trimEnd());
  expect(own.filter((line) => line.startsWith('got'))).toEqual(
    (await lines()).filter((line) => line.startsWith('got')),
  );
  await client.kill(id);
  expect(opened.complaints).toEqual([]);
});

const PROGRAM = `
import { connect, SpoolError } from '@spool/client/remote';
globalThis.tryIt = async (url, token) => {
  const client = await connect({ url, token, who: 'a page' });
  const session = await client.run({ command: ['sh', '-c', 'stty -echo; echo ready; read x; echo "got $x"; exit 3'] });
  let text = '';
  let isWritten = false;
  for await (const item of session.watchText({ from: 0 })) {
    if (item.type === 'text') text += item.data;
    if (isWritten || !text.includes('ready')) continue;
    isWritten = true;
    await session.write('from a browser\\n');
  }
  const { exitCode } = await client.get(session.id);
  client.close();
  return { text, exitCode };
};
globalThis.codeOf = (url, token) => connect({ url, token }).then(() => 'open', (error) => SpoolError.is(error) && error.code);
`;

testNeeding(NO_BROWSER)('[SDK-1] the packed SDK runs in a browser: with a token, and not without one', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  try {
    const tarball = execFileSync(process.execPath, [`${ROOT}/scripts/pack-sdk.mjs`, folder], {
      encoding: 'utf8',
    }).trim();
    execFileSync('tar', ['-xzf', tarball, '-C', folder]);
    writeFileSync(`${folder}/main.js`, PROGRAM);
    const build = await rolldown({
      input: `${folder}/main.js`,
      platform: 'browser',
      resolve: { alias: { '@spool/client/remote': `${folder}/package/js/remote.js` } },
      logLevel: 'silent',
    });
    await build.write({ file: `${folder}/bundle.js`, format: 'iife', codeSplitting: false });
    await build.close();
    await using opened = await openPage(daemon);
    const { page, origin } = opened;
    await showPage(page, origin, `${folder}/bundle.js`);
    const call = (name: string, token: string | null): Promise<unknown> =>
      page.evaluate(
        ([what, url, given]) => {
          const calls = globalThis as unknown as Record<string, (url: string, token?: string) => Promise<unknown>>;
          return calls[what!]!(url!, given ?? undefined);
        },
        [name, origin, token],
      );
    const { token } = await gateway.token('operator', '--name', 'for a page');
    const { token: viewing } = await gateway.token('viewer');
    const done = { text: 'ready\r\ngot from a browser\r\n', exitCode: 3 };
    expect(await call('codeOf', `${token.slice(0, -1)}_`)).toBe('TOKEN_REFUSED');
    expect(await call('codeOf', null)).toBe('TOKEN_REFUSED');
    expect(await call('tryIt', token)).toEqual(done);
    await expect(call('tryIt', viewing)).rejects.toThrow(/operator/);
    expect(page.url()).not.toContain(token.slice(-20));
    expect(opened.complaints).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
