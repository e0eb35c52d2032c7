/** Agents without a terminal on the page: what they say, what they ask, and prompts. */
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { TestDaemon, until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE } from '@spool/testkit/browser';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };

async function start(daemon: TestDaemon, name: string, prompt: string): Promise<string> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', program];
  const { id } = await daemon.json<{ id: string }>('run', ...flags, '--', prompt);
  return id;
}

testNeeding(NO_BROWSER)(
  '[PAGE-15] an agent without a terminal opens to what it said, and takes prompts: each arrives once',
  async () => {
    await using daemon = new TestDaemon();
    const id = await start(daemon, 'ann', 'show');
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('show is done').waitFor(WITHIN);
    expect(await log.textContent()).toContain('> show');
    expect(await log.locator('.look-added', { hasText: 'return a + b' }).count()).toBe(1);
    expect(await log.locator('.look-heading', { hasText: 'What I found' }).count()).toBe(1);
    expect(await log.getByText('ok 7 - a test').count()).toBe(0);
    await page.getByLabel('Show everything').check();
    await log.getByText('ok 7 - a test').waitFor(WITHIN);

    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.fill('say one');
    await box.press('Shift+Enter');
    await box.pressSequentially('two');
    await box.press('Enter');
    await log.getByText('─').nth(1).waitFor(WITHIN);
    const { keeper } = await (await daemon.client()).status();
    process.kill(keeper.pid, 'SIGKILL');
    await box.fill('say after the kill');
    await box.press('Enter');
    await until(
      'it was said',
      async () => (await log.textContent())!.split('after the kill').length === 3, // the prompt and the answer
      60_000,
    );
    const received = readFileSync(`${daemon.home}/ann.ndjson`, 'utf8');
    expect(received.split('say one\\ntwo')).toHaveLength(2);
    expect(received.split('say after the kill')).toHaveLength(2);

    await box.fill('hang');
    await box.press('Enter');
    await page.getByRole('button', { name: 'Interrupt' }).click(WITHIN);
    await log.getByText('interrupted').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-15] permissions are answered by buttons, in the view and on the front page; hostile texts are only text',
  async () => {
    const { AxeBuilder } = await import('@axe-core/playwright');
    await using daemon = new TestDaemon();
    const id = await start(daemon, 'bob', 'ask 2');
    await using desk = await openPage(daemon, DESK);
    const card = desk.page.getByRole('article', { name: 'bob waits for you' });
    await card.getByText('echo 0').waitFor(WITHIN);
    await card.getByRole('button', { name: 'Allow' }).first().click(WITHIN);
    await card.getByText('echo 1').waitFor(WITHIN);

    await using phone = await openPage(daemon, PHONE);
    await phone.page.goto(`${phone.origin}/#/s/${id}`);
    await phone.page.getByText('Allow Bash?').waitFor(WITHIN);
    const { violations } = await new AxeBuilder({ page: phone.page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await phone.page.getByRole('button', { name: 'Deny' }).first().click(WITHIN);
    const log = phone.page.getByRole('log');
    await log.getByText('ask is done').waitFor(WITHIN);
    expect(await log.textContent()).toMatch(/echo 0 +allowed by [\s\S]*echo 1 +denied by /);
    await card.waitFor({ state: 'detached', ...WITHIN });

    await phone.page.getByRole('textbox', { name: 'Prompt for bob' }).fill('hostile');
    await phone.page.getByRole('button', { name: 'Send' }).click();
    await log.getByText('gnp.exe').waitFor(WITHIN);
    expect(await log.textContent()).toContain('<script>alert(1)</script>');
    expect(await log.locator('a[href^="javascript"], script, b').count()).toBe(0);
    expect([...desk.complaints, ...phone.complaints]).toEqual([]);
  },
);
