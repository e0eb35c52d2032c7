/** Tests a network that breaks in five ways, repeatedly: no byte and no key is lost or doubled. */
import { Client } from '@spool/client';
import { gatewayAddress, remoteRuntime } from '@spool/client/remote';
import { FlakyProxy, seen, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const PTY = { cols: 80, rows: 24 };

/**
 * Prints numbered lines, as `VerifiedStream` expects them: a few hundred a second, without end. The shell does not report a
 * killed `sleep`.
 */
const SOURCE =
  'exec 2>/dev/null; i=0; while :; do for k in 1 2 3 4 5 6 7 8; do printf "%015d\\n" $i; i=$((i+1)); done; sleep 0.02; done';

/** Times for an unreliable network, so that the test does not wait 15 s for each silent failure. */
const SILENCE = { askAfterMs: 400, cutAfterMs: 400 };

const ROUNDS = 20;

async function world(daemon: TestDaemon): Promise<{ proxy: FlakyProxy; client: Client; token: string }> {
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('owner');
  const proxy = await new FlakyProxy(gateway.port).start();
  const runtime = { ...remoteRuntime(gatewayAddress(`http://127.0.0.1:${proxy.port}`), token), silence: SILENCE };
  return { proxy, client: new Client(runtime, { reconnectMs: 100_000 }), token };
}

test('[REM-11] 100 cuts of five kinds lose and double no byte', async () => {
  await using daemon = new TestDaemon();
  const control = await daemon.client();
  const { proxy, client } = await world(daemon);
  await using _proxy = proxy;
  await using _client = client;
  const { id } = await control.run({ command: ['sh', '-c', `stty -opost; ${SOURCE}`], size: PTY });
  const stream = new VerifiedStream();
  const gaps: unknown[] = [];
  let reconnects = 0;
  const reading = (async () => {
    for await (const item of client.watch(id, { from: 0 })) {
      if (item.type === 'output') stream.push(item.offset, item.bytes);
      else if (item.type === 'gap') gaps.push(item);
      else if (item.type === 'reconnected') reconnects++;
    }
  })();
  const more = async (): Promise<void> => {
    const before = stream.offset;
    await until('bytes come again', () => stream.offset > before, 100_000);
  };
  const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');
  const cuts: Readonly<Record<string, () => Promise<void> | void>> = {
    'socket closed': () => proxy.closeAll(),
    'silent death': () => proxy.forgetAll(),
    'proxy killed': async () => {
      proxy.kill();
      await proxy.start();
    },
    'gateway killed': async () => kill((await control.doors.status())!.pid),
    'keeper killed': async () => kill((await control.status()).keeper.pid),
  };
  await more();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, cut] of Object.entries(cuts)) {
      const before = reconnects;
      await cut();
      await until(`it is back after: ${kind}`, () => reconnects > before, 100_000);
      await more();
    }
  }
  expect([gaps, reconnects >= 5 * ROUNDS]).toEqual([[], true]);
  await control.kill(id);
  await reading;
}, 600_000);

test('[REM-11] typing with 60 ms delay and cuts keeps every key and every byte', async () => {
  await using daemon = new TestDaemon();
  const control = await daemon.client();
  const { proxy, client } = await world(daemon);
  await using _proxy = proxy;
  await using _client = client;
  proxy.delayMs = 60;
  const { id } = await control.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size: PTY });
  await seen(control, id, 'ready');
  await client.open(); // a host that was never reached is not tried again
  const attachment = client.attach(id, { size: PTY });
  let shown = '';
  const reading = (async () => {
    for await (const item of attachment)
      if (item.type === 'output') shown += Buffer.from(item.bytes).toString('latin1');
  })();
  let typed = '';
  for (let key = 0; key < 120; key++) {
    const text = `${key},`;
    typed += text;
    await attachment.type(Buffer.from(text));
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (key % 12 === 11) proxy.closeAll();
    if (key === 60) proxy.forgetAll();
  }
  await attachment.settled();
  expect(await seen(control, id, typed.slice(-20))).toContain(typed);
  await until('all of it is shown', () => shown.endsWith(typed.slice(-20)), 60_000);
  expect(shown.slice(shown.indexOf('0,1,2,'))).toBe(typed);
  await control.kill(id);
  await reading;
}, 300_000);
