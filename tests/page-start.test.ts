/** Tests agents that are started and resumed from the page, and the settings of a browser. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
/** The id that the scripted agent gives its own session. */
const OWN = '00000000-0000-4000-8000-000000000001';
const WITHIN = { timeout: 60_000 };

testNeeding(NO_BROWSER)(
  '[PAGE-42] an agent is started from the form with prompt, folder, model, mode and name, and one that is not installed is named',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      const program = join(folder, 'bin/claude');
      mkdirSync(join(folder, 'bin'));
      writeFileSync(
        program,
        `#!/bin/sh\necho "$@" > ${folder}/flags\npwd > ${folder}/where\nexec ${execPath} ${AGENT} ${folder}/received\n`,
      );
      chmodSync(program, 0o755);
      await using open = await openPage(daemon);
      const { page } = open;
      await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor(WITHIN);
      await page.keyboard.press('a');
      await page.getByRole('heading', { name: 'Start an agent' }).waitFor(WITHIN);
      await page.getByText('Model, mode and environment').click();
      const environment = page.getByLabel('Environment, one NAME=value on each line');
      await environment.fill(`PATH=${folder}/none`);
      const titles = ['Claude Code', 'Codex', 'Gemini CLI', 'Grok', 'OpenCode'];
      expect(await page.getByRole('combobox', { name: 'Agent' }).locator('option').allTextContents()).toEqual([
        ...titles,
        'Another one, by ACP',
      ]);
      for (const title of titles) {
        await page.getByRole('combobox', { name: 'Agent' }).selectOption(title);
        await page.getByRole('button', { name: 'Start', exact: true }).click();
        await page.getByRole('alert').getByText(`${title} is not installed on the machine`).waitFor(WITHIN);
      }
      expect(await (await daemon.client()).list()).toEqual([]);

      await page.getByRole('combobox', { name: 'Agent' }).selectOption('Claude Code');
      await page.getByLabel('Prompt').fill('say two\nlines');
      await page.getByRole('combobox', { name: 'Folder' }).fill(folder);
      await page.getByLabel('Name', { exact: true }).fill('ann');
      await page.getByLabel('Model', { exact: true }).fill('scripted');
      await page.getByLabel('Mode', { exact: true }).fill('plan');
      await environment.fill(`PATH=${folder}/bin:${process.env.PATH}`);
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      const log = page.getByRole('log', { name: 'What ann said and did' });
      await until('it has answered', async () => (await log.textContent())!.split('lines').length === 3, 60_000);
      expect(readFileSync(`${folder}/flags`, 'utf8')).toContain('--model scripted --permission-mode plan');
      expect(readFileSync(`${folder}/where`, 'utf8').trim()).toBe(folder);
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

testNeeding(NO_BROWSER)('[PAGE-42] an agent that has ended goes on from the page, in a new session, once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const first = await client.agent('claude', {
    prompt: 'say hello',
    name: 'mia',
    program: [execPath, AGENT, `${daemon.home}/received`],
    cwd: daemon.home,
    env: { PATH: process.env.PATH! },
  });
  await client.waitUntil(first.id, 'idle');
  await using open = await openPage(daemon, PHONE);
  const { page } = open;
  await page.goto(`${open.origin}/#/s/${first.id}`);
  await page.getByRole('textbox', { name: 'Prompt for mia' }).waitFor(WITHIN);
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  process.kill((await client.get(first.id)).pid, 'SIGKILL');
  await page.getByRole('textbox', { name: 'Prompt to resume mia with' }).fill('recall');
  await page.getByRole('button', { name: 'Resume' }).tap();
  await page.getByRole('log').getByText(OWN).waitFor(WITHIN);
  const sessions = await client.list();
  expect(sessions.map(({ name, state }) => `${name} ${state}`).sort()).toEqual(['mia failed', 'mia running']);
  expect(open.complaints).toEqual([]);
});

testNeeding(NO_BROWSER)(
  '[PAGE-41] settings: theme, type and bell are kept by this browser; its token has a name and a role, and is given back',
  async () => {
    const { AxeBuilder } = await import('@axe-core/playwright');
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({
      command: ['bash', '-c', "read -r; printf '\\a'; exec sleep 1000"],
      name: 'rings',
    });
    await using open = await openPage(daemon, DESK);
    const { page, origin } = open;
    await page.getByRole('link', { name: 'Settings' }).first().click(WITHIN);
    const device = page.getByRole('region', { name: 'This device' });
    await device.getByText('owner: may do everything').waitFor(WITHIN);
    expect(await device.textContent()).toContain('Chrome on Linux');
    await device.getByText((await client.status()).version, { exact: true }).waitFor(WITHIN);
    await page.getByRole('region', { name: 'Notifications' }).getByText('Off: this device is not notified.').waitFor();

    const theme = (): Promise<unknown> =>
      page.evaluate(
        () =>
          (globalThis as unknown as { document: { documentElement: { dataset: object } } }).document.documentElement
            .dataset,
      );
    for (const [choice, chosen] of Object.entries({ Dark: 'dark', Light: 'light' })) {
      await page.getByRole('button', { name: choice, exact: true }).click();
      expect(await theme()).toMatchObject({ theme: chosen });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    }
    await page.getByLabel('Terminal font size').selectOption('20 pixels');
    await page.reload();
    expect(await page.getByLabel('Terminal font size').inputValue()).toBe('20');
    expect(await theme()).toMatchObject({ theme: 'light' });

    await page.goto(`${origin}/#/s/${id}`);
    const pane = page.locator('.xterm-rows');
    await pane.waitFor(WITHIN);
    await until(
      'the type is as chosen',
      async () =>
        (await pane.evaluate(
          (rows) =>
            (globalThis as unknown as { getComputedStyle(of: unknown): { fontSize: string } }).getComputedStyle(rows)
              .fontSize,
        )) === '20px',
      WITHIN.timeout,
    );
    const flash = page.locator('[data-rings]').waitFor({ state: 'attached', ...WITHIN });
    await client.write(id, '\r');
    await flash;

    await page.goto(`${origin}/#/settings`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('spool web').first().waitFor(WITHIN);
    await page.getByRole('link', { name: 'rings' }).waitFor({ state: 'detached', ...WITHIN });
    await page.reload();
    await page.getByText('spool web').first().waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);
