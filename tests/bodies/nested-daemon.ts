/** Starts a daemon with its own home inside a session, then stops that session. */
import { readFileSync } from 'node:fs';
import { isAlive, seen, SPOOL, TestDaemon } from '@spool/testkit';

export default async function nestedDaemon(): Promise<object> {
  await using outer = new TestDaemon();
  await using inner = new TestDaemon();
  const client = await outer.client();
  // `run` without --detach: a process of the session is the daemon's parent, for as long as it runs.
  const script = `SPOOL_HOME=${inner.home} ${SPOOL} run --name nested -- sh -c 'env -i sleep 1000 & echo nested-is-up; exec sleep 1000'`;
  const session = await client.run({
    command: ['sh', '-c', `${script}; true`],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH!, HOME: inner.home },
  });
  await seen(client, session.id, 'nested-is-up');
  const within = await inner.client();
  const { holder, keeper } = await within.status();
  const groups = [holder.pid, keeper.pid].map((pid) => /^0::(.*)$/m.exec(read(`/proc/${pid}/cgroup`))?.[1] ?? '');
  const { state } = await client.stop(session.id, { graceMs: 2000 });
  await client.stop(session.id, { graceMs: 0 }); // once more, by force
  return {
    outer: state,
    daemon: [holder.pid, keeper.pid].map(isAlive),
    isInGroup: groups.map((group) => group.includes(session.id)),
    inner: (await within.get('nested')).state,
    orphans: inner.processes().length >= 3,
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
