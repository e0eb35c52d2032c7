/** Stops the daemon while its fd store is paused, starts it again, and continues the store. */
import { TestDaemon, until } from '@spool/testkit';

const env = { PATH: process.env.PATH! };

export interface PausedStore {
  /** The exit code of `daemon stop`, and the output of the next `run`. */
  readonly stopped: number | null;
  readonly printed: string;
  /** Whether, after the store continued, the holder is still that of the second daemon, and there is one store. */
  readonly isSame: boolean;
  readonly stores: number;
}

export default async function ({ isForeign }: { isForeign: boolean }): Promise<PausedStore> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['cat'], env });
  if (isForeign) {
    // The keeper starts the next holder: the store is not its child.
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
