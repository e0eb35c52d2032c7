/** Kills one process of the daemon, and the other a moment later; returns the state of the sessions. */
import { isAlive, TestDaemon, until } from '@spool/testkit';

const env = { PATH: process.env.PATH! };

/** The time of the second kill: milliseconds after the first, or once the daemon reports that two processes hold all fds. */
export type After = number | 'settled';

export interface Together {
  readonly after: After;
  readonly tries: number;
  /** The number of rounds in which all sessions survived. */
  readonly survived: number;
}

export default async function (input: {
  first: 'keeper' | 'holder';
  after: readonly After[];
  sessions: number;
  tries: number;
}): Promise<Together[]> {
  const results: Together[] = [];
  for (const after of input.after) {
    let survived = 0;
    for (let at = 0; at < input.tries; at++) if (await tryOnce(after)) survived++;
    results.push({ after, tries: input.tries, survived });
  }
  return results;

  async function tryOnce(after: After): Promise<boolean> {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const command = ['sh', '-c', 'while :; do echo hello; sleep 0.1; done'];
    await Promise.all(
      Array.from({ length: input.sessions }, () => client.run({ command, size: { cols: 80, rows: 24 }, env })),
    );
    const { holder, keeper } = await client.status();
    const [first, second] = input.first === 'keeper' ? [keeper.pid, holder.pid] : [holder.pid, keeper.pid];
    process.kill(first, 'SIGKILL');
    if (after === 'settled')
      await until('its successor has everything', async () => (await client.status())[input.first].pid !== first);
    else await new Promise((resolve) => setTimeout(resolve, after));
    process.kill(second, 'SIGKILL');
    await until('both are gone', () => !isAlive(holder.pid) && !isAlive(keeper.pid));
    const states = (await (await daemon.client()).list()).map(({ state }) => state);
    return states.length === input.sessions && states.every((state) => state === 'running');
  }
}
