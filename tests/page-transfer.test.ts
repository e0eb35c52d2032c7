/** Tests how much the front page transfers: its code and ten agents that wait, however long their logs are. */
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { AgentHandle } from '@spool/client';
import { TestDaemon } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN = { timeout: 60_000 };
const TRANSFER_BYTES_MAX = 200_000;
/** Two of each kind, so that each request has its own card. */
const TOOLS = ['Bash', 'Write', 'Edit', 'WebFetch', 'mcp__shell__run'];

testNeeding(NO_BROWSER)('[PAGE-77] the front page with ten agents that wait transfers at most 200 kB', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const talk = JSON.stringify(Array.from({ length: 10 }, () => ({ text: 20 })));
  for (const [at, tool] of [...TOOLS, ...TOOLS].entries()) {
    const name = `agent ${at}`;
    const asked = { ask: { id: 'r1', tool, input: { command: `echo ${at}`, file_path: `/tmp/${at}` } } };
    const flags = ['--agent', 'claude', '-d', '--name', name];
    const program = `${execPath} ${AGENT} ${daemon.home}/${at}.ndjson`;
    const { id } = await daemon.json<{ id: string }>('run', ...flags, '--program', program, '--', `steps ${talk}`);
    await client.waitUntil(id, 'idle');
    await new AgentHandle(client, await client.get(id)).prompt(`steps ${JSON.stringify([asked])}`);
    await client.waitUntil(id, 'blocked');
    expect((await client.get(id)).driver!.offset).toBeGreaterThan(200_000);
  }
  await using open = await openPage(daemon);
  const { page } = open;
  await page.getByRole('heading', { name: '10 sessions wait for you' }).waitFor(WITHIN);

  // The page is loaded again without its cache, and everything that arrives is counted.
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  network.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.opcode === 1 ? response.payloadData.length : (response.payloadData.length * 3) / 4;
  });
  await page.reload();
  for (let at = 0; at < 10; at++)
    await page
      .getByRole('article', { name: `agent ${at} waits for you` })
      .getByRole('button', { name: /^Allow/ })
      .first()
      .waitFor(WITHIN);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(TRANSFER_BYTES_MAX);
  expect(open.complaints).toEqual([]);
});
