/** Tests the features that the page adds to a terminal: search, links, clipboard, uploads, files; in a real browser. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN_MS = 60_000;

interface Web {
  readonly navigator: { readonly clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void> } };
}

testNeeding(NO_BROWSER)(
  '[PAGE-10] [PAGE-74] text that has long scrolled away is found, and opens where it was seen, marked',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = 'seq 5000; echo the-needle in the hay; seq 5000 9999; exec sleep 1000';
    const session = await client.run({ command: ['bash', '-c', script], name: 'hay', size: { cols: 80, rows: 20 } });
    await until('it has printed', async () => (await client.screen(session.id)).content.includes('9999'), WITHIN_MS);
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${session.id}`);
    await page.getByRole('button', { name: 'Find in the output' }).click();
    await page.getByRole('searchbox', { name: 'Find in the whole output' }).fill('the-needle');
    await page.getByRole('link', { name: 'the-needle in the hay' }).click();
    await until(
      'the moment is shown',
      async () => (await rowsOn(page)).filter((row) => row !== '').at(-1) === 'the-needle in the hay',
      WITHIN_MS,
    );
    await page.locator('.xterm-selection > div').first().waitFor({ state: 'attached', timeout: WITHIN_MS });
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-50, PAGE-51, PAGE-73] a program copies only with consent, a pasted file is uploaded, and keys copy and paste',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      const script = String.raw`printf '\e]52;;%s\a' "$(printf 'from the program' | base64)"; printf '\e[?2004h'; stty raw -echo; exec cat -v`;
      await using open = await openPage(daemon);
      const { page, origin } = open;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      await page.evaluate(() => (globalThis as unknown as Web).navigator.clipboard.writeText('before'));
      const shown = page.getByRole('alertdialog', { name: 'Copy' });
      // A snapshot does not contain the clipboard: only a sequence that is printed while the page is open makes it ask.
      const again = await client.run({
        command: ['bash', '-c', `read -r go; ${script}`],
        name: 'asks',
        cwd: folder,
        size: { cols: 100, rows: 20 },
      });
      await page.goto(`${origin}/#/s/${again.id}`);
      await page.locator('.xterm').waitFor();
      await until('it is attached', async () => (await client.get(again.id)).viewers.length === 1, WITHIN_MS);
      await client.write(again.id, 'go\r');
      await shown.waitFor();
      expect(await page.evaluate(() => (globalThis as unknown as Web).navigator.clipboard.readText())).toBe('before');
      await shown.getByRole('button', { name: 'Copy' }).click();
      await shown.waitFor({ state: 'detached' });
      expect(await page.evaluate(() => (globalThis as unknown as Web).navigator.clipboard.readText())).toBe(
        'from the program',
      );

      await page.evaluate(() => {
        const web = globalThis as unknown as {
          DataTransfer: new () => { items: { add(file: unknown): void } };
          File: new (parts: string[], name: string) => unknown;
          ClipboardEvent: new (type: string, options: object) => object;
          document: { querySelector(text: string): { dispatchEvent(event: object): void } };
        };
        const clipboardData = new web.DataTransfer();
        clipboardData.items.add(new web.File(['a picture'], '../../evil name.png'));
        web.document
          .querySelector('.xterm-helper-textarea')
          .dispatchEvent(new web.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      await until(
        'the file is there',
        () =>
          readdirSync(folder).includes('.spool-uploads') && readdirSync(join(folder, '.spool-uploads')).length === 2,
        WITHIN_MS,
      );
      const made = readdirSync(join(folder, '.spool-uploads')).find((name) => name.endsWith('evil-name.png'))!;
      const uploaded = (): string => readFileSync(join(folder, '.spool-uploads', made), 'utf8');
      await until('the file is whole', () => uploaded() === 'a picture', WITHIN_MS);
      await until(
        'its path was pasted, bracketed',
        async () =>
          (await client.screen(again.id)).content
            .replaceAll('\n', '')
            .includes(`^[[200~${folder}/.spool-uploads/${made}`),
        WITHIN_MS,
      );

      // The keys: Ctrl V pastes the clipboard, and Ctrl C copies only while text is selected.
      const clipboard = (): Promise<string> =>
        page.evaluate(() => (globalThis as unknown as Web).navigator.clipboard.readText());
      const content = async (): Promise<string> => (await client.screen(again.id)).content.replaceAll('\n', '');
      await page.evaluate(() => (globalThis as unknown as Web).navigator.clipboard.writeText('pasted-by-key'));
      await page.locator('.xterm-helper-textarea').focus();
      await page.keyboard.press('Control+v');
      await until('it is pasted', async () => (await content()).includes('pasted-by-key^[[201~'), WITHIN_MS);
      const screen = (await page.locator('.xterm-screen').boundingBox())!;
      await page.mouse.dblclick(screen.x + 100, screen.y + 5);
      await until(
        'text is selected',
        async () => (await page.locator('.xterm-selection > div').count()) > 0,
        WITHIN_MS,
      );
      await page.keyboard.press('Control+c');
      await until('it is copied', async () => (await clipboard()) !== 'pasted-by-key', WITHIN_MS);
      expect(await content()).toContain(await clipboard());
      expect(await content()).not.toContain('^C');
      await page.keyboard.press('Control+c');
      await until('it is interrupted', async () => (await content()).includes('^C'), WITHIN_MS);
      await page.keyboard.press('Control+Alt+v');
      await until('the key itself arrives', async () => (await content()).endsWith('^V'), WITHIN_MS);
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

testNeeding(NO_BROWSER)('[FILE-2] files and changes are shown on the page, and HTML and SVG do not run', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
  try {
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    writeFileSync(join(folder, 'a.txt'), 'two\n');
    writeFileSync(join(folder, 'evil.html'), '<script>window.pwned=1</script><img src=x onerror="window.pwned=1">');
    writeFileSync(join(folder, 'evil.svg'), '<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"/>');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: ['sleep', '1000'], name: 'files', cwd: folder });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${session.id}/files`);
    for (const name of ['evil.html', 'evil.svg']) {
      await page.getByRole('link', { name }).click();
      await page.getByText('window.pwned=1').first().waitFor();
      await page.goBack();
    }
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByText('+two').waitFor();
    await page.getByRole('link', { name: 'evil.svg' }).waitFor();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(open.complaints).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

testNeeding(NO_BROWSER)('[PAGE-38] a new query and a closed panel end the search that was under way', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sleep', '1000'], name: 'hay' });
  await using open = await openPage(daemon);
  const { page, origin } = open;
  const asked: string[] = [];
  const ended: string[] = [];
  const textOf = (url: string): string => new URL(url).searchParams.get('text')!;
  await page.route('**/search?*', (route) => void asked.push(textOf(route.request().url()))); // the request is never answered
  page.on('requestfailed', (request) => ended.push(textOf(request.url())));
  await page.goto(`${origin}/#/s/${session.id}`);
  await page.getByRole('button', { name: 'Find in the output' }).click();
  const box = page.getByRole('searchbox', { name: 'Find in the whole output' });
  await box.fill('first');
  await until('it is asked', () => asked.includes('first'), WITHIN_MS);
  expect(ended).toEqual([]);
  await box.fill('second');
  await until('the first has ended', () => ended.includes('first'), WITHIN_MS);
  await until('the second is asked', () => asked.includes('second'), WITHIN_MS);
  await page.getByRole('region', { name: 'Find in the output' }).getByRole('button', { name: 'Close' }).click();
  await until('the second has ended', () => ended.includes('second'), WITHIN_MS);
  expect([asked, ended]).toEqual([
    ['first', 'second'],
    ['first', 'second'],
  ]);
});

testNeeding(NO_BROWSER)(
  '[PAGE-37] after a flood the page is exact, and has the lines above the screen again',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const last = 1_000_000;
    for (const after of ['exec sleep 1000', 'exit']) {
      const session = await client.run({
        command: ['bash', '-c', `stty -echo; read -r go; seq 1 ${last}; ${after}`],
        name: `flood, ${after}`,
        size: { cols: 80, rows: 24 },
      });
      await using open = await openPage(daemon);
      const { page, origin } = open;
      await page.goto(`${origin}/#/s/${session.id}`);
      await until('it is attached', async () => (await client.get(session.id)).viewers.length === 1, WITHIN_MS);
      await client.write(session.id, 'go\r');
      await until('the end is shown', async () => (await rowsOn(page))[22] === String(last), WITHIN_MS);
      const expected = Array.from({ length: 23 }, (_, index) => String(last - 22 + index));
      expect((await rowsOn(page)).slice(0, 23)).toEqual(expected);
      await page.locator('.xterm-helper-textarea').focus();
      const scroll = async (key: string): Promise<void> => {
        for (let n = 0; n < 50; n++) await page.keyboard.press(key);
      };
      await until(
        'a thousand lines are above the screen',
        async () => {
          await scroll('Shift+PageUp');
          const isThere = Number((await rowsOn(page))[0]) <= last - 1000;
          if (!isThere) await scroll('Shift+PageDown');
          return isThere;
        },
        WITHIN_MS,
      );
      expect(open.complaints).toEqual([]);
    }
  },
);
