/**
 * Tests the actions on the page: who answered, starting again, sharing, a summary, and consequences that are shown before an
 * action.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { seen, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN = { timeout: 60_000 };
const ASK = 'read -r -p "Overwrite a.txt? [y/n] " key; echo "got $key"; exec sleep 1000';

testNeeding(NO_BROWSER)('[PAGE-32] a question that leaves says who answered it, and how long ago', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client({ who: 'ann' });
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => client.run({ command: ['bash', '-c', ASK], name })),
  );
  for (const { id } of [one!, two!]) await client.waitUntil(id, 'blocked');
  await using open = await openPage(daemon);
  const { page } = open;
  await page.getByRole('heading', { name: '2 sessions wait for you' }).waitFor(WITHIN);
  await client.keys(one!.id, ['y', 'Enter']);
  await page.getByText(/^answered by ann \d+s ago$/).waitFor(WITHIN);
  await page
    .getByRole('article', { name: 'two waits for you' })
    .getByRole('button', { name: 'no', exact: true })
    .click(WITHIN);
  await page.getByText(/^answered by you \d+s ago$/).waitFor(WITHIN);
  await seen(client, two!.id, 'got n');
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor(WITHIN);
});

testNeeding(NO_BROWSER)(
  '[PAGE-36] a session is renamed, pinned and archived by a key, and renamed elsewhere',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({ command: ['bash', '-c', 'exec sleep 1000'], name: 'first' });
    await client.run({ command: ['bash', '-c', 'exec sleep 1000'], name: 'other' });
    await using open = await openPage(daemon);
    const { page } = open;
    const tile = (name: string) => page.getByRole('main').getByRole('link', { name: new RegExp(`^${name} `) });
    await tile('first').waitFor(WITHIN);
    await client.update(id, { name: 'elsewhere' });
    await tile('elsewhere').waitFor(WITHIN);
    await tile('elsewhere').focus();
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'New name' }).fill('here');
    await page.keyboard.press('Enter');
    await tile('here').waitFor(WITHIN);
    expect((await client.get(id)).name).toBe('here');
    await tile('here').focus();
    await page.keyboard.press('p');
    await page
      .getByRole('region', { name: 'Pinned' })
      .getByRole('link', { name: /^here / })
      .waitFor(WITHIN);
    await tile('here').focus();
    await page.keyboard.press('e');
    await tile('here').waitFor({ state: 'detached', ...WITHIN });
    await page.getByRole('button', { name: 'Archive 1' }).click(WITHIN);
    await tile('here').waitFor(WITHIN);
    expect(await tile('other').count()).toBe(0);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-33] a session starts with a completed folder, and again from a template and from the recent ones',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const folder = join(daemon.home, 'shop', 'front');
    mkdirSync(folder, { recursive: true });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/start`);
    await page.getByLabel('Command').fill('pwd; echo "PORT is $PORT"; exec sleep 1000');
    const field = page.getByRole('combobox', { name: 'Folder' });
    await field.pressSequentially(`${daemon.home}/sh`);
    await page.getByRole('option', { name: `${daemon.home}/shop` }).waitFor(WITHIN);
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: folder }).waitFor(WITHIN);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe(`${folder}/`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('front');
    await page.getByText('Environment and size').click();
    await page.getByLabel(/^Environment, one/).fill('PORT=3000');
    await page.getByLabel('Columns').fill('90');
    await page.getByRole('button', { name: 'Save as template' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.xterm').waitFor(WITHIN);
    const [first] = await client.list({ states: ['running'] });
    expect([first!.name, first!.size?.cols]).toEqual(['front', 90]);
    await seen(client, first!.id, 'PORT is 3000');
    expect((await client.screen(first!.id)).content).toContain(folder.slice(-20));

    await page.goto(`${origin}/#/start`);
    await page.reload();
    await page.getByRole('region', { name: 'Recent' }).waitFor(WITHIN); // the page has the sessions
    await page
      .getByRole('region', { name: 'Templates' })
      .getByRole('button', { name: /^front/ })
      .click(WITHIN);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await until('it runs twice', async () => (await client.list({ states: ['running'] })).length === 2, 60_000);
    const second = (await client.list({ states: ['running'] })).find(({ id }) => id !== first!.id)!;
    expect(second.name).toBe('front-2');
    await until('it is open', () => page.url().endsWith(second.id), 60_000);
    await seen(client, second.id, 'PORT is 3000');
    await page.goto(`${origin}/#/start`);
    await page.getByRole('region', { name: 'Recent' }).getByRole('button', { name: /^pwd;/ }).first().click(WITHIN);
    expect(await page.getByLabel('Command').inputValue()).toContain('pwd; echo');
    await page.getByRole('button', { name: 'Remove the template front' }).click();
    await page.getByText('A command that you start often').waitFor(WITHIN);
    // A failed start shows its reason, and the form does not change.
    await page.getByRole('combobox', { name: 'Folder' }).fill('/nowhere/at/all');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('alert').waitFor(WITHIN);
    expect(await page.getByLabel('Command').inputValue()).toContain('pwd; echo');
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-34, PAGE-52, PAGE-53] what ends a session names its consequences first; a link is shared with a QR code; a summary says how it went',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = `printf '  VITE v7.1.2  ready in 312 ms\\n\\n  ➜  Local:   http://localhost:5173/\\n'; trap 'exit 3' TERM; while :; do sleep 0.1; done`;
    const { id } = await client.run({ command: ['bash', '-c', script], name: 'server', isTask: true });
    await until('it is known', async () => (await client.get(id)).milestone?.url !== undefined, 60_000);
    await using open = await openPage(daemon, DESK);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const address = page.getByRole('link', { name: 'localhost:5173' }).last();
    await address.waitFor(WITHIN);
    expect(await address.getAttribute('href')).toBe('http://localhost:5173/');

    const menu = page.getByLabel('What can be done with server');
    await menu.click();
    await page.getByRole('button', { name: 'Share…' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByRole('img', { name: 'The link as a QR code' }).waitFor(WITHIN);
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    expect(link).toMatch(/#code=spool_/);
    await page.keyboard.press('Escape');
    await using context = await page.context().browser()!.newContext();
    const guest = await context.newPage();
    await guest.goto(link);
    await guest
      .getByRole('link', { name: /server/ })
      .first()
      .waitFor(WITHIN);

    await menu.click();
    await page.getByRole('button', { name: 'Stop…' }).click();
    const asked = page.getByRole('alertdialog', { name: 'Stop: server' });
    await asked
      .getByText('Asks server to end (SIGTERM), and kills what is left of it after 5 seconds.')
      .waitFor(WITHIN);
    const isSafe = await asked.getByRole('button', { name: 'Cancel' }).evaluate((safe) => safe.matches(':focus'));
    expect(isSafe).toBe(true);
    await page.keyboard.press('Enter');
    await asked.waitFor({ state: 'detached', ...WITHIN });
    expect((await client.get(id)).state).toBe('running');
    await menu.click();
    await page.getByRole('button', { name: 'Stop…' }).click();
    await asked.getByRole('button', { name: 'Stop' }).click();
    await until('it has ended', async () => (await client.get(id)).state !== 'running', 60_000);

    await page.goto(`${origin}/#/s/${id}/summary`);
    const summary = page.locator('.summary-view');
    await summary.getByText(/exit code 3/).waitFor(WITHIN);
    await summary.getByText('dev server ready at http://localhost:5173/').first().waitFor(WITHIN);
    await page.getByLabel('Last lines').getByText('VITE v7.1.2').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);
