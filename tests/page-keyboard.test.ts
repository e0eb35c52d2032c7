/** Tests the front page with many questions: equal ones are one card, each session is shown once, and keys do everything. */
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };
/** The time in which a card that got the focus by an answer to another one takes no key (`answer-keys.ts`). */
const SETTLED_MS = 600;

/** Starts a program that asks, and waits until it does: the order of the questions is that of the calls. */
async function ask(client: Client, name: string, question: string): Promise<void> {
  const script = `read -r -p "${question} [y/n] " key; echo "got $key"; exec sleep 1000`;
  const { id } = await client.run({ command: ['bash', '-c', script], name });
  await client.waitUntil(id, 'blocked');
}

interface PageDocument {
  readonly document: { readonly activeElement: { readonly ariaLabel: string | null; readonly textContent: string } };
}

/** Returns the label or text of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = (globalThis as unknown as PageDocument).document;
    return activeElement.ariaLabel ?? activeElement.textContent;
  });

const isFocused = (page: Page, name: string): Promise<void> =>
  until(`${name} has the focus`, async () => (await focused(page)) === name, WITHIN.timeout);

testNeeding(NO_BROWSER)(
  '[PAGE-70] [PAGE-71] [PAGE-72] equal questions are one card, every session is shown once, and all is done by keys',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await ask(client, 'deploy', 'Deploy to production?');
    for (const name of ['job 1', 'job 2', 'job 3']) await ask(client, name, 'Continue?');
    await ask(client, 'copy', 'Overwrite a.txt?');
    await client.run({ command: ['sleep', '1000'], name: 'busy' });
    await using open = await openPage(daemon);
    const { page } = open;
    await page.getByRole('heading', { name: '5 sessions wait for you' }).waitFor(WITHIN);
    await page.locator('a.tile').first().waitFor(WITHIN);
    expect(await page.getByRole('article').count()).toBe(3);
    expect(await page.locator('a.tile').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'copy', exact: true }).count()).toBe(1);

    // The filter is for questions too.
    await page.keyboard.press('f');
    await page.keyboard.type('overwrite');
    await page.getByRole('heading', { name: '1 of 5 waiting sessions' }).waitFor(WITHIN);
    expect(await page.getByRole('article').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: '5 sessions wait for you' }).waitFor(WITHIN);

    // The first stop leads past the list; the printed key answers, and the next card has the focus.
    await page.reload();
    await page.getByRole('article').first().waitFor(WITHIN);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await isFocused(page, 'deploy waits for you');
    await page.keyboard.press('y');
    await seen(client, 'deploy', 'got y');
    await isFocused(page, '3 sessions ask: Continue? [y/n]');

    // A group is opened before it is answered; who is not ticked is not answered.
    await page.waitForTimeout(SETTLED_MS);
    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    expect(page.url()).not.toContain('start');
    await page.keyboard.press('Enter');
    await page.getByLabel('Answer job 3').uncheck(WITHIN);
    await page.getByRole('article', { name: /^3 sessions ask/ }).focus();
    await page.keyboard.press('n');
    for (const name of ['job 1', 'job 2']) await seen(client, name, 'got n');
    await isFocused(page, 'job 3 waits for you');
    expect((await client.get('job 3')).status.state).toBe('blocked');

    await page.keyboard.press('j');
    await isFocused(page, 'copy waits for you');
    await page.keyboard.press('Enter');
    const { id } = await client.get('copy');
    await page.waitForURL(`**/#/s/${id}`, WITHIN);
    await until('the terminal has the focus', async () => (await focused(page)) === 'Terminal input', WITHIN.timeout);
    await page.keyboard.press('Control+Shift+Period');
    await page.keyboard.press('w');
    const next = await client.get('job 3');
    await page.waitForURL(`**/#/s/${next.id}`, WITHIN);
    await isFocused(page, 'job 3 waits for you');
    await page.keyboard.press('y');
    await seen(client, 'job 3', 'got y');
    await until('the terminal has the focus', async () => (await focused(page)) === 'Terminal input', WITHIN.timeout);

    // The palette acts on the open session.
    await page.keyboard.press('Control+Shift+Period');
    await page.keyboard.press('/');
    await page.keyboard.type('shw smry');
    await page.getByRole('option', { name: 'Show: Summary job 3' }).waitFor(WITHIN);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/#/s/${next.id}/summary`, WITHIN);
    await page.keyboard.press('/');
    await page.keyboard.type('stop');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'Stop: job 3' }).getByRole('button', { name: 'Stop' }).press('Enter');
    await until('it has ended', async () => (await client.get(next.id)).state !== 'running', WITHIN.timeout);
    expect(open.complaints).toEqual([]);
  },
);

/** Starts an agent that asks for a permission. Returns a reader of the lines that it gets. */
async function startAgent(daemon: TestDaemon, name: string, tool: string): Promise<() => string> {
  const received = `${daemon.home}/${name}.ndjson`;
  const steps = JSON.stringify([{ ask: { id: 'r1', tool, input: { command: `echo ${name}` } } }]);
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', `${execPath} ${AGENT} ${received}`];
  await daemon.json('run', ...flags, '--', `steps ${steps}`);
  await (await daemon.client()).waitUntil(name, 'blocked');
  return () => readFileSync(received, 'utf8');
}

testNeeding(NO_BROWSER)('[PAGE-71] requests of agents are allowed, and denied with a reason, by keys', async () => {
  await using daemon = new TestDaemon();
  const annGot = await startAgent(daemon, 'ann', 'Bash');
  const bobGot = await startAgent(daemon, 'bob', 'Write');
  await using open = await openPage(daemon);
  const { page } = open;
  const isReady = async (name: string): Promise<void> => {
    const card = page.getByRole('article', { name: `${name} waits for you` });
    const button = card.getByRole('button', { name: /^Allow/ }).first();
    await button.waitFor(WITHIN);
    await until('its buttons take a press', () => button.isEnabled(), WITHIN.timeout);
  };
  await isReady('ann');
  await isReady('bob');
  await page.keyboard.press('w');
  await isFocused(page, 'ann waits for you');
  await page.keyboard.press('y');
  await until('ann is allowed', () => annGot().includes('"allow"'), WITHIN.timeout);
  await isFocused(page, 'bob waits for you');
  await page.waitForTimeout(SETTLED_MS);
  await page.keyboard.press('r');
  await isFocused(page, 'Reason for the denial');
  await page.keyboard.type('not in this folder');
  await page.keyboard.press('Enter');
  await until('bob has the reason', () => bobGot().includes('not in this folder'), WITHIN.timeout);
  await isFocused(page, 'Nothing waits for you');
  expect(open.complaints).toEqual([]);
});
