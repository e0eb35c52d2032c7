/** Tests the page on a phone, read as text, by keyboard alone, and while it is hidden; in a real browser. */
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE, rowsOn, setHidden } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN_MS = 60_000;

testNeeding(NO_BROWSER)(
  '[PAGE-12] sticky keys reach the program, and the keyboard does not hide the prompt',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = 'for i in $(seq 38); do echo $i; done; stty raw -echo; printf "prompt> "; exec cat -v';
    const session = await client.run({ command: ['bash', '-c', script], name: 'keys', size: { cols: 47, rows: 49 } });
    await using open = await openPage(daemon, PHONE);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${session.id}`);
    await until('it is shown', async () => (await rowsOn(page)).some((row) => row.startsWith('prompt>')), WITHIN_MS);
    await page.setViewportSize({ width: 390, height: 420 });
    const isPromptSeen = (): Promise<boolean> =>
      page.evaluate(() => {
        const web = globalThis as unknown as {
          document: {
            querySelectorAll(
              text: string,
            ): Iterable<{ textContent: string; getBoundingClientRect(): { top: number; bottom: number } }>;
            querySelector(text: string): { getBoundingClientRect(): { top: number; bottom: number } };
          };
        };
        const row = [...web.document.querySelectorAll('.xterm-rows > div')].find(({ textContent }) =>
          textContent.startsWith('prompt>'),
        );
        const pane = web.document.querySelector('.terminal-pane').getBoundingClientRect();
        const box = row?.getBoundingClientRect();
        return box !== undefined && box.top >= pane.top && box.bottom <= pane.bottom + 1;
      });
    await until('the prompt is in sight', isPromptSeen, WITHIN_MS);
    await page.locator('.xterm-helper-textarea').focus();
    await page.getByRole('button', { name: 'Control', exact: true }).tap();
    await page.keyboard.type('a');
    await page.keyboard.type('b');
    await page.getByRole('button', { name: 'Up', exact: true }).tap();
    await until(
      'the keys have arrived',
      async () => (await client.screen(session.id)).content.includes('prompt> ^Ab^[[A'),
      WITHIN_MS,
    );
    await page.setViewportSize({ width: 844, height: 390 });
    await until('it is seen after a turn', isPromptSeen, WITHIN_MS);
    expect((await client.get(session.id)).size).toMatchObject({ cols: 47, rows: 49 });
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-9] a hidden page receives nothing, and shows the present when it is seen again',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.05; done';
    for (const name of ['one', 'two']) await client.run({ command: ['bash', '-c', script], name });
    await using open = await openPage(daemon);
    const { page } = open;
    await page.getByRole('link', { name: /one/ }).first().waitFor();
    const cdp = await page.context().newCDPSession(page);
    let frames = 0;
    cdp.on('Network.webSocketFrameReceived', () => frames++);
    await cdp.send('Network.enable');
    await until('screens arrive', () => frames > 3, WITHIN_MS);
    await setHidden(page, true);
    const settledAt = Date.now() + 1500;
    await until('what was on its way has arrived', () => Date.now() > settledAt, WITHIN_MS);
    const before = frames;
    const waitedUntil = Date.now() + 3000;
    await until('some time has passed', () => Date.now() > waitedUntil, WITHIN_MS);
    // A change of the status is reported, for the title of the tab.
    expect(frames - before).toBeLessThanOrEqual(2);
    await setHidden(page, false);
    await until('screens arrive again', () => frames > before + 4, WITHIN_MS);
  },
);

testNeeding(NO_BROWSER)('[PAGE-13] a page that is older than the gateway offers a reload', async () => {
  await using daemon = new TestDaemon();
  await daemon.client();
  await using open = await openPage(daemon);
  const { page, origin } = open;
  await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor();
  const notice = page.getByRole('button', { name: 'Reload this page' });
  expect(await notice.count()).toBe(0);
  await page.route(`${origin}/`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<script type="module" src="./assets/page-other.js"></script>' }),
  );
  const { keeper } = (await daemon.json('daemon', 'status')) as unknown as { keeper: { pid: number } };
  process.kill(keeper.pid, 'SIGKILL'); // so that the page connects again
  await notice.waitFor({ timeout: WITHIN_MS });
  await page.unroute(`${origin}/`);
  await notice.click();
  await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor();
});

testNeeding(NO_BROWSER)(
  '[PAGE-14] what waits is found, answered, opened, read as text and left by keyboard alone',
  async () => {
    const { AxeBuilder } = await import('@axe-core/playwright');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script =
      'read -r -p "Overwrite a.txt? [y/n] " key; echo "got $key"; read -r line; echo "read $line"; sleep 1000';
    const session = await client.run({ command: ['bash', '-c', script], name: 'asks' });
    const pipes = await client.run({ command: ['bash', '-c', 'echo on pipes; sleep 1000'], name: 'pipes', size: null });
    await client.waitUntil(session.id, 'blocked');
    for (const colorScheme of ['dark', 'light'] as const) {
      await using open = await openPage(daemon, { ...DESK, colorScheme });
      const { page, origin } = open;
      if (colorScheme === 'dark') {
        const yes = page.getByRole('group', { name: 'Answers' }).getByRole('button').first();
        await yes.waitFor();
        for (let steps = 0; steps < 40 && !(await yes.evaluate((element) => element.matches(':focus'))); steps++)
          await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await until(
          'it is answered',
          async () => (await client.screen(session.id)).content.includes('got y'),
          WITHIN_MS,
        );
        await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor({ timeout: WITHIN_MS });
        // The page ignores keys for a moment after a question has left.
        const filter = page.locator('.wall-filter:focus');
        await until('the filter has the focus', async () => {
          await page.keyboard.press('f');
          return (await filter.count()) === 1;
        });
        await page.keyboard.type('asks');
        await page.keyboard.press('Enter');
        await page.locator('.xterm').waitFor({ timeout: WITHIN_MS });
        await page.keyboard.type('by hand\n');
        await until(
          'it was typed',
          async () => (await client.screen(session.id)).content.includes('read by hand'),
          WITHIN_MS,
        );
        await page.keyboard.press('Control+Shift+Period');
        await page.keyboard.press('3');
        await page.getByRole('log', { name: 'Output of asks' }).getByText('read by hand').waitFor();
        await page.keyboard.press('g');
        const wall = page.getByRole('main').getByRole('region', { name: 'Running', exact: true });
        await wall.getByRole('link', { name: /asks/ }).first().waitFor();
      }
      await page.goto(`${origin}/#/s/${pipes.id}`);
      await page.getByRole('log', { name: 'Output of pipes' }).getByText('on pipes').waitFor();
      for (const hash of ['#/', `#/s/${session.id}`, `#/s/${session.id}/text`, `#/s/${session.id}/time`, '#/start']) {
        await page.goto(`${origin}/${hash}`);
        await page.locator('.main h1, .main h2').first().waitFor();
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(serious.map(({ id, nodes }) => [hash, id, nodes[0]?.html])).toEqual([]);
      }
      expect(open.complaints).toEqual([]);
    }
  },
);
