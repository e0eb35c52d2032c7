/** Tests the page, in a real browser, against a real daemon and gateway. */
import { BrowserNetwork, TestDaemon, until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE, rowsOn } from '@spool/testkit/browser';

afterAll(closeBrowser);

/** The time limit, only for tests that hang: the browser runs beside busy processes. */
const WITHIN_MS = 60_000;

testNeeding(NO_BROWSER)(
  '[PAGE-1] what the page shows is the session: its screen, its bytes, and what is typed on it',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({
      command: ['bash', '--norc', '-c', 'PS1="ready> " exec bash --norc -i'],
      name: 'shell',
      size: { cols: 90, rows: 20 },
    });
    await using open = await openPage(daemon);
    const { page } = open;
    await page.getByRole('link', { name: /shell/ }).first().click();
    await page.locator('.xterm').waitFor();
    await until('the prompt is on the page', async () => (await rowsOn(page)).includes('ready>'), WITHIN_MS);

    await page.keyboard.type('echo from-the-$((40+2))-page\n');
    await until(
      'what was typed on the page is in the session',
      async () => (await client.screen(session.id)).content.includes('from-the-42-page'),
      WITHIN_MS,
    );
    await client.write(session.id, 'echo from-$((40+3))-elsewhere\r');
    await until(
      'what was typed elsewhere is on the page',
      async () => (await rowsOn(page)).includes('from-43-elsewhere'),
      WITHIN_MS,
    );

    await client.write(session.id, "printf '\\e[2J\\e[5;10H\\e[1;31m日本 wide\\e[0m ✅ e\\u0301 tail\\e[12;1H'\r");
    await until(
      'the drawing is on the page',
      async () => (await rowsOn(page))[4]?.includes('tail') === true,
      WITHIN_MS,
    );
    await until(
      'the rows of the page are those of the session',
      async () => {
        const expected = (await client.screen(session.id)).content.split('\n').map((row) => row.trimEnd());
        const shown = await rowsOn(page);
        return shown.length === 20 && expected.every((row, index) => row === shown[index]);
      },
      WITHIN_MS,
    );
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-2] the launch address works once, leaves the address bar, and nothing is shown without it',
  async () => {
    await using daemon = new TestDaemon();
    await daemon.client();
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor();
    expect(page.url()).toBe(`${origin}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor();

    expect(await page.context().cookies()).toEqual([]);
    await page.evaluate("indexedDB.deleteDatabase('spool')");
    await page.reload();
    await page.getByRole('heading', { name: 'Open this page from your terminal' }).waitFor();
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)('[PAGE-3] a killed keeper and a killed gateway are survived without a reload', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], name: 'echo', size: { cols: 80, rows: 12 } });
  await using open = await openPage(daemon);
  const { page } = open;
  await page.getByRole('link', { name: /echo/ }).first().click();
  await page.locator('.xterm').waitFor();
  await page.evaluate(() => ((globalThis as unknown as { isSame: boolean }).isSame = true));
  for (const part of ['keeper', 'gateway'] as const) {
    const status = (await daemon.json('daemon', 'status')) as unknown as Record<string, { pid: number }>;
    process.kill(status[part]!.pid, 'SIGKILL');
    await client.writeOnce(session.id, part, `after the ${part}\r`);
    await until(
      `what came after the ${part} is shown`,
      async () => (await rowsOn(page)).includes(`after the ${part}`),
      WITHIN_MS,
    );
  }
  const rows = (await rowsOn(page)).filter((row) => row !== '');
  // Each line appears once as its echo, and once from cat.
  expect(rows.slice(0, 4)).toEqual(['after the keeper', 'after the keeper', 'after the gateway', 'after the gateway']);
  expect(await page.evaluate(() => (globalThis as unknown as { isSame?: boolean }).isSame)).toBe(true);
});

testNeeding(NO_BROWSER)('[PAGE-4] looking at a session never resizes it, on a desk or a phone', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['bash', '-c', 'trap "echo resized" WINCH; echo here; while :; do read -r -t 1 x; done'],
    name: 'wide',
    size: { cols: 159, rows: 40 },
  });
  await using desk = await openPage(daemon, DESK);
  await using phone = await openPage(daemon, PHONE);
  for (const { page, origin } of [desk, phone]) {
    await page.goto(`${origin}/#/s/${session.id}`);
    await until('it is shown', async () => (await rowsOn(page)).includes('here'), WITHIN_MS);
    await page.setViewportSize({ width: 500, height: 500 });
  }
  await client.write(session.id, 'x\r');
  const { size } = await client.get(session.id);
  expect(size).toMatchObject({ cols: 159, rows: 40 });
  expect((await client.screen(session.id)).content).not.toContain('resized');
});

testNeeding(NO_BROWSER)('[PAGE-4] two pages of 159×72 and 47×49 cells at once: no resize at the child', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['bash', '-c', 'trap "echo resized" WINCH; echo here; while :; do read -r -t 1 x; done'],
    name: 'both',
    size: { cols: 100, rows: 30 },
  });
  await using desk = await openPage(daemon, DESK);
  await using phone = await openPage(daemon, PHONE);
  for (const { page, origin } of [desk, phone]) {
    await page.goto(`${origin}/#/s/${session.id}`);
    await until('it is shown', async () => (await rowsOn(page)).includes('here'), WITHIN_MS);
  }
  await makeFit(desk.page, { cols: 159, rows: 72 });
  await makeFit(phone.page, { cols: 47, rows: 49 });
  for (const { page } of [desk, phone])
    await until('it is shown', async () => (await rowsOn(page)).includes('here'), WITHIN_MS);
  await client.write(session.id, 'x\r');
  const { size } = await client.get(session.id);
  expect(size).toMatchObject({ cols: 100, rows: 30 });
  for await (const mark of client.marks(session.id)) expect(mark.type).not.toBe('resize');
  expect((await client.screen(session.id)).content).not.toContain('resized');
});

/** Resizes a window so that this many cells fit, as the page itself reports when it takes the size. */
async function makeFit(page: Page, { cols, rows }: { cols: number; rows: number }): Promise<void> {
  await until(
    `${cols}×${rows} cells fit`,
    async () => {
      await page.getByLabel('What can be done with both').click();
      await page.getByRole('button', { name: 'Resize to this window…' }).click();
      const told = await page.getByRole('alertdialog').textContent();
      await page.keyboard.press('Escape');
      const [, nowCols, nowRows] = /to (\d+)×(\d+)/.exec(told!)!;
      const { width, height } = page.viewportSize()!;
      const missing = [cols - Number(nowCols), rows - Number(nowRows)] as const;
      await page.setViewportSize({
        width: width + Math.round(missing[0] * CELL_PX[0]),
        height: height + Math.round(missing[1] * CELL_PX[1]),
      });
      return missing[0] === 0 && missing[1] === 0;
    },
    WITHIN_MS,
  );
}

/** A little more than a cell, so that the size is reached from either side. */
const CELL_PX = [8.5, 16.9] as const;

testNeeding(NO_BROWSER)(
  '[PAGE-5] a question is answered from the front page by one press, with the key that the dialog names',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = 'read -r -p "Overwrite a.txt? [y/n] " key; echo "got $key"; sleep 100';
    const session = await client.run({ command: ['bash', '-c', script], name: 'asks' });
    await client.waitUntil(session.id, 'blocked');
    await using open = await openPage(daemon);
    const card = open.page.getByRole('article', { name: 'asks waits for you' });
    await card.waitFor();
    await until(
      'the question is shown',
      async () => (await card.textContent())?.includes('Overwrite a.txt?') === true,
      WITHIN_MS,
    );
    const answers = card.getByRole('group', { name: 'Answers' }).getByRole('button');
    await answers.first().click();
    await until(
      'the key was pressed',
      async () => (await client.screen(session.id)).content.includes('got y'),
      WITHIN_MS,
    );
    await card.waitFor({ state: 'detached' });
  },
);

testNeeding(NO_BROWSER)('[PAGE-6] any moment of the past is shown as it was', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'for i in 1 2 3; do echo "part $i"; read -r x; done';
  const session = await client.run({ command: ['bash', '-c', script], name: 'past', size: { cols: 60, rows: 10 } });
  const offsets: number[] = [];
  for (const part of [1, 2, 3]) {
    await until(
      `part ${part} is written`,
      async () => (await client.screen(session.id)).content.includes(`part ${part}`),
      WITHIN_MS,
    );
    offsets.push((await client.get(session.id)).offset);
    if (part < 3) await client.write(session.id, '\r');
  }
  await using open = await openPage(daemon);
  // A reload before the answer to the sign-in would use up the code.
  await open.page.getByRole('link', { name: 'past' }).first().waitFor({ timeout: WITHIN_MS });
  for (const [index, offset] of offsets.entries()) {
    await open.page.goto(`${open.origin}/#/s/${session.id}/time/${offset}`);
    if (index === 0) await open.page.reload(); // by its address; the others are links within the page
    const expected = (await client.screen(session.id, { at: { offset } })).content.trimEnd();
    await until(
      'the past is shown',
      async () => (await rowsOn(open.page)).join('\n').trimEnd() === expected,
      WITHIN_MS,
    );
    expect(expected).toContain(`part ${index + 1}`);
    expect(expected).not.toContain(`part ${index + 2}`);
  }
});

testNeeding(NO_BROWSER)(
  '[PAGE-7] the page can be used without a mouse, and has no serious accessibility findings',
  async () => {
    const { AxeBuilder } = await import('@axe-core/playwright');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await client.run({ command: ['sleep', '1000'], name: 'quiet' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await using open = await openPage(daemon, { ...DESK, colorScheme });
      const { page } = open;
      await page.getByRole('link', { name: /quiet/ }).first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      await page.keyboard.press('/');
      await page.keyboard.type('quiet');
      await page.keyboard.press('Enter');
      await page.locator('.xterm').waitFor();
    }
  },
);

testNeeding(NO_BROWSER)('[PAGE-8] hostile names and titles are text, on every page', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const name = '<img src=x onerror="window.pwned=1">\u202e';
  await client.run({
    command: ['bash', '-c', String.raw`printf '\e]2;<script>window.pwned=1</script>\a'; sleep 1000`],
    name,
  });
  await using open = await openPage(daemon);
  await open.page
    .getByRole('link', { name: /onerror/ })
    .first()
    .click();
  await open.page.locator('.xterm').waitFor();
  expect(await open.page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  expect(open.complaints).toEqual([]);
});

testNeeding(NO_BROWSER)('[PAGE-24] a front page on which nothing changes draws nothing', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const name of ['one', 'two']) await client.run({ command: ['sleep', '1000'], name });
  await until(
    'both work',
    async () => (await client.list()).every(({ status }) => status.state === 'working'),
    WITHIN_MS,
  );
  await using open = await openPage(daemon);
  const { page } = open;
  await page.locator('.tile[data-condition=working]').nth(1).waitFor();
  await page.locator('.rail .state-mark[data-condition=working]').nth(1).waitFor();
  const isAnimated = (): Promise<number> =>
    page.evaluate(() => {
      const web = globalThis as unknown as {
        document: { getAnimations(): { effect: { getComputedTiming(): { iterations: number } } }[] };
      };
      const endless = ({ effect }: { effect: { getComputedTiming(): { iterations: number } } }): boolean =>
        effect.getComputedTiming().iterations === Infinity;
      return web.document.getAnimations().filter(endless).length;
    });
  expect(await isAnimated()).toBe(0);
  await page.getByRole('link', { name: /one/ }).first().click();
  await page.locator('.xterm').waitFor();
  expect(await isAnimated()).toBe(1); // so the check can find an animation
});

testNeeding(NO_BROWSER)(
  '[PAGE-16] a revoked browser is signed out at once, and a page that was opened without a gateway comes up by itself',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await client.run({ command: ['cat'], name: 'echo' });
    await using network = await BrowserNetwork.start();
    await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
    const { page } = open;
    await page.getByRole('link', { name: /echo/ }).first().waitFor();
    let isAway = true;
    let tries = 0;
    network.refuses = (first) => isAway && first.startsWith('GET /ws');
    await page.route(
      (url) => url.pathname.startsWith('/api/'),
      (route) => {
        if (!isAway) return route.continue();
        tries++;
        return route.abort();
      },
    );
    await page.reload();
    await until('it has tried twice', () => tries > 1, WITHIN_MS);
    isAway = false;
    await page.getByRole('link', { name: /echo/ }).first().click();
    await page.locator('.xterm').waitFor();

    const tokens = await client.doors.tokens();
    for (const { id, kind } of tokens) if (kind === 'device') await client.doors.revokeToken(id);
    await page.getByRole('heading', { name: 'Open this page from your terminal' }).waitFor({ timeout: WITHIN_MS });
    expect(await page.getByText('echo').count()).toBe(0);
    expect(open.complaints).toEqual([]);
  },
);
