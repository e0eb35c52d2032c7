/** Tests recordings of agents and other programs through real sessions: the page draws the daemon's screen, cell by cell. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Session } from '@spool/client';
import { BrowserNetwork, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { gridOfScreen, gridOnPage } from './support/page-grid.ts';
import { recorded, recordedNames } from './support/recordings.ts';

afterAll(closeBrowser);

/** The time limit, only for tests that hang: the browser runs beside busy processes. */
const WITHIN_MS = 120_000;
const RECORDINGS = fileURLToPath(new URL('./fixtures/terminal/', import.meta.url));
const CUT_MS = 10_000;

/** Recordings in groups: each has one kind of break at one size, and another kind at the other. */
const GROUPS: readonly (readonly string[])[] = [
  ['claude/tui-full-kitty', 'codex/tui-session-full', 'local/vim'],
  ['claude/tui-write-edit', 'gemini/tui-full-xterm', 'opencode/tui-session'],
  ['claude/tui-markdown-unicode', 'grok/tui-session', 'local/tmux'],
  ['claude/tui-long-output', 'grok/tui-session-minimal-silent', 'codex/tui-session-inline'],
];
/** The size of the recordings, and one for which they were not made. */
const SIZES = [
  { cols: 100, rows: 30 },
  { cols: 61, rows: 43 },
];
/** The places where the program stops, as parts of the recording: anywhere, also within a character or a sequence. */
const HALF = 0.5;
const LATE = 0.9;

interface PageFixture {
  readonly name: string;
  readonly page: Page;
  readonly session: Session;
  readonly bytes: number;
  release(): void;
}

/** Prints a part of the recording, and the next one when it is released. */
async function play(
  client: Client,
  folder: string,
  name: string,
  size: (typeof SIZES)[number],
): Promise<Omit<PageFixture, 'page'>> {
  const file = `${RECORDINGS}${name}.pty`;
  const bytes = statSync(file).size;
  const [half, late] = [Math.floor(bytes * HALF), Math.floor(bytes * LATE)];
  const gate = join(folder, name.replaceAll('/', '-'));
  execFileSync('mkfifo', [gate]);
  const script = `stty raw -echo; head -c ${half} ${file}; read -r go < ${gate}; head -c ${late} ${file} | tail -c +${half + 1}; exec sleep 10000`;
  const session = await client.run({ command: ['bash', '-c', script], name, size });
  return { name, session, bytes, release: () => writeFileSync(gate, 'go\n') };
}

async function isAt(
  client: Client,
  { session, bytes }: Pick<PageFixture, 'session' | 'bytes'>,
  share: number,
): Promise<void> {
  const offset = Math.floor(bytes * share);
  await until(
    'the program has printed this part',
    async () => (await client.get(session.id)).offset === offset,
    WITHIN_MS,
  );
}

/** Waits for the page, which is a moment behind; remaining differences are shown row by row. */
async function expectSame(
  client: Client,
  { name, page, session, bytes }: Omit<PageFixture, 'release'>,
  share: number,
): Promise<string> {
  const at = { offset: Math.floor(bytes * share) };
  const expected = gridOfScreen((await client.screen(session.id, { at, format: 'json' })).content);
  let shown: string[] = [];
  await until(
    `${name} is on the page`,
    async () => {
      shown = await gridOnPage(page);
      return shown.join('\n') === expected.join('\n');
    },
    WITHIN_MS,
  ).catch(() => {}); // the check below has a better message
  expect({ name, rows: shown }).toEqual({ name, rows: expected });
  return expected.join('\n');
}

/** A pattern that a screen must contain: a blank one would prove nothing. */
const WORDS = /[a-z]{3}/;

for (const [sizeIndex, size] of SIZES.entries()) {
  testNeeding(NO_BROWSER)(
    `[PAGE-23] recordings at ${size.cols}×${size.rows}: every cell is the daemon's, after a reload, a killed gateway and a network that was away`,
    async () => {
      const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
      try {
        await using daemon = new TestDaemon();
        await using network = await BrowserNetwork.start();
        const client = await daemon.client();
        await using open = await openPage(daemon, { ...DESK, colorScheme: 'dark', proxy: network.proxy });
        await open.page.getByRole('heading', { name: 'Nothing running yet' }).waitFor({ timeout: WITHIN_MS });
        const breaks: Readonly<Record<string, (shown: readonly PageFixture[], release: () => void) => Promise<void>>> =
          {
            none: async (_shown, release) => release(),
            reload: async (shown, release) => {
              release();
              for (const { page } of shown) await page.reload();
            },
            'gateway killed': async (_shown, release) => {
              process.kill((await client.doors.status())!.pid, 'SIGKILL');
              release();
            },
            'network away': async (shown, release) => {
              network.cut();
              release();
              await new Promise((later) => setTimeout(later, CUT_MS));
              for (const { page } of shown) expect(await page.getByText(/Last update \d+s ago/).count()).toBe(1);
              network.heal();
            },
          };
        for (const [at, act] of Object.values(breaks).entries()) {
          const shown: PageFixture[] = [];
          for (const name of GROUPS[(at + sizeIndex) % GROUPS.length]!) {
            const played = await play(client, folder, name, size);
            const page = await open.page.context().newPage();
            await page.goto(`${open.origin}/#/s/${played.session.id}`);
            shown.push({ ...played, page });
          }
          for (const each of shown) {
            await isAt(client, each, HALF);
            expect(await expectSame(client, each, HALF)).toMatch(WORDS);
          }
          await act(shown, () => {
            for (const each of shown) each.release();
          });
          for (const each of shown) {
            await isAt(client, each, LATE);
            expect(await expectSame(client, each, LATE)).toMatch(WORDS);
            await each.page.close();
          }
        }
        expect(open.complaints).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    600_000,
  );
}

/** The places where a program stops in its recording: in the middle at one size, near its end at the other. */
const STOPS = [LATE, HALF];
/** The number of sessions at once, so that the next ones print while one is compared. */
const AT_ONCE = 12;

for (const [sizeIndex, size] of SIZES.entries()) {
  testNeeding(NO_BROWSER)(
    `[PAGE-23] every recording at ${size.cols}×${size.rows}, one after the other on one page: every cell is the daemon's`,
    async () => {
      const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
      try {
        await using daemon = new TestDaemon();
        const client = await daemon.client();
        await using open = await openPage(daemon, { ...DESK, colorScheme: 'dark' });
        const { page } = open;
        const names = recordedNames();
        const blank: string[] = []; // a few have drawn nothing in the middle, or have left before their end
        expect(names.length).toBeGreaterThan(120);
        for (let from = 0; from < names.length; from += AT_ONCE) {
          const playing: Omit<PageFixture, 'release'>[] = [];
          for (const name of names.slice(from, from + AT_ONCE)) {
            const file = join(folder, name.replaceAll('/', '-'));
            const all = recorded(name).bytes;
            const bytes = Math.floor(all.length * STOPS[sizeIndex]!);
            writeFileSync(file, all.subarray(0, bytes));
            const script = `stty raw -echo; cat ${file}; exec sleep 10000`;
            playing.push({
              name,
              page,
              bytes,
              session: await client.run({ command: ['sh', '-c', script], name, size }),
            });
          }
          for (const each of playing) {
            await page.goto(`${open.origin}/#/s/${each.session.id}`);
            await isAt(client, each, 1);
            if (!WORDS.test(await expectSame(client, each, 1))) blank.push(each.name);
            await each.session.remove({ force: true });
          }
        }
        expect(blank.length, blank.join(', ')).toBeLessThan(12);
        expect(open.complaints).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    600_000,
  );
}
