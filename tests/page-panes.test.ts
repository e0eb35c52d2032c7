/** Tests the panes of a session in a browser: two views of one run, and the moment that they share. */
import { chmodSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const CLAUDE = fileURLToPath(new URL('../packages/testkit/programs/scripted-claude.mjs', import.meta.url));
const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };
const SIZE = { cols: 80, rows: 24 };

/** Starts a program in a terminal that has Claude's side channel. */
async function startClaude(daemon: TestDaemon, client: Client, words: readonly string[] = []): Promise<string> {
  writeFileSync(`${daemon.home}/claude`, `#!/bin/sh\nexec ${execPath} ${CLAUDE} "$@"\n`);
  chmodSync(`${daemon.home}/claude`, 0o755);
  const env = { PATH: `${daemon.home}:${process.env['PATH']}`, HOME: daemon.home };
  const { id } = await client.run({ command: [`${daemon.home}/claude`, ...words], name: 'ann', size: SIZE, env });
  await seen(client, id, 'ready');
  return id;
}

/** Types prompts, each after the end of the turn before it is in the events. */
async function takeTurns(client: Client, id: string, ...turns: readonly string[]): Promise<void> {
  for (const turn of turns) {
    const events = client.watchEvents(id, { from: (await client.get(id)).driver!.offset });
    await client.write(id, `${turn}\n`);
    for await (const item of events) if (item.type === 'event' && item.event.kind === 'turn.ended') break;
  }
}

const shownText = async (page: Page): Promise<string> => (await rowsOn(page)).join('\n');

testNeeding(NO_BROWSER)(
  '[CARD-10, CARD-12] terminal and cards are side by side, with a handle; a card shows the terminal at its moment, the line of time shows the card, and both come back',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const id = await startClaude(daemon, client);
    await takeTurns(client, id, 'turn one', 'turn two', 'turn three');
    await using open = await openPage(daemon, { viewport: { width: 1440, height: 900 } });
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    const cards = log.locator('.cards > [data-event-seq]');
    await log.getByText('said three').waitFor(WITHIN);
    await until('the terminal is live', async () => (await shownText(page)).includes('said three'));

    // The handle moves by keys, and stays where it was.
    const handle = page.getByRole('separator', { name: 'Width of the first pane' });
    await handle.focus();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowLeft');
    expect(await handle.getAttribute('aria-valuenow')).toBe('40');
    await page.reload();
    await log.getByText('said three').waitFor(WITHIN);
    expect(await handle.getAttribute('aria-valuenow')).toBe('40');

    // A press on a card: the terminal as it was then.
    await cards.filter({ hasText: 'said two' }).click(WITHIN);
    const past = page.locator('.time-view');
    await past.waitFor(WITHIN);
    await until('the past is shown', async () => {
      const rows = (await past.locator('.xterm-rows > div').allTextContents()).join('\n');
      return rows.includes('said two') && !rows.includes('said three');
    });
    await page.getByText('Showing the past').waitFor(WITHIN);
    expect(await log.locator('[data-moment]').textContent()).toContain('said two');
    expect(await log.locator('[data-later]', { hasText: 'said three' }).count()).toBe(1);

    // The line of time moves both: to the beginning, then to the end.
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus();
    await page.keyboard.press('Home');
    await until('no card has begun', async () => (await log.locator('[data-moment]').count()) === 0);
    expect(await log.locator('.cards > [data-event-seq]:not([data-later])').count()).toBe(0);
    await page.keyboard.press('End');
    await until('the last card is marked', async () => (await log.locator('[data-later]').count()) === 0);

    await page.getByRole('button', { name: 'Back to live' }).click(WITHIN);
    await past.waitFor({ state: 'detached', ...WITHIN });
    expect(await log.locator('[data-moment], [data-later]').count()).toBe(0);
    await takeTurns(client, id, 'turn four');
    await until('the terminal is live', async () => (await shownText(page)).includes('said four'));

    // By keys: the focus moves from card to card, and Enter shows the moment of one.
    await log.focus();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await past.waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-10, CARD-12, CARD-13] below 900 pixels one pane is shown at a time; a card leads to the past, and the wire has its events',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const id = await startClaude(daemon, client);
    await takeTurns(client, id, 'turn one', 'turn two');
    await using open = await openPage(daemon, PHONE);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}/cards`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('said two').waitFor(WITHIN);
    expect(await page.locator('.xterm').count()).toBe(0);
    expect(await page.getByRole('separator').count()).toBe(0);
    await log.locator('.cards > [data-event-seq]', { hasText: 'said one' }).tap();
    await page.getByRole('button', { name: /^Show .* in the terminal$/ }).tap();
    const past = page.locator('.time-view');
    await until('the past is shown', async () => {
      const rows = (await past.locator('.xterm-rows > div').allTextContents()).join('\n');
      return rows.includes('said one') && !rows.includes('said two');
    });
    await page.goto(`${origin}/#/s/${id}/wire`);
    const wire = page.getByRole('log', { name: 'Wire' });
    await wire.getByText('tool.ended').first().waitFor(WITHIN);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-12, CARD-13] an agent without a terminal: a card leads to its line on the wire, a line to its card, and the line of time to both',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const program = `${execPath} ${AGENT} ${daemon.home}/ann.ndjson`;
    const flags = ['--agent', 'claude', '-d', '--name', 'ann', '--program', program];
    const { id } = await daemon.json<{ id: string }>('run', ...flags, '--', 'say first words');
    const agent = await client.openAgent(id);
    await client.waitUntil(id, 'idle');
    await agent.prompt('say second words');
    await until('it was said', async () => (await client.get(id)).status.said === 'second words');
    await using open = await openPage(daemon, DESK);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    const first = log.locator('.message-card', { hasText: 'first words' });
    await first.waitFor(WITHIN);
    // Without the wire, a press on the card does nothing; its time opens the wire.
    await first.click(WITHIN);
    expect(await page.getByText('Showing the past').count()).toBe(0);
    await first.hover(WITHIN);
    await page.getByRole('button', { name: /on the wire$/ }).click(WITHIN);
    const wire = page.getByRole('log', { name: 'Wire' });
    const marked = wire.locator('[data-target]');
    await until('its line is marked', async () => (await marked.textContent(WITHIN))!.includes('first words'));
    // The line opens as a tree, and is where the event says.
    await marked.getByRole('button').first().click(WITHIN);
    await marked.locator('.tree').first().waitFor(WITHIN);
    await wire.locator('.wire-line', { hasText: 'second words' }).first().getByRole('button').first().click(WITHIN);
    await until('its card is marked', async () =>
      (await log.locator('[data-moment]').textContent(WITHIN))!.includes('second words'),
    );
    // The past of an agent: the line of time marks cards and lines.
    await page.goto(`${origin}/#/s/${id}/time`);
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus(WITHIN);
    await page.keyboard.press('Home');
    await until('no card has begun', async () => (await log.locator('[data-later]').count()) > 1);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)('[CARD-14] an agent without a side channel says why it has no cards', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  writeFileSync(`${daemon.home}/claude`, `#!/bin/sh\necho ready; exec sleep 1000\n`);
  chmodSync(`${daemon.home}/claude`, 0o755);
  const command = [`${daemon.home}/claude`];
  const { id } = await client.run({ command, size: SIZE, sideChannel: false });
  await seen(client, id, 'ready');
  await using open = await openPage(daemon);
  await open.page.goto(`${open.origin}/#/s/${id}`);
  await open.page.getByRole('link', { name: 'Cards' }).click(WITHIN);
  await open.page.getByText('Reason: it was started with --no-side-channel.').waitFor(WITHIN);
  expect(open.complaints).toEqual([]);
});
