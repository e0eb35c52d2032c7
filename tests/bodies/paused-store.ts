/** The daemon is stopped while its fd store is paused, started again, and the store goes on. */
import { TestDaemon, until } from '@spool/testkit';

const env = { PATH: process.env.PATH! };

export interface PausedStore {
  /** The exit code of `daemon stop`, and what the next `run` printed. */
  readonly stopped: number | null;
  readonly printed: string;
  /** After the store went on: the holder is still that of the second daemon, and there is one store. */
  readonly isSame: boolean;
  readonly stores: number;
}

export default async function ({ isForeign }: { isForeign: boolean }): Promise<PausedStore> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['cat'], env });
  if (isForeign) {
    // The next holder is started by the keeper: the store is not its child.
    const { holder } = await client.status();
    process.kill(holder.pid, 'SIGKILL');
    await until('there is another holder', async () => (await client.status()).holder.pid !== holder.pid);
  }
  const [store] = daemon.stores();
  process.kill(store!, 'SIGSTOP');
  const { code: stopped } = await daemon.spool(['daemon', 'stop', '--force']);
  const { stdout: printed } = await daemon.spool(['run', '--', 'echo', 'again']);
  const second = await daemon.client();
  const { holder } = await second.status();
  try {
    process.kill(store!, 'SIGCONT');
  } catch {
    // ESRCH: it was killed with its daemon
  }
  await until('the old store is gone', () => !daemon.stores().includes(store!));
  return {
    stopped,
    printed,
    isSame: (await second.status()).holder.pid === holder.pid,
    stores: daemon.stores().length,
  };
}
