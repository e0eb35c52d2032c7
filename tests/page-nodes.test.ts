/** Tests the page with sessions of three machines: one list, a session of a node as if it were here, and a node that goes and returns. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage, rowsOn } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { TwoMachines } from './support/nodes.ts';

afterAll(closeBrowser);

const WITHIN = { timeout: 60_000 };

testNeeding(NO_BROWSER)(
  '[NODE-43] [NODE-44] [NODE-45] three machines on one page: sessions open and answer, and a node that was away is back',
  async () => {
    await using machines = await TwoMachines.start();
    const { primary, node } = machines;
    await using third = new TestDaemon();
    await TestGateway.start(third);
    const { url, code } = await machines.invite();
    await third.json('node', 'join', url, code, '--name', 'build2');
    const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(`${folder}/noted.txt`, 'a file of the node\n');

    await (await primary.client()).run({ command: ['cat'], name: 'here' });
    const there = await (
      await node.client()
    ).run({ command: ['sh', '-c', 'echo ready; exec cat'], name: 'api', cwd: folder });
    const asking = await (
      await third.client()
    ).run({ command: ['bash', '-c', 'read -p "Overwrite it? [y/N] " a; echo "got $a"; exec cat'], name: 'asks' });

    await using open = await openPage(primary);
    const { page, origin } = open;
    await page.goto(`${origin}/#/`);
    const tile = (name: string) => page.locator('a.tile, article').filter({ hasText: name }).first();
    for (const name of ['here', 'build1/api', 'build2/asks']) await tile(name).waitFor(WITHIN);
    const health = page.getByRole('region', { name: 'Nodes' });
    expect(await health.getByText('online').count()).toBe(2);

    // The question of the third machine is answered here.
    const card = page.locator('article').filter({ hasText: 'Overwrite it?' });
    await card.waitFor(WITHIN);
    await card.getByRole('button', { name: /^y/i }).first().click(WITHIN);
    await until(
      'the answer has arrived',
      async () => (await third.spool(['logs', asking.id])).stdout.includes('got y'),
      WITHIN.timeout,
    );

    // A session of a node opens like any other: its terminal, its files.
    await page.goto(`${origin}/#/s/${encodeURIComponent(`build1/${there.id}`)}`);
    await until('its screen is shown', async () => (await rowsOn(page)).includes('ready'), WITHIN.timeout);
    await page.keyboard.type('typed on the page\n');
    await until(
      'the keys have arrived',
      async () => (await node.spool(['logs', there.id])).stdout.includes('typed on the page'),
      WITHIN.timeout,
    );
    await page.goto(`${origin}/#/s/${encodeURIComponent(`build1/${there.id}`)}/files`);
    await page.getByText('noted.txt').first().waitFor(WITHIN);
    await page.goto(`${origin}/#/s/${encodeURIComponent(`build1/${there.id}`)}/summary`);
    await page.getByText('noted.txt').first().waitFor(WITHIN);

    // A node that leaves is shown with its last sessions, and comes back.
    await page.goto(`${origin}/#/`);
    await tile('build1/api').waitFor(WITHIN);
    await node.spool(['web', 'stop']);
    await health.getByText('away since').waitFor(WITHIN);
    await page.locator('a.tile[data-condition="away"]').filter({ hasText: 'build1/api' }).waitFor(WITHIN);
    expect(await tile('here').count()).toBe(1);
    await TestGateway.start(node);
    await health.getByText('away since').waitFor({ ...WITHIN, state: 'hidden' });
    await page.locator('a.tile:not([data-condition="away"])').filter({ hasText: 'build1/api' }).waitFor(WITHIN);

    // A command starts on the chosen machine.
    await page.goto(`${origin}/#/start`);
    await page.getByLabel('Command').fill('echo started from afar; exec cat');
    await page.getByLabel('Machine').selectOption('build1');
    await page.getByRole('button', { name: 'Start', exact: true }).click(WITHIN);
    await until('it runs there', async () => (await rowsOn(page)).includes('started from afar'), WITHIN.timeout);
    expect((await node.spool(['ls', '-q'])).stdout.trim().split('\n')).toHaveLength(2);
    expect(open.complaints).toEqual([]);
    rmSync(folder, { recursive: true });
  },
  240_000,
);
