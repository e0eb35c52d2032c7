/** Gives the pid of an ended session to an unrelated process, which leads its own session with children. */
import { readdirSync } from 'node:fs';
import { isAlive, startWithPid, statusField, TestDaemon, until } from '@spool/testkit';

export default async function reusedPid(input: { how: 'ended' | 'stopped' | 'lost' }): Promise<object> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const command = input.how === 'ended' ? ['true'] : ['sleep', '1000'];
  const session = await client.run({ command, size: { cols: 80, rows: 24 }, env });
  const { pid } = session.info;
  if (input.how === 'ended') await client.wait(session.id);
  if (input.how === 'stopped') {
    await client.stop(session.id);
    await client.shutdown({});
  }
  if (input.how === 'lost') {
    daemon.killWhole(await client.status());
  }
  client.close();
  await until('the pid is free', () => !readdirSync('/proc').includes(String(pid)));
  startWithPid(pid, ['setsid', 'sh', '-c', 'sleep 2000 & exec sleep 1000']);
  await until('the stranger and its child are there', () => strangers(pid).length === 2);
  const again = await daemon.client();
  const { state } = await again.stop(session.id, { graceMs: 300 }); // also waits for the end that the daemon resumed
  return { state, strangers: strangers(pid).length };
}

function strangers(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => isAlive(each) && (each === pid || statusField(each, 'PPid') === String(pid)));
}
