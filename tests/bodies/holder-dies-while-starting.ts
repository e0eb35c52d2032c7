/** Kills a holder with a `run` pending, among processes whose session id reads 0, like pid 1 of a container and its children. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAlive, TestDaemon, until } from '@spool/testkit';

export default async function holderDiesWhileStarting(input: { size: object | null }): Promise<object> {
  const bystander = Number(
    spawnSync('sh', ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' }).stdout,
  );
  const ran = `${mkdtempSync(`${tmpdir()}/spool-ran-`)}/ran`;
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const { id: other } = await client.run({ command: ['sleep', '1000'], size: null, env });
  const { holder } = await client.status();
  process.kill(holder.pid, 'SIGSTOP');
  const pending = client.run({
    command: ['sh', '-c', `echo ran >> ${ran}; exec sleep 1000`],
    size: input.size as never,
    env,
  });
  await client.list(); // by now the keeper has the request, and the holder its message
  process.kill(holder.pid, 'SIGKILL');
  const session = await pending;
  await until('the command has begun', () => read(ran) !== '');
  const { holder: next } = await client.status();
  return {
    bystander: isAlive(bystander),
    init: isAlive(1),
    ran: read(ran).trim(),
    state: (await client.get(session.id)).state,
    other: (await client.get(other)).state,
    isReplaced: next.pid !== holder.pid,
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
