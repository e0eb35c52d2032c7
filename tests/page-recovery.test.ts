/** Tests the page while the network is down and when it comes back, in a real browser, with a clock that the test moves. */
import { BrowserNetwork, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, rowsOn, setHidden } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN_MS = 60_000;

/**
 * Stops the clock of the page: from now on only `runFor` moves it. The time at which it stops must still be in the future when
 * the browser gets it, so a slow machine gets a later one.
 */
async function stopClock(page: Page): Promise<void> {
  for (let aheadMs = 100; ; aheadMs *= 2) {
    const at = (await page.evaluate(() => Date.now())) + aheadMs;
    const refusal = await page.clock.pauseAt(at).then(
      () => null,
      (error: Error) => error,
    );
    if (refusal === null) return;
    if (!/past/.test(refusal.message) || aheadMs > 60_000) throw refusal;
  }
}

/** Installs the clock before the page's own code, which starts again once it is signed in. */
async function withClock(page: Page): Promise<void> {
  const session = page.getByRole('link', { name: /echo/ }).first();
  await session.waitFor({ timeout: WITHIN_MS });
  await page.clock.install();
  await page.reload();
  await session.waitFor({ timeout: WITHIN_MS });
}

testNeeding(NO_BROWSER)(
  '[PAGE-21] a picture that may be old says so after 3 seconds, on the wall and in a terminal, and stops when it is new',
  async () => {
    await using daemon = new TestDaemon();
    await using network = await BrowserNetwork.start();
    const client = await daemon.client();
    const session = await client.run({ command: ['cat'], name: 'echo', size: { cols: 80, rows: 12 } });
    await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
    const { page, origin } = open;
    await withClock(page);
    const link = await observeLink(page);
    const mark = page.getByText(/Last update \d+s ago/);
    for (const [round, hash] of ['#/', `#/s/${session.id}`].entries()) {
      await page.goto(`${origin}/${hash}`);
      const text = `before cut ${round}`;
      await client.write(session.id, `${text}\r`);
      if (round === 0) await page.getByRole('link', { name: /echo/ }).first().waitFor();
      else await until('it is shown', async () => (await rowsOn(page)).includes(text), WITHIN_MS);
      await stopClock(page);
      expect(await mark.count()).toBe(0);

      network.cut();
      await page.clock.runFor(1000);
      expect(await mark.count()).toBe(0);
      await page.clock.runFor(4000);
      expect(await mark.count()).toBe(1);
      await client.write(session.id, `while cut ${round}\r`);
      await page.clock.runFor(30_000);
      expect(await mark.textContent()).toMatch(/^Not connected\. Last update 3\ds ago\. Reconnecting…$/);

      network.heal();
      await until(
        'the mark is gone',
        async () => {
          await page.clock.runFor(500);
          return (await mark.count()) === 0;
        },
        WITHIN_MS,
      );
      if (round === 1) expect(await rowsOn(page)).toContain('while cut 1');
      // The picture of a silent session does not count as old.
      for (let seconds = round === 1 ? 6 : 0; seconds > 0; seconds--) {
        const before = link.answers;
        await page.clock.runFor(2100);
        await until('it has asked and was answered', () => link.answers > before, WITHIN_MS);
        expect(await mark.count()).toBe(0);
      }
      await page.clock.resume();
    }
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-9] an open terminal lets go after 15 seconds out of sight, and shows the present when it is seen again',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: ['cat'], name: 'echo', size: { cols: 80, rows: 12 } });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await withClock(page);
    await page.goto(`${origin}/#/s/${session.id}`);
    const viewers = async (): Promise<number> => (await client.get(session.id)).viewers.length;
    await until('it is attached', async () => (await viewers()) === 1, WITHIN_MS);
    await stopClock(page);
    await setHidden(page, true);
    await page.clock.runFor(14_000);
    expect(await viewers()).toBe(1); // a short look at another tab
    await page.clock.runFor(2000);
    await until('it has let go', async () => (await viewers()) === 0, WITHIN_MS);
    await client.write(session.id, 'out of sight\r');
    await setHidden(page, false);
    await until(
      'the present is shown',
      async () => {
        await page.clock.runFor(100);
        return (await rowsOn(page)).includes('out of sight');
      },
      WITHIN_MS,
    );
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-9] what was typed while the link was away is not lost when the tab is hidden: it arrives when the link is back',
  async () => {
    await using daemon = new TestDaemon();
    await using network = await BrowserNetwork.start();
    const client = await daemon.client();
    const session = await client.run({ command: ['cat'], name: 'echo', size: { cols: 80, rows: 12 } });
    await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
    const { page, origin } = open;
    await withClock(page);
    await page.goto(`${origin}/#/s/${session.id}`);
    await until('it is attached', async () => (await client.get(session.id)).viewers.length === 1, WITHIN_MS);
    await page.locator('.xterm-helper-textarea').focus();
    network.cut();
    network.closeAll(); // no key waits in transit
    await page.keyboard.type('typed in the dark');
    await page.keyboard.press('Enter');
    await stopClock(page);
    await setHidden(page, true);
    await page.clock.runFor(20_000);
    network.heal();
    await setHidden(page, false);
    await until(
      'it has arrived, once',
      async () => {
        await page.clock.runFor(500);
        return (await client.tail(session.id, { lines: 5 })).split('typed in the dark').length === 3; // echo, and cat's output
      },
      WITHIN_MS,
    );
  },
);

/** Dispatches an event of the window. */
async function tell(page: Page, type: string): Promise<void> {
  await page.evaluate((name) => {
    const web = globalThis as unknown as { dispatchEvent(event: Event): void };
    web.dispatchEvent(new Event(name));
  }, type);
}

/** Counts the page's checks of the connection, and the messages that arrived. */
async function observeLink(page: Page): Promise<{ readonly questions: number; readonly answers: number }> {
  const cdp = await page.context().newCDPSession(page);
  const link = { questions: 0, answers: 0 };
  cdp.on('Network.webSocketFrameSent', ({ response }) => {
    if (Buffer.from(response.payloadData, 'base64').includes('"op":"unwatch","channel":0')) link.questions++;
  });
  cdp.on('Network.webSocketFrameReceived', () => link.answers++);
  await cdp.send('Network.enable');
  return link;
}

testNeeding(NO_BROWSER)(
  '[PAGE-22] what wakes a page makes it ask for a sign of life at once, and a dead link is replaced',
  async () => {
    await using daemon = new TestDaemon();
    await using network = await BrowserNetwork.start();
    const client = await daemon.client();
    await client.run({ command: ['cat'], name: 'echo' });
    await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
    const { page } = open;
    await withClock(page);
    const link = await observeLink(page);
    await setHidden(page, true);
    await stopClock(page);
    const wakes: Readonly<Record<string, () => Promise<unknown>>> = {
      pageshow: () => tell(page, 'pageshow'),
      online: () => tell(page, 'online'),
      'a jump of the clock': () => page.clock.fastForward(6000),
      visibilitychange: () => setHidden(page, false),
    };
    for (const [what, wake] of Object.entries(wakes)) {
      // The last check is over; a hidden page checks by itself only after 30 s of silence.
      await page.clock.runFor(4500);
      const before = { ...link };
      await wake();
      await until(`it asks after: ${what}`, () => link.questions > before.questions, WITHIN_MS);
      await until('it is answered', () => link.answers > before.answers, WITHIN_MS);
    }

    await page.clock.runFor(4500);
    await setHidden(page, true);
    network.forgetAll();
    const before = network.connections;
    await setHidden(page, false);
    await page.clock.runFor(4500);
    await until('a new connection is made', () => network.connections > before, WITHIN_MS);
  },
);

testNeeding(NO_BROWSER)('[PAGE-22] an attempt to connect that hangs is given up after 5 seconds', async () => {
  await using daemon = new TestDaemon();
  await using network = await BrowserNetwork.start();
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'echo' });
  await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
  const { page } = open;
  await withClock(page);
  await stopClock(page);
  await page.evaluate(() => {
    const web = globalThis as unknown as {
      dials: number;
      WebSocket: new (url: string) => object;
      fetch: (url: URL) => object;
    };
    web.dials = 0;
    // After a failed attempt, the next one begins with the request for another pass.
    web.fetch = new Proxy(web.fetch, {
      apply(target, self, args: [URL]) {
        if (String(args[0]).endsWith('/api/challenge')) web.dials++;
        return Reflect.apply(target, self, args) as object;
      },
    });
    // The link of the page itself: what it follows of other machines has another one.
    web.WebSocket = new Proxy(web.WebSocket, {
      construct(target, args: [string], newTarget) {
        if (!String(args[0]).includes('follow=nodes')) web.dials++;
        return Reflect.construct(target, args, newTarget) as object;
      },
    });
  });
  const dials = (): Promise<number> => page.evaluate(() => (globalThis as unknown as { dials: number }).dials);
  network.cut();
  network.closeAll();
  await until(
    'it dials',
    async () => {
      await page.clock.runFor(100);
      return (await dials()) === 1;
    },
    WITHIN_MS,
  );
  await page.clock.runFor(4000);
  expect(await dials()).toBe(1);
  await page.clock.runFor(2500);
  expect(await dials()).toBe(2);
});
