/** Tests a network and a daemon that break repeatedly under an open page. */
import { BrowserNetwork, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';
import { gridOfScreen, gridOnPage } from './support/page-grid.ts';

afterAll(closeBrowser);

/** The time limit, only for tests that hang: under load a keeper takes seconds to come back. */
const WITHIN_MS = 120_000;

/** Prints numbered lines, about fifty a second, until a key comes. The shell does not report killed processes. */
const SOURCE =
  'exec 2>/dev/null; stty -echo; i=0; while ! read -r -t 0.02 -n 1 key; do i=$((i+1)); printf "\\e[3%dmline %d\\e[0m\\n" $((i%8)) $i; done; echo the end; exec sleep 10000';

const ROUNDS = 10;

testNeeding(NO_BROWSER)(
  '[PAGE-23] 100 breaks of five kinds under an open terminal: no reload, and the end is exact',
  async () => {
    await using daemon = new TestDaemon();
    await using network = await BrowserNetwork.start();
    const client = await daemon.client();
    const session = await client.run({ command: ['bash', '-c', SOURCE], name: 'lines', size: { cols: 80, rows: 24 } });
    await using open = await openPage(daemon, { ...DESK, colorScheme: 'dark', proxy: network.proxy });
    const { page, origin } = open;
    await page.getByRole('link', { name: /lines/ }).first().waitFor({ timeout: WITHIN_MS });
    await page.goto(`${origin}/#/s/${session.id}`);
    await page.evaluate(() => ((globalThis as unknown as { isSame: boolean }).isSame = true));
    const lastLine = async (): Promise<number> => {
      const lines = (await rowsOn(page)).map((row) => Number(/^line (\d+)$/.exec(row)?.[1] ?? 0));
      return Math.max(0, ...lines);
    };
    const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');
    const closed = (): void => network.closeAll();
    const away = async (): Promise<void> => {
      network.cut();
      await new Promise((later) => setTimeout(later, 300));
      network.heal();
    };
    const breaks: readonly (readonly [what: string, act: () => Promise<void> | void])[] = [
      ['closed', closed],
      ['away', away],
      ['gateway killed', async () => kill((await client.doors.status())!.pid)],
      ['closed again', closed],
      ['away again', away],
      ['keeper killed', async () => kill((await client.status()).keeper.pid)],
      ['closed a third time', closed],
      ['forgotten', () => network.forgetAll()],
      ['closed while it connects', closed],
      ['away while it connects', away],
    ];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [what, act] of breaks) {
        const before = await lastLine();
        await act();
        // A silent failure is detected after seconds; mostly the next break comes meanwhile.
        if (what === 'forgotten' && round % 4 !== 0) continue;
        await until(`lines come again after: ${what}`, async () => (await lastLine()) > before, WITHIN_MS);
      }
    }
    await client.write(session.id, 'x');
    await until('the end is shown', async () => (await rowsOn(page)).includes('the end'), WITHIN_MS);
    const expected = gridOfScreen((await client.screen(session.id, { format: 'json' })).content);
    await until('it is exact', async () => (await gridOnPage(page)).join('\n') === expected.join('\n'), WITHIN_MS);
    await until('no mark is left', async () => (await page.getByText(/Last update/).count()) === 0, WITHIN_MS);
    expect(await page.evaluate(() => (globalThis as unknown as { isSame?: boolean }).isSame)).toBe(true);
    expect(open.complaints).toEqual([]);
  },
  600_000,
);
