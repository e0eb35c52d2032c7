/**
 * Makes the pictures of the page in `docs/pictures` again: `npm run screenshots`. They show real sessions of a real daemon, in
 * Debian's Chromium; no part is drawn by hand.
 *
 * `npm run screenshots -- FOLDER` writes every view, at three sizes and in both themes, into that folder instead, for a review.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { program, seen, TestDaemon, until } from '@spool/testkit';
import { AGENTS, AgentHome, isInstalled } from '@spool/testkit/agents';
import { closeBrowser, openPage, passGate, PHONE } from '@spool/testkit/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { setStage } from './screenshot-stage.ts';

const SIZES = {
  desk: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  phone: PHONE,
} as const satisfies Record<string, BrowserContextOptions>;
const THEMES = ['dark', 'light'] as const;
/** The time before a picture: the page draws a miniature a quarter of a second after a change; agents are laid out once more. */
const SETTLE_MS = 2_500;

interface View {
  readonly hash: string;
  /** The actions of a user before the picture. */
  readonly act?: (page: Page) => Promise<void>;
}

await using daemon = new TestDaemon();
const { ids } = await setStage(daemon);
const session = (name: string, view = ''): string => `#/s/${ids.get(name)}${view}`;
const fromMenu =
  (...labels: readonly string[]) =>
  async (page: Page): Promise<void> => {
    await page.getByLabel(/^What can be done with/).click();
    for (const label of labels) await page.getByRole('button', { name: label }).click();
  };

const VIEWS: Readonly<Record<string, View>> = {
  sessions: { hash: '#/' },
  wall: {
    hash: '#/',
    act: (page) =>
      page
        .getByRole('main')
        .getByRole('region', { name: 'Running' })
        .evaluate((wall) => wall.scrollIntoView()),
  },
  terminal: { hash: session('editor') },
  question: { hash: session('codex') },
  time: { hash: session('claude', '/time') },
  text: { hash: session('unit tests', '/text') },
  files: { hash: session('editor', '/files') },
  file: { hash: session('editor', `/files/${encodeURIComponent('src/cart.ts')}/5`) },
  'changes-by-link': { hash: session('editor', '/changes') },
  changes: { hash: session('editor', '/changes'), act: passGate },
  summary: { hash: session('type check', '/summary'), act: passGate },
  agent: { hash: session('reviewer') },
  permission: { hash: session('migrator') },
  start: { hash: '#/start' },
  'start-agent': { hash: '#/start/agent' },
  settings: { hash: '#/settings' },
  palette: { hash: '#/', act: (page) => page.keyboard.press('Control+k') },
  help: { hash: '#/', act: (page) => page.keyboard.press('?') },
  share: { hash: session('editor'), act: fromMenu('Share…', 'Make a link') },
  stop: { hash: session('editor'), act: fromMenu('Stop…') },
};

/** The pictures of README and of the manual. */
const DOCUMENTED = [
  ['sessions', 'desk', 'dark'],
  ['agent', 'desk', 'light'],
  ['sessions', 'phone', 'dark'],
] as const;

const folder = process.argv[2];
const out = folder === undefined ? resolve(import.meta.dirname, '..', 'docs', 'pictures') : resolve(folder);
mkdirSync(out, { recursive: true });
const all = Object.keys(SIZES).flatMap((size) =>
  THEMES.flatMap((theme) => Object.keys(VIEWS).map((view) => [view, size as keyof typeof SIZES, theme] as const)),
);
for (const [name, size, theme] of folder === undefined ? DOCUMENTED : all) {
  await using open = await openPage(daemon, { ...SIZES[size], colorScheme: theme });
  const { page, origin } = open;
  await page.getByRole('heading', { name: /wait for you/ }).waitFor();
  const { hash, act } = VIEWS[name]!;
  await page.goto(`${origin}/${hash}`);
  await page.waitForTimeout(SETTLE_MS);
  if (act !== undefined) {
    await act(page);
    await page.waitForTimeout(SETTLE_MS);
  }
  await page.screenshot({ path: join(out, `${name}-${size}-${theme}.png`) });
  if (open.complaints.length > 0) throw new Error(open.complaints.join('\n'));
}
if (folder === undefined) await pictureOfBoth();
await closeBrowser();

/** Makes the picture of one run in two views: the real Claude Code in its terminal, beside a scripted model, and its cards. */
async function pictureOfBoth(): Promise<void> {
  const claude = AGENTS.find(({ name }) => name === 'claude')!;
  if (!isInstalled(claude)) throw new Error('The picture of both views needs Claude: node scripts/agents.mjs claude');
  await using daemon = new TestDaemon();
  using home = new AgentHome(claude);
  const client = await daemon.client();
  const command = [home.launcher(claude, program('offline'), '"$@"'), '--permission-mode', 'manual'];
  const env = { PATH: process.env['PATH']!, ...home.env };
  const { id } = await client.run({ command, name: 'claude', cwd: home.project, env, size: { cols: 90, rows: 34 } });
  await seen(client, id, 'manual mode on');
  for (const prompt of ['please think', 'please run seq 3', 'please write cart.js']) {
    await client.prompt(id, prompt);
    await client.waitUntil(id, ['idle', 'blocked'], { timeoutMs: 60_000 });
  }
  await until('it waits', async () => (await client.get(id)).status.requests !== undefined);
  await using open = await openPage(daemon, { ...SIZES.desk, colorScheme: 'dark' });
  await open.page.goto(`${open.origin}/#/s/${id}`);
  await open.page.waitForTimeout(2 * SETTLE_MS);
  await open.page.screenshot({ path: join(out, 'both-desk-dark.png') });
}
