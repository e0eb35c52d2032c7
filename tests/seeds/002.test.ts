/** Seed 002, "headless agents": its statements about transports, clean text and a native page, as a user of that system expects them. */
// oxlint-disable typescript/no-explicit-any -- what runs in the page has the types of a browser
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent } from '@spool/protocol/agent';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect, test } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };

async function start(daemon: TestDaemon, name: string, prompt: string): Promise<string> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', program];
  return (await daemon.json<{ id: string }>('run', ...flags, '--', prompt)).id;
}

test('"two spawn transports": `pty` for any program, `headless` for an agent on pipes', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const pty = await client.run({ command: ['sh', '-c', 'exec sleep 1000'] });
  const headless = await client.get(await start(daemon, 'ann', 'say hello'));
  expect(pty.info.size).not.toBeNull();
  expect(pty.info.driver).toBeUndefined();
  expect(headless.size).toBeNull();
  expect(headless.driver?.name).toBe('claude');
});

test('"NDJSON shape to parse": a text delta is an event, and "no raw JSON visible" in the text', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'count 3');
  const client = await daemon.client();
  const deltas: string[] = [];
  await using events = client.watchEvents(id);
  for await (const item of events) {
    if (item.type !== 'event') continue;
    if (item.event.kind === 'message.delta') deltas.push(item.event.text);
    if (item.event.kind === 'message.done') break;
  }
  expect(deltas.join('')).toBe('0 1 2 ');
  const { stdout } = await daemon.spool(['logs', 'ann']);
  expect(stdout).toContain('0 1 2');
  expect(stdout).not.toMatch(/[{}]|content_block_delta/);
});

test('"Slash commands (/clear, /compact)": "written to piped stdin"', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'say hello');
  const client = await daemon.client();
  await client.waitUntil(id, 'idle', { timeoutMs: WITHIN.timeout });
  await (await client.openAgent(id)).prompt('/compact');
  await until('the agent got it', () => readFileSync(`${daemon.home}/ann.ndjson`, 'utf8').includes('"/compact"'));
});

test('"permission.requested": an agent on pipes asks, and is answered without `--dangerously-skip-permissions`', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'ask 1');
  const client = await daemon.client();
  await client.waitUntil(id, 'blocked', { timeoutMs: WITHIN.timeout });
  const agent = await client.openAgent(id);
  const [request] = await agent.requests();
  expect(request?.kind).toBe('permission.requested' satisfies AgentEvent['kind']);
  expect((await agent.approve(request!)).isOurs).toBe(true);
  await client.waitUntil(id, 'idle', { timeoutMs: WITHIN.timeout });
});

testNeeding(NO_BROWSER)(
  '"No xterm for headless agents": message bubbles, diff cards, native approval dialogs, collapsible tool call cards, an image attach button',
  async () => {
    await using daemon = new TestDaemon();
    const id = await start(daemon, 'ann', 'show');
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('show is done').waitFor(WITHIN);
    expect(await page.locator('.xterm').count()).toBe(0);
    expect(await log.getByRole('article', { name: 'Message' }).count()).toBeGreaterThan(1);
    const tool = log.locator('.tool-card', { hasText: 'npm test' });
    expect(await tool.locator('details').evaluate((details: any) => details.open)).toBe(false);
    await tool.locator('summary').click(WITHIN);
    await tool.getByText('ok 12 - a test').waitFor(WITHIN);
    await log.getByText('/home/user/project/add.js').first().click(WITHIN);
    await log.getByRole('region', { name: /Change of .*add\.js/ }).waitFor(WITHIN);
    expect(await page.getByRole('button', { name: 'Attach image' }).isVisible()).toBe(true);
    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.fill('ask 1');
    await box.press('Enter');
    const allow = page.getByRole('button', { name: /^Allow/ });
    await until('it can be pressed', () => allow.isEnabled(WITHIN));
    await allow.click(WITHIN);
    await log.getByText('ask is done').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);

test('"headless has no view" differs: `attach` and `logs` show a run without a terminal', async () => {
  await using daemon = new TestDaemon();
  const id = await start(daemon, 'ann', 'say hello there');
  await (await daemon.client()).waitUntil(id, 'idle', { timeoutMs: WITHIN.timeout });
  const { stdout } = await daemon.spool(['logs', 'ann']);
  expect(stdout).toContain('> say hello there');
  expect(stdout).toContain('\nhello there\n');
});
