/** Stops both processes of a daemon, continues them a moment apart, and reports which of them were replaced. */
import { seen, TestDaemon } from '@spool/testkit';

export interface Pause {
  readonly afterMs: number;
  readonly forMs: number;
  readonly order: readonly ['holder', 'keeper'] | readonly ['keeper', 'holder'];
  /** The time between continuing the first and the second. */
  readonly apartMs: number;
}

/** The time after which a pending decision about a hung process is made. */
const JUDGED_MS = 2000;

/** Runs each pause with its own daemon, all at once. */
export default async function pauseAll(pauses: readonly Pause[]): Promise<string[]> {
  return (await Promise.all(pauses.map(pauseBoth))).flat();
}

async function pauseBoth(pause: Pause): Promise<string[]> {
  const { afterMs, forMs, order, apartMs } = pause;
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['cat'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  const before = await client.status();
  await sleep(afterMs);
  for (const victim of order) process.kill(before[victim].pid, 'SIGSTOP');
  await sleep(forMs);
  for (const victim of order) {
    signal(before[victim].pid, 'SIGCONT');
    await sleep(apartMs);
  }
  await client.write(session.id, 'after the pause\r');
  await seen(client, session.id, 'after the pause\r\n');
  await sleep(JUDGED_MS);
  const after = await client.status();
  return order
    .filter((victim) => after[victim].pid !== before[victim].pid)
    .map((victim) => `the ${victim} was replaced: ${JSON.stringify(pause)}`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: it was killed, which the pids will show
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
