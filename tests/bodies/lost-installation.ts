/** Moves, deletes or breaks the installation that a daemon was started from; then each of its processes dies. */
import { TestDaemon, until } from '@spool/testkit';
import { Installation } from '../support/installation.ts';

export type InstallationLoss = 'moved' | 'deleted' | 'broken';

export interface AfterLoss {
  /** The exit codes of verbs after each death, and the session's output in the end. */
  readonly codes: readonly (number | null)[];
  readonly printed: string;
  readonly isSameChild: boolean;
}

export default async function ({ loss }: { loss: InstallationLoss }): Promise<AfterLoss> {
  await using daemon = new TestDaemon();
  using first = new Installation();
  using other = new Installation();
  const codes: (number | null)[] = [];
  codes.push(
    (await first.spool(daemon, 'run', '-d', '-n', 'kept', '--', 'sh', '-c', 'while read l; do echo got $l; done')).code,
  );
  const client = await daemon.client();
  const { pid } = await client.get('kept');
  lose(first, loss);
  const verbs = loss === 'moved' ? first : other;
  let count = 0;
  const use = async (): Promise<void> => {
    const line = `line-${++count}`;
    codes.push((await verbs.spool(daemon, 'send', '--enter', 'kept', line)).code);
    codes.push((await verbs.spool(daemon, 'wait', 'kept', '-u', `match:/got ${line}/`, '--timeout', '20s')).code);
  };
  const before = await client.status();
  process.kill(before.keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== before.keeper.pid);
  await use();
  process.kill(before.holder.pid, 'SIGKILL');
  await until('there is another holder', async () => (await client.status()).holder.pid !== before.holder.pid);
  await use();
  const second = await client.status();
  for (const { pid: each } of [second.holder, second.keeper]) process.kill(each, 'SIGSTOP');
  for (const { pid: each } of [second.holder, second.keeper]) process.kill(each, 'SIGKILL'); // the fd store has all fds
  await until('both are replaced', async () => (await client.status()).keeper.pid !== second.keeper.pid);
  await use();
  return {
    codes,
    printed: (await verbs.spool(daemon, 'logs', 'kept')).stdout,
    isSameChild: (await client.get('kept')).pid === pid,
  };
}

function lose(installation: Installation, loss: InstallationLoss): void {
  if (loss === 'moved') installation.move();
  else if (loss === 'deleted') installation.delete();
  else {
    for (const name of ['keeper.mjs', 'holder.mjs', 'screens.mjs'])
      installation.edit(name, () => 'this is no program(');
    installation.delete('bin/node');
  }
}
