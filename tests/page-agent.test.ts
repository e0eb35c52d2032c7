/** Tests agents without a terminal on the page: their messages, their requests, and prompts. */
// oxlint-disable typescript/no-explicit-any -- what runs in the page has the types of a browser
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  '[PAGE-15, PAGE-57] an agent without a terminal opens to what it said, and takes prompts: each arrives once',
  async () => {
    await using daemon = new TestDaemon();
    const id = await start(daemon, 'ann', 'show');
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('show is done').waitFor(WITHIN);
    expect(await log.getByRole('article', { name: 'Prompt' }).textContent()).toContain('show');
    expect(await log.getByRole('heading', { name: 'What I found' }).count()).toBe(1);
    expect(await log.getByText('ok 7 - a test').count()).toBe(0);
    await log.getByText('npm test').click(WITHIN);
    await log.getByText('ok 7 - a test').waitFor(WITHIN);
    await log.getByText('/home/user/project/add.js').first().click(WITHIN);
    expect(await log.locator('tr[data-mark="+"]', { hasText: 'return a + b' }).count()).toBe(1);

    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.fill('say one');
    await box.press('Shift+Enter');
    await box.pressSequentially('two');
    await box.press('Enter');
    await log.getByLabel('End of the turn').nth(1).waitFor(WITHIN);
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
    await log.getByText('Interrupted').waitFor(WITHIN);
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
    for (const command of ['echo 0', 'echo 1']) await log.getByText(command).first().click(WITHIN);
    expect(await log.textContent()).toMatch(/echo 0.*Allowed by .*echo 1.*Denied by /s);
    await card.waitFor({ state: 'detached', ...WITHIN });

    await phone.page.getByRole('textbox', { name: 'Prompt for bob' }).fill('hostile');
    await phone.page.getByRole('button', { name: 'Send' }).click();
    await log.getByText('gnp.exe').waitFor(WITHIN);
    expect(await log.textContent()).toContain('<script>alert(1)</script>');
    expect(await log.locator('a[href^="javascript"], script, b').count()).toBe(0);
    expect([...desk.complaints, ...phone.complaints]).toEqual([]);
  },
);

/** Returns the answers that the agent got, by request. */
function answersTo(daemon: TestDaemon, name: string): Record<string, { behavior: string }> {
  const file = `${daemon.home}/${name}.ndjson`;
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const all = lines.map((line) => JSON.parse(line) as { type: string; response?: { request_id: string } });
  const responses = all.filter(({ type }) => type === 'control_response').map(({ response }) => response!);
  return Object.fromEntries(responses.map((one) => [one.request_id, (one as unknown as { response: never }).response]));
}

const ask = (id: string, input: object, tool = 'Bash'): object => ({ ask: { id, tool, input } });

testNeeding(NO_BROWSER)(
  '[PAGE-54, REQ-1, REQ-40] a request is shown whole; what is below its box is counted, and is seen or pressed for twice before it is allowed',
  async () => {
    await using daemon = new TestDaemon();
    const script = Array.from({ length: 121 }, (_, at) => `echo line ${at}`).join('\n');
    const hidden = { description: 'List the files', script, token: 'sk\u200b-1' };
    const steps = ['r1', 'r2'].map((id) => ask(id, hidden, 'mcp__shell__run'));
    const id = await start(daemon, 'ann', `steps ${JSON.stringify(steps)}`);
    for (const [at, device] of [DESK, PHONE].entries()) {
      await using open = await openPage(daemon, device);
      const { page } = open;
      const card = page.getByRole('article', { name: 'ann waits for you' });
      const box = card.getByRole('group', { name: 'The whole request' });
      await box.getByText('echo line 120').waitFor({ state: 'attached', ...WITHIN });
      const text = (await box.locator('.line').allTextContents()).join('\n');
      for (const line of script.split('\n')) expect(text).toContain(line);
      expect(text).toContain('Allow mcp__shell__run?');
      expect(text).toContain(String.raw`sk\u{200b}-1`);
      const rest = card.getByText(/^\d+ more lines below/);
      const below = Number.parseInt((await rest.textContent(WITHIN))!);
      expect(below).toBeGreaterThan(90);
      const allow = card.getByRole('button', { name: /^Allow once/ });
      if (at === 0) {
        // One press does not allow, nor does the second press of a double click.
        await allow.dblclick(WITHIN);
        const armed = card.getByRole('button', { name: `Allow once without having seen ${below} lines` });
        // The button has no effect while an answer is in transit.
        await until('it can be pressed again', () => armed.isEnabled(WITHIN));
        expect(answersTo(daemon, 'ann')).not.toHaveProperty('r1');
      } else {
        await box.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
          element.scrollTop = element.scrollHeight;
        });
        await rest.waitFor({ state: 'hidden', ...WITHIN });
      }
      await until('one more press allows it', async () => {
        if (answersTo(daemon, 'ann')[`r${at + 1}`]?.behavior === 'allow') return true;
        // The answer may take the button away at any moment.
        const isEnabled = await allow.isEnabled({ timeout: 500 }).catch(() => false);
        if (isEnabled) await allow.click({ timeout: 1000 }).catch(() => {});
        return false;
      });
      expect(answersTo(daemon, 'ann')).not.toHaveProperty(`r${at + 2}`);
      expect(open.complaints).toEqual([]);
    }
    await (await daemon.client()).waitUntil(id, 'idle');
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-55] a press never counts for a request that has just come under the finger',
  async () => {
    await using daemon = new TestDaemon();
    const gone = `${daemon.home}/gone`;
    const steps = [
      ask('r1', { command: 'echo harmless' }),
      { when: gone },
      { withdraw: 'r1' },
      ask('r2', { command: 'rm -rf ~/everything' }),
    ];
    await start(daemon, 'ann', `steps ${JSON.stringify(steps)}`);
    await using open = await openPage(daemon);
    const { page } = open;
    const card = page.getByRole('article', { name: 'ann waits for you' });
    await card.getByText('echo harmless').waitFor(WITHIN);
    const allow = card.getByRole('button', { name: 'Allow once' });
    await until('it can be pressed', () => allow.isEnabled());
    // A press right after the other request is painted, before a user could read it.
    await page.evaluate(() => {
      const { document, MutationObserver } = globalThis as unknown as { document: any; MutationObserver: any };
      const { requestAnimationFrame, performance } = globalThis as unknown as {
        requestAnimationFrame(then: () => void): void;
        performance: { now(): number };
      };
      let since: number | undefined;
      const press = (): void => {
        for (const button of document.querySelectorAll('.agent-ask button'))
          if (button.textContent.startsWith('Allow')) button.click();
        // Presses for less time than a request ignores presses, by the same clock.
        if (performance.now() - since! < 200) requestAnimationFrame(press);
        else document.body.dataset.pressed = 'yes';
      };
      new MutationObserver(() => {
        if (since !== undefined || !document.body.textContent.includes('everything')) return;
        since = performance.now();
        press();
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    writeFileSync(gone, '');
    await card.getByText('everything').first().waitFor(WITHIN);
    await page.locator('body[data-pressed=yes]').waitFor(WITHIN);
    // A press that counted would disable the button until the answer arrives.
    await until('it can be pressed', () => allow.isEnabled());
    expect(answersTo(daemon, 'ann')).not.toHaveProperty('r2');
    await card.getByRole('button', { name: 'Deny' }).click();
    await until('it was denied', () => answersTo(daemon, 'ann')['r2']?.behavior === 'deny');
    expect(answersTo(daemon, 'ann')).not.toHaveProperty('r1');
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)('[REQ-6] the card of an agent that waits reads its request, not its log', async () => {
  await using daemon = new TestDaemon();
  const talk = Array.from({ length: 50 }, () => ({ text: 100 }));
  const id = await start(daemon, 'ann', `steps ${JSON.stringify([...talk, ask('r1', { command: 'echo now' })])}`);
  const client = await daemon.client();
  await client.waitUntil(id, 'blocked');
  expect((await client.get(id)).driver!.offset).toBeGreaterThan(4 * 1024 * 1024);
  await using open = await openPage(daemon);
  const card = open.page.getByRole('article', { name: 'ann waits for you' });
  await card.waitFor(WITHIN); // the user is signed in
  let bytes = 0;
  open.page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => (bytes += payload.length));
  });
  await open.page.reload();
  await card.getByText('echo now').waitFor(WITHIN);
  await card.getByRole('button', { name: 'Allow once' }).click(WITHIN);
  await until('it was answered', () => answersTo(daemon, 'ann')['r1']?.behavior === 'allow');
  await card.waitFor({ state: 'detached', ...WITHIN });
  expect(bytes).toBeGreaterThan(100);
  expect(bytes).toBeLessThan(512 * 1024);
});

testNeeding(NO_BROWSER)('[PAGE-75] the tile of an agent shows its last words and its cost', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'say all is well');
  const client = await daemon.client();
  await client.waitUntil(id, 'idle');
  await until('it has said it', async () => (await client.get(id)).status.said !== undefined);
  const { said, usage } = (await client.get(id)).status;
  await using open = await openPage(daemon);
  const tile = open.page.getByRole('main').getByRole('link', { name: /^ann / });
  await tile.getByText(said!, { exact: true }).waitFor(WITHIN);
  await tile
    .getByText(`Claude Code, headless${usage?.costUsd ? ` · $${usage.costUsd.toFixed(2)}` : ''}`)
    .waitFor(WITHIN);
});

testNeeding(NO_BROWSER)('[PAGE-57] a prompt that could not be sent comes back, with the reason', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'say hello');
  await (await daemon.client()).waitUntil(id, 'idle');
  await using guest = await openPage(daemon);
  const shared = await daemon.json<{ url: string }>('share', 'ann', '--role', 'prompter');
  await guest.page.context().clearCookies();
  await guest.page.goto('about:blank');
  await guest.page.goto(shared.url);
  await guest.page.goto(`${guest.origin}/#/s/${id}`);
  const box = guest.page.getByRole('textbox', { name: 'Prompt for ann' });
  await box.fill('/model opus');
  await box.press('Enter');
  await guest.page.getByRole('alert').getByText('role').waitFor(WITHIN);
  expect(await box.inputValue()).toBe('/model opus');
  await box.fill('say once more');
  await box.press('Enter');
  await until('it was taken', () => readFileSync(`${daemon.home}/ann.ndjson`, 'utf8').includes('say once more'));
  expect(await box.inputValue()).toBe('');
});
