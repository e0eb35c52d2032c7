/** Tests how the page shows sessions that do not run: ended, quiet and unknown ones, and the names of those it starts. */
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN = { timeout: 60_000 };

testNeeding(NO_BROWSER)(
  '[PAGE-63] [PAGE-64] a command that is started on the page has its own name, shows how it ended, and runs again',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/start`);
    await page.getByLabel('Command').fill('printf "the end of it"; exit 3');
    await page.getByRole('button', { name: 'Start', exact: true }).click(WITHIN);
    await page.getByText('Failed: exit code 3').waitFor(WITHIN);
    const [first] = await client.list();
    expect(first).toMatchObject({ name: 'printf', state: 'failed' });
    expect(await page.getByRole('toolbar', { name: 'Keys' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run again' }).click(WITHIN);
    await until('it ran twice', async () => (await client.list()).length === 2, WITHIN.timeout);
    const again = (await client.list()).find(({ id }) => id !== first!.id)!;
    expect(again).toMatchObject({ name: 'printf', command: first!.command, cwd: first!.cwd });
    await page.waitForURL(`**/#/s/${again.id}`, WITHIN);
    await page.getByText('Failed: exit code 3').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-62] [PAGE-65] the past of a quiet session is not empty, and an address without a session says so',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({
      command: ['bash', '-c', 'echo quiet since then; exec sleep 1000'],
      name: 'quiet',
    });
    await until('it has printed', async () => (await client.get(id)).lastOutputAt !== null, WITHIN.timeout);
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}/time`);
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.waitFor(WITHIN);
    const { lastOutputAt } = await client.get(id);
    await moment.evaluate((element, at) => {
      const input = element as unknown as { value: string; dispatchEvent(event: object): void };
      const scope = globalThis as unknown as {
        HTMLInputElement: { prototype: object };
        Event: new (type: string, options: object) => object;
      };
      const setter = Object.getOwnPropertyDescriptor(scope.HTMLInputElement.prototype, 'value')!.set!;
      setter.call(input, String(at));
      input.dispatchEvent(new scope.Event('input', { bubbles: true }));
    }, lastOutputAt!);
    await until('the last bytes', async () => (await rowsOn(page)).includes('quiet since then'), WITHIN.timeout);

    await page.goto(`${origin}/#/s/no-such-session`);
    await page.getByRole('heading', { name: 'No such session' }).waitFor(WITHIN);
    await page.goto(`${origin}/#/s/quiet`);
    await page.waitForURL(`**/#/s/${id}`, WITHIN);
    expect(open.complaints).toEqual([]);
  },
);
