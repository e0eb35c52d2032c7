/** Tests links from other sites to the page: they start nothing before the user has pressed a button. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDaemon } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, passGate, PHONE } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

/** Starts a site with a link that the user presses. */
async function startSite(link: string): Promise<{ origin: string } & Disposable> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><a href="${link}">look</a>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function changedRepository(): string {
  const folder = mkdtempSync(`${tmpdir()}/spool-links-`);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  return folder;
}

const VIEWS = [
  ['changes', 'Show the changes', '+two'],
  ['summary', 'Show the summary', 'a.txt'],
] as const;

for (const [view, label, shown] of VIEWS)
  for (const [device, size] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const)
    testNeeding(NO_BROWSER)(
      `[PAGE-43] a link on another site to ${view} starts no program before a press (${device})`,
      async () => {
        const folder = changedRepository();
        try {
          await using daemon = new TestDaemon();
          const client = await daemon.client();
          const { id } = await client.run({ command: ['sleep', '1000'], name: 'target', cwd: folder });
          await using open = await openPage(daemon, size);
          const { page, origin } = open;
          await page
            .getByRole('link', { name: /target/ })
            .first()
            .waitFor();
          let asked = 0;
          page.on('request', (request) => (asked += request.url().endsWith('/changes') ? 1 : 0));
          const gate = page.getByRole('button', { name: label });

          using site = await startSite(`${origin}/#/s/${id}/${view}`);
          await page.goto(site.origin);
          await page.getByRole('link', { name: 'look' }).dblclick();
          await gate.waitFor();
          expect(await gate.evaluate((button) => button.matches(':focus'))).toBe(false);
          const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
          expect([asked, isWide]).toEqual([0, false]);
          await passGate(page);
          await page.getByText(shown).first().waitFor();

          // After the user has opened it: a reload, back and forward, other views.
          await page.reload();
          await page.getByText(shown).first().waitFor();
          await page.getByRole('link', { name: 'Files' }).click();
          await page.getByRole('link', { name: 'a.txt' }).waitFor();
          await page.goBack();
          await page.getByText(shown).first().waitFor();

          // The next link needs another press, also in the tab in which the first was opened.
          const before = asked;
          await page.goto(site.origin);
          await page.getByRole('link', { name: 'look' }).click();
          await gate.waitFor();
          await page.goto(site.origin);
          await page.goBack();
          await gate.waitFor();
          expect(asked).toBe(before);

          // Links within the page need no press.
          await page.getByRole('link', { name: 'Files' }).click();
          await page.getByRole('link', { name: view === 'changes' ? 'Changes' : 'Summary' }).click();
          await page.getByText(shown).first().waitFor();
          expect(open.complaints).toEqual([]);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
