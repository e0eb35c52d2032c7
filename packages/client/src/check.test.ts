import { expect, test } from 'vitest';
import { FakeKeeper } from '../test/fake-keeper.ts';
import { Client } from './index.ts';

test.each<[what: string, argument: string, call: (client: Client) => Promise<unknown>]>([
  [
    'a relative folder, where there is none to see it from',
    'cwd',
    (client) => client.run({ command: ['x'], cwd: 'scratch' }),
  ],
  ['half a millisecond', 'timeoutMs', (client) => client.run({ command: ['x'], timeoutMs: 0.5 })],
  ['a timeout without end', 'timeout', (client) => client.runShell('x', { timeout: Infinity })],
  ['a timeout that is no number', 'timeout', (client) => client.runShell('x', { timeout: NaN })],
  ['a timeout of nothing', 'timeout', (client) => client.runShell('x', { timeout: 0, pty: true })],
  ['nothing to wait for', 'until', (client) => client.waitUntil('s', [])],
  ['an offset below 0', 'after', (client) => client.waitUntil('s', 'idle', { after: -1 })],
  ['a wait that is no number', 'timeoutMs', (client) => client.wait('s', { timeoutMs: NaN })],
  ['bytes below 0', 'bytes', (client) => client.tail('s', { bytes: -5 })],
  ['half a line', 'lines', (client) => client.tail('s', { lines: 1.5 })],
])('%s is refused by the name of the argument, and nothing is asked', async (_what, argument, call) => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'text');
  const client = new Client(keeper);
  await expect(call(client)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', details: { argument } });
  expect(keeper.ops()).toEqual([]);
  client.close();
});

test('what nobody can wait for is refused with what one can', async () => {
  const client = new Client(new FakeKeeper());
  await expect(client.waitUntil('s', 'dawn' as 'idle')).rejects.toMatchObject({
    code: 'WAIT_UNKNOWN',
    details: { until: 'dawn' },
  });
  client.close();
});
