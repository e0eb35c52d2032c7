/** Tests the box for a prompt and the log above it in a browser: completion, images, the queue, new cards, and a copy of all. */
// oxlint-disable typescript/no-explicit-any -- what runs in the page has the types of a browser
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const CLAUDE = fileURLToPath(new URL('../packages/testkit/programs/scripted-claude.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };
/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function start(daemon: TestDaemon, name: string, prompt: string, ...more: string[]): Promise<string> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson commands=review,compact`;
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', program, ...more];
  return (await daemon.json<{ id: string }>('run', ...flags, '--', prompt)).id;
}

const received = (daemon: TestDaemon, name: string): readonly any[] =>
  readFileSync(`${daemon.home}/${name}.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Starts a program in a terminal that has Claude's side channel. */
async function startInTerminal(daemon: TestDaemon, client: Client, name: string): Promise<string> {
  writeFileSync(`${daemon.home}/claude`, `#!/bin/sh\nexec ${execPath} ${CLAUDE} "$@"\n`);
  chmodSync(`${daemon.home}/claude`, 0o755);
  const env = { PATH: process.env['PATH']!, HOME: daemon.home };
  const { id } = await client.run({ command: [`${daemon.home}/claude`], name, size: { cols: 80, rows: 24 }, env });
  await seen(client, id, 'ready');
  return id;
}

/** Gives an element a picture as a paste or a drop would. */
async function give(page: Page, field: string, event: 'paste' | 'drop'): Promise<void> {
  await page.evaluate(
    ([selector, type, base64]) => {
      const { document, DataTransfer, File, ClipboardEvent, DragEvent, atob } = globalThis as any;
      const bytes = Uint8Array.from(atob(base64), (letter: string) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true };
      const made =
        type === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data });
      document.querySelector(selector).dispatchEvent(made);
    },
    [field, event, PIXEL] as const,
  );
}

testNeeding(NO_BROWSER)(
  '[CARD-9, CARD-11] a prompt completes commands and files and takes images by paste and drop; new cards are counted, and the conversation is copied as Markdown',
  async () => {
    await using daemon = new TestDaemon();
    const cwd = `${daemon.home}/project`;
    mkdirSync(`${cwd}/src`, { recursive: true });
    writeFileSync(`${cwd}/src/cart.ts`, '');
    const id = await start(daemon, 'ann', 'say hello', '--cwd', cwd);
    const client = await daemon.client();
    await client.waitUntil(id, 'idle');
    const agent = await client.openAgent(id);
    await using open = await openPage(daemon, DESK);
    const { page, origin } = open;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${origin}/#/s/${id}`);
    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.pressSequentially('/rev');
    await page.getByRole('option', { name: 'review' }).waitFor(WITHIN);
    await box.press('Tab');
    expect((await box.inputValue()).trim()).toBe('/review');
    await box.fill('');
    await box.pressSequentially('say look at @sr');
    await page.getByRole('option', { name: 'src/' }).waitFor(WITHIN);
    await box.press('Tab');
    await page.getByRole('option', { name: 'src/cart.ts' }).waitFor(WITHIN);
    await box.press('Enter');
    expect((await box.inputValue()).trim()).toBe('say look at @src/cart.ts');
    await give(page, '.prompt-box textarea', 'paste');
    await page.getByRole('img', { name: 'Image 1', exact: true }).waitFor(WITHIN);
    await give(page, '.prompt-box textarea', 'drop');
    await page.getByRole('img', { name: 'Image 2', exact: true }).waitFor(WITHIN);
    await page.getByRole('button', { name: 'Remove image 2' }).click(WITHIN);
    await box.press('Enter');
    await until('it has the text and one image', () =>
      received(daemon, 'ann').some(
        ({ message }) => message?.content.filter(({ type }: any) => type === 'image').length === 1,
      ),
    );
    const log = page.getByRole('log');
    await log.getByText('look at @src/cart.ts').last().waitFor(WITHIN);

    // Cards that come while the user reads above are counted.
    for (let turn = 0; turn < 12; turn++) await agent.prompt(`say part-${turn} ${'line '.repeat(100)}`);
    await until('all were said', async () => (await client.get(id)).status.said?.includes('part-11') === true);
    await log.getByText('part-11').last().waitFor(WITHIN);
    await log.evaluate((element: any) => (element.scrollTop = 0));
    await page.getByRole('button', { name: /↓$/ }).waitFor(WITHIN);
    await agent.prompt('say one more thing');
    await page.getByRole('button', { name: /^\d+ new ↓$/ }).click(WITHIN);
    await until('the end is in view', () =>
      log.evaluate((element: any) => element.scrollTop + element.clientHeight >= element.scrollHeight - 100),
    );
    await page.getByRole('button', { name: 'Copy as Markdown' }).click(WITHIN);
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('> say one more thing\n\none more thing');
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-7, CARD-10] beside the terminal, the request of an agent is below its cards, once, and is answered there',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const id = await startInTerminal(daemon, client, 'ann');
    await client.write(id, 'ask works\n');
    await until('it waits', async () => (await client.get(id)).status.requests !== undefined);
    await using open = await openPage(daemon, DESK);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const whole = page.getByRole('group', { name: 'The whole request' });
    await whole.getByText('echo works').waitFor(WITHIN);
    expect(await whole.count()).toBe(1);
    expect(await page.locator('.agent-foot').getByRole('group', { name: 'The whole request' }).count()).toBe(1);
    const allow = page.getByRole('button', { name: /^Allow/ }).first();
    await until('it can be pressed', () => allow.isEnabled());
    // Keys belong to the terminal while it has the focus.
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.press('Control+Shift+Period');
    await page.keyboard.press('y');
    await seen(client, id, 'allow: works');
    await page.getByRole('log', { name: 'What ann said and did' }).getByText('allow: works').waitFor(WITHIN);
    await whole.waitFor({ state: 'detached', ...WITHIN });
    expect(open.complaints).toEqual([]);
  },
);

const allowed = (daemon: TestDaemon, name: string, id: string): any =>
  received(daemon, name).find(({ response }) => response?.request_id === id)?.response.response;

testNeeding(NO_BROWSER)(
  '[PAGE-71, CARD-7, CARD-9, CARD-12, CARD-42] by keys alone: three requests are answered, one with a reason; a prompt with an image is sent, the queue edited, and the moment of a card shown in the terminal',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const names = ['ann', 'bob', 'cid'] as const;
    const tools = { ann: 'Bash', bob: 'Write', cid: 'WebFetch' } as const;
    const ids: string[] = [];
    for (const name of names) {
      const ask = { ask: { id: 'r', tool: tools[name], input: { command: `echo ${name}` } } };
      ids.push(await start(daemon, name, `steps ${JSON.stringify([ask])}`));
      await client.waitUntil(ids.at(-1)!, 'blocked');
    }
    const dan = await startInTerminal(daemon, client, 'dan');
    for (const turn of ['turn one', 'turn two']) {
      const events = client.watchEvents(dan, { from: (await client.get(dan)).driver!.offset });
      await client.write(dan, `${turn}\n`);
      for await (const item of events) if (item.type === 'event' && item.event.kind === 'turn.ended') break;
    }
    await using open = await openPage(daemon, { viewport: { width: 1440, height: 900 } });
    const { page } = open;
    const { keyboard } = page;
    await page.getByRole('heading', { name: '3 sessions wait for you' }).waitFor(WITHIN);
    const focused = (): Promise<string | null> =>
      page.evaluate(() => {
        const { document } = globalThis as any;
        return document.activeElement?.closest('article')?.getAttribute('aria-label') ?? null;
      });
    for (const round of [0, 1, 2]) {
      let label: string | null = null;
      await until('a card has the focus', async () => {
        label = await focused();
        if (label === null) await keyboard.press('j');
        return label !== null;
      });
      const card = page.getByRole('article', { name: label! });
      const name = label!.split(' ')[0]!;
      await until('it can be pressed', () =>
        card
          .getByRole('button', { name: /^Allow/ })
          .first()
          .isEnabled(),
      );
      const field = page.getByRole('textbox', { name: 'Reason for the denial' });
      // A key that comes right after the focus has moved by itself does nothing.
      await until('the key has its effect', async () => {
        if ((await focused()) === label && (await field.count()) === 0) await keyboard.press(round === 1 ? 'r' : 'y');
        return round === 1 ? (await field.count()) === 1 : allowed(daemon, name, 'r') !== undefined;
      });
      if (round === 1) {
        await until('the reason has the focus', () => field.evaluate((it: any) => it.matches(':focus')));
        await keyboard.type('not now');
        await keyboard.press('Enter');
      }
      await until('it was answered', () => allowed(daemon, name, 'r')?.behavior === (round === 1 ? 'deny' : 'allow'));
      if (round === 1) expect(allowed(daemon, name, 'r').message).toContain('not now');
      await card.waitFor({ state: 'detached', ...WITHIN });
    }

    // The agent is found and opened.
    await keyboard.press('Control+k');
    await keyboard.type('ann');
    await keyboard.press('Enter');
    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.waitFor(WITHIN);
    const reach = async (what: string, isThere: () => Promise<boolean>): Promise<void> => {
      for (let presses = 0; presses < 60 && !(await isThere()); presses++) await keyboard.press('Tab');
      expect(await isThere(), what).toBe(true);
    };
    await reach('the prompt', () => box.evaluate((it: any) => it.matches(':focus')));
    await keyboard.type('hang');
    await give(page, '.prompt-box textarea', 'paste');
    await page.getByRole('img', { name: 'Image 1', exact: true }).waitFor(WITHIN);
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Interrupt' }).waitFor(WITHIN);
    await keyboard.type('say later');
    await keyboard.press('Enter');
    const queue = page.getByRole('list', { name: 'Queued prompts' });
    await queue.getByText('say later').waitFor(WITHIN);
    await keyboard.press('Shift+Tab');
    const edit = queue.getByRole('button', { name: 'Edit' });
    for (let presses = 0; presses < 10 && !(await edit.evaluate((it: any) => it.matches(':focus'))); presses++)
      await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await queue.getByRole('textbox', { name: 'Edit the queued prompt' }).waitFor(WITHIN);
    await keyboard.press('End');
    await keyboard.type(', and well');
    await keyboard.press('Enter');
    await queue.getByText('say later, and well').waitFor(WITHIN);

    // The moment of a card in the terminal of another agent.
    await keyboard.press('Control+k');
    await keyboard.type('dan');
    await keyboard.press('Enter');
    const log = page.getByRole('log', { name: 'What dan said and did' });
    await log.getByText('said two').waitFor(WITHIN);
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached', ...WITHIN });
    await until('the terminal has the focus', () =>
      page.locator('.xterm-helper-textarea').evaluate((it: any) => it.matches(':focus')),
    );
    await keyboard.press('Control+Shift+Period');
    await keyboard.press('k');
    await until('the cards have the focus', () => log.evaluate((it: any) => it.matches(':focus')));
    const isChosen = (): Promise<boolean> =>
      log.evaluate((it: any) => {
        const focused = it.ownerDocument.activeElement;
        return it !== focused && it.contains(focused) && focused.textContent.includes('said one');
      });
    for (let presses = 0; presses < 20 && !(await isChosen()); presses++) await keyboard.press('k');
    await keyboard.press('Enter');
    const past = page.locator('.time-view');
    await until('the past is shown', async () => {
      const rows = (await past.locator('.xterm-rows > div').allTextContents()).join('\n');
      return rows.includes('said one') && !rows.includes('said two');
    });
    await page.getByText('Showing the past').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);
