/**
 * Tests the page on a touch screen: notifications with answers, scrolling, selecting, swiping, and a keyboard that covers a part
 * of it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { seen, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage, PHONE, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { PushSubscriber } from './support/push-subscriber.ts';
import { Receiver } from './support/receiver.ts';

afterAll(closeBrowser);

const WITHIN_MS = 60_000;
const ASK =
  'for n in 1 2 3; do read -r -p "Deploy $n? [y/N] " key; echo "got $n <$key>"; done; echo all; exec sleep 1000';

/** The parts of a service worker that the tests use. */
interface WorkerScope {
  readonly registration: {
    readonly active: { readonly state: string } | null;
    getNotifications(): Promise<
      readonly { title: string; body: string; actions: { action: string; title: string }[] }[]
    >;
  };
  readonly NotificationEvent: new (type: string, init: object) => object;
  dispatchEvent(event: object): void;
}

const AGAIN_MS = 10_000;
const TIMES_MAX = 6;

testNeeding(NO_BROWSER)(
  '[PAGE-30] a push is answered in two taps: the notification, and one of its actions; a late answer says so',
  async () => {
    using server = await Receiver.start();
    await using daemon = new TestDaemon();
    mkdirSync(`${daemon.home}/config`, { recursive: true });
    const notify = { pushServices: [server.origin], on: ['blocked'] };
    writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ notify }));
    const client = await daemon.client();
    await using open = await openPage(daemon, { ...PHONE, permissions: ['notifications'] });
    const { page, origin } = open;
    await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor();
    // No push service is reachable here: the page registers its worker, and the test makes the subscription.
    await page.getByRole('button', { name: 'Notify this device' }).tap();
    await until('the worker runs', () => page.context().serviceWorkers().length > 0, WITHIN_MS);
    const worker = page.context().serviceWorkers()[0]!;
    // A push for one that is not active yet is lost.
    await until('it is active', async () => await worker.evaluate(isActive), WITHIN_MS);
    const gateway = await TestGateway.start(daemon);
    const { token } = await gateway.token('owner');
    const subscriber = new PushSubscriber(server.origin, 'phone');
    expect((await gateway.ask('/api/push', { token, body: subscriber.subscription })).status).toBe(200);

    const { id } = await client.run({ command: ['bash', '-c', ASK], name: 'deploy' });
    const push = await pushes(page, origin);
    const deliver = async (count: number): Promise<void> => {
      // A question that is reported twice comes twice: by what it asks, not by its number.
      const messages = (): string[] => server.received.map(({ body }) => JSON.stringify(subscriber.read(body)));
      const message = (): string | undefined => messages().find((text) => text.includes(`Deploy ${count}?`));
      await until(`message ${count} was sent`, () => message() !== undefined, WITHIN_MS);
      const isShown = async (): Promise<boolean> =>
        (await shown(worker)).some(({ body }) => body.includes(`Deploy ${count}?`));
      // The browser may lose one while it starts its worker again; it replaces the one before.
      for (let time = 1; !(await isShown()); time++) {
        await push(message()!);
        await until('it is shown', isShown, AGAIN_MS).catch((error: unknown) => {
          if (time === TIMES_MAX) throw error;
        });
      }
    };
    await deliver(1);
    expect(await shown(worker)).toMatchObject([
      {
        title: 'deploy needs your input (confirm)',
        actions: [
          { action: '0', title: 'yes' },
          { action: '1', title: 'no' },
        ],
      },
    ]);
    await tapAction(worker, '0');
    await seen(client, id, 'got 1 <y>');
    expect(await shown(worker)).toEqual([]);

    // The second is answered elsewhere: the tap reports that it came too late, and presses no key.
    await deliver(2);
    await client.write(id, 'n\n');
    await seen(client, id, 'got 2 <n>');
    await client.waitUntil(id, 'blocked');
    await tapAction(worker, '0');
    expect((await shown(worker)).map(({ title }) => title)).toContain('Not answered');
    expect((await client.screen(id)).content).not.toContain('got 3');

    // A tap on the notification itself opens the session in the open page.
    await page.bringToFront();
    await tapAction(worker, '', 'Not answered');
    await until('it is opened', () => page.url().endsWith(`#/s/${id}`), WITHIN_MS);
    expect(open.complaints).toEqual([]);
  },
);

/** Returns a function that delivers a message to the worker, like the browser's push service. */
async function pushes(page: Page, origin: string): Promise<(data: string) => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  let registrationId = '';
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations[0]?.registrationId ?? registrationId;
  });
  await cdp.send('ServiceWorker.enable');
  await until('the registration is known', () => registrationId !== '', WITHIN_MS);
  return async (data) => void (await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data }));
}

const isActive = (): boolean => (globalThis as unknown as WorkerScope).registration.active?.state === 'activated';

async function shown(worker: Worker): Promise<{ title: string; body: string; actions: object[] }[]> {
  return await worker.evaluate(async () => {
    const { registration } = globalThis as unknown as WorkerScope;
    return (await registration.getNotifications()).map(({ title, body, actions }) => ({
      title,
      body,
      actions: actions.map((each) => ({ action: each.action, title: each.title })),
    }));
  });
}

/**
 * Dispatches the event that the browser creates for a tap on a notification. A test cannot tap, because the operating system shows
 * notifications. Resolves when the worker has handled the event.
 */
async function tapAction(worker: Worker, action: string, on?: string): Promise<void> {
  await worker.evaluate(
    async ({ chosen, title }) => {
      const scope = globalThis as unknown as WorkerScope;
      const all = await scope.registration.getNotifications();
      const notification = all.find((one) => title === undefined || one.title === title);
      const event = new scope.NotificationEvent('notificationclick', { notification, action: chosen });
      const work: Promise<unknown>[] = [];
      Object.defineProperty(event, 'waitUntil', { value: (promise: Promise<unknown>) => work.push(promise) });
      scope.dispatchEvent(event);
      // A worker may open or focus a page only with a real tap.
      await Promise.allSettled(work);
    },
    { chosen: action, title: on },
  );
}

testNeeding(NO_BROWSER)(
  '[PAGE-31] a finger scrolls through what was printed, text is selected and copied natively, and a swipe leads on',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const size = { cols: 47, rows: 20 };
    const lines = 'for i in $(seq 200); do echo "line $i of many"; done; exec sleep 1000';
    await client.run({ command: ['bash', '-c', 'echo the other; exec sleep 1000'], name: 'other', size });
    const { id } = await client.run({ command: ['bash', '-c', lines], name: 'long', size });
    await using open = await openPage(daemon, { ...PHONE, permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    await until('it is shown', async () => (await rowsOn(page)).includes('line 200 of many'), WITHIN_MS);
    const cdp = await page.context().newCDPSession(page);

    await drag(cdp, { x: 180, y: 260 }, { x: 184, y: 420 });
    await until(
      'earlier lines are seen',
      async () => (await rowsOn(page)).every((row) => !row.includes('200')),
      WITHIN_MS,
    );
    const top = Number(/\d+/.exec((await rowsOn(page))[0]!)?.[0]);
    expect([top > 150, top < 181]).toEqual([true, true]);
    expect((await client.get(id)).size).toEqual(size);

    // Like a long press: the browser's own selection.
    const copied = await page.evaluate(async () => {
      const { document, getSelection, navigator, getComputedStyle } = globalThis as unknown as {
        document: { querySelector(text: string): object; execCommand(name: string): boolean };
        getSelection(): { selectAllChildren(node: object): void };
        getComputedStyle(node: object): { userSelect: string };
        navigator: { clipboard: { readText(): Promise<string> } };
      };
      const row = document.querySelector('.xterm-rows > div:nth-child(2)');
      getSelection().selectAllChildren(row);
      document.execCommand('copy');
      return [getComputedStyle(row).userSelect, (await navigator.clipboard.readText()).trim()];
    });
    expect(copied).toEqual(['text', `line ${top + 1} of many`]);

    await drag(cdp, { x: 300, y: 24 }, { x: 120, y: 28 });
    await until('the next session is open', async () => (await rowsOn(page)).includes('the other'), WITHIN_MS);
    await drag(cdp, { x: 120, y: 24 }, { x: 300, y: 28 });
    await until('and back', () => page.url().endsWith(id), WITHIN_MS);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-31] a finger that is held on a word selects it and offers to copy it; a tap and a moving finger select nothing',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const said = String.raw`echo "see \e[1;31msrc/a\e[mpp.ts:3 there"`;
    const { id } = await client.run({
      command: ['bash', '-c', `${said.replace('echo', 'echo -e')}; exec sleep 1000`],
      name: 'word',
      size: { cols: 47, rows: 20 },
    });
    await using open = await openPage(daemon, { ...PHONE, permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    await until('it is shown', async () => (await rowsOn(page)).includes('see src/app.ts:3 there'), WITHIN_MS);
    const cdp = await page.context().newCDPSession(page);
    /** Returns the present place of a cell: a tap shows the keyboard of a phone, which takes room. */
    const cell = async (column: number): Promise<{ x: number; y: number }> => {
      const { x, y, height } = (await page.locator('.xterm-rows > div').first().boundingBox())!;
      const { width } = (await page.locator('.xterm-rows').boundingBox())!;
      return { x: x + ((column + 0.5) * width) / 47, y: y + height / 2 };
    };
    const chip = page.getByRole('dialog', { name: 'Selected text' });

    const { x, y } = await cell(1);
    await drag(cdp, { x, y }, { x, y: y + 90 });
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [await cell(1)] });
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect(await chip.count()).toBe(0);

    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [await cell(8)] });
    await chip.getByText('src/app.ts:3', { exact: true }).waitFor({ timeout: WITHIN_MS });
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    const selection = (): Promise<string> =>
      page.evaluate(() => String((globalThis as unknown as { getSelection(): object }).getSelection()));
    expect(await selection()).toBe('src/app.ts:3');
    await chip.getByRole('button', { name: 'Copy' }).tap();
    await chip.waitFor({ state: 'detached', timeout: WITHIN_MS });
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    );
    expect(copied).toBe('src/app.ts:3');
    expect(open.complaints).toEqual([]);
  },
);

/** Moves one finger from one point to another. */
async function drag(cdp: CDPSession, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const steps = 8;
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
  for (let step = 1; step <= steps; step++) {
    const share = step / steps;
    const point = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

testNeeding(NO_BROWSER)(
  '[PAGE-12] a keyboard that covers the page without resizing it does not hide the prompt, nor does a turn of the phone',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = 'for i in $(seq 38); do echo $i; done; printf "prompt> "; exec cat';
    const { id } = await client.run({ command: ['bash', '-c', script], name: 'keys', size: { cols: 47, rows: 49 } });
    await using open = await openPage(daemon, PHONE);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    await until('it is shown', async () => (await rowsOn(page)).some((row) => row.startsWith('prompt>')), WITHIN_MS);
    // Like Safari on a phone: the layout does not change, only the visual viewport is smaller.
    await coverBy(page, 340);
    await until('the prompt is above the keyboard', () => isAbove(page, 844 - 340), WITHIN_MS);
    await page.setViewportSize({ width: 844, height: 390 });
    await coverBy(page, 180);
    await until('also after a turn', () => isAbove(page, 390 - 180), WITHIN_MS);
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('typed');
    await seen(client, id, 'prompt> typed');
  },
);

async function coverBy(page: Page, px: number): Promise<void> {
  await page.evaluate((covered) => {
    const { visualViewport, innerHeight, Event } = globalThis as unknown as {
      visualViewport: { dispatchEvent(event: object): void };
      innerHeight: number;
      Event: new (type: string) => object;
    };
    Object.defineProperty(visualViewport, 'height', { value: innerHeight - covered, configurable: true });
    visualViewport.dispatchEvent(new Event('resize'));
  }, px);
}

/** Returns whether the row with the prompt, and the keys of the page, end above this line. */
async function isAbove(page: Page, line: number): Promise<boolean> {
  const row = await page.locator('.xterm-rows > div', { hasText: 'prompt>' }).boundingBox();
  const keys = await page.getByRole('toolbar', { name: 'Keys' }).boundingBox();
  return (
    row !== null && keys !== null && row.y >= 0 && row.y + row.height <= keys.y + 1 && keys.y + keys.height <= line
  );
}
