/**
 * Makes the pictures of the page in `docs/pictures` again: `npm run screenshots`. Real sessions of a real daemon, in
 * Debian's Chromium; nothing is drawn by hand.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, openPage, PHONE } from '@spool/testkit/browser';

const OUT = resolve(import.meta.dirname, '..', 'docs', 'pictures');
const SIZE = { cols: 110, rows: 32 };
/** The page draws a miniature a quarter of a second after it has changed. */
const SETTLE_MS = 3_000;

const BUILD = `i=0; while :; do i=$((i+1)); printf '\\e[32m✓\\e[0m src/part-%03d.ts \\e[2m%d ms\\e[0m\\n' $i $((RANDOM % 90)); sleep 0.4; done`;
const MENU = `printf '\\e[1mApply the migration to production?\\e[0m\\n\\n'; read -r -p "Continue with 20 tables? [y/n] " x`;

mkdirSync(OUT, { recursive: true });
await using daemon = new TestDaemon();
const client = await daemon.client();
const run = (name: string, command: readonly string[]): Promise<{ readonly id: string }> =>
  client.run({ command, name, size: SIZE, cwd: resolve(import.meta.dirname, '..') });
await run('build', ['bash', '-c', BUILD]);
const editor = await run('editor', ['vim', '-R', '-c', 'set number', 'ARCHITECTURE.md']);
await run('tests', ['bash', '-c', 'ls -l --color=always packages packages/vt/src; exec sleep 1000']);
await run('migrate', ['bash', '-c', MENU]);
await run('lint', ['bash', '-c', 'echo all clean']);
await client.waitUntil('migrate', 'blocked', { timeoutMs: 30_000 });

const shots = [
  { name: 'sessions-dark', path: '#/', context: { ...DESK, colorScheme: 'dark' } },
  { name: 'terminal-light', path: `#/s/${editor.id}`, context: { ...DESK, colorScheme: 'light' } },
  { name: 'phone-dark', path: '#/', context: { ...PHONE, colorScheme: 'dark' } },
] as const;
for (const { name, path, context } of shots) {
  await using open = await openPage(daemon, context);
  await open.page
    .getByRole('link', { name: /editor/ })
    .first()
    .waitFor();
  await open.page.goto(`${open.origin}/${path}`);
  const settledAt = Date.now() + SETTLE_MS;
  await until('the page has settled', () => Date.now() > settledAt);
  await open.page.screenshot({ path: join(OUT, `${name}.png`) });
}
await closeBrowser();
