/** Kills a keeper, or a holder, that stays in the kernel: its successor must not begin before it is gone. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isAlive, program, seen, TestDaemon, until } from '@spool/testkit';

export interface Stuck {
  /** Whether another process had begun the work while the old one still existed. */
  readonly hadSuccessor: boolean;
  readonly wasTold: boolean;
}

const env = { PATH: process.env.PATH! };

export default async function ({ victim }: { victim: 'keeper' | 'holder' }): Promise<Stuck> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: { cols: 80, rows: 24 }, env });
  await client.write(session.id, 'before\r');
  await seen(client, session.id, 'before\r\n');
  const { pid } = (await client.status())[victim];
  const tracer = spawn(program('hold-exit'), [String(pid)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: tracer.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).value !== 'ready') throw new Error('the tracer could not attach');
  const log = (): string => readFileSync(`${daemon.home}/daemon.log`, 'utf8');
  process.kill(pid, 'SIGKILL');
  if ((await lines.next()).value !== 'held') throw new Error('it was not held');
  // Its files stay open, so it counts as hung; then its survival is logged.
  const told = `${victim} ${pid} was killed and is still there`;
  const begun = (): boolean => (victim === 'holder' ? log().includes('took over from keeper') : isServed());
  await until('it is told, or somebody has begun', () => log().includes(told) || begun());
  const hadSuccessor = begun();
  const wasTold = log().includes(told);
  tracer.stdin.end();
  await until('it is gone', () => !isAlive(pid));
  await until('there is another', async () => (await client.status())[victim].pid !== pid);
  await client.write(session.id, 'after\r');
  await seen(client, session.id, 'after\r\n');
  return { hadSuccessor, wasTold };

  /** Returns whether a keeper other than the old one has the session's terminal open. */
  function isServed(): boolean {
    return daemon
      .processes()
      .filter((other) => other !== pid && nameOf(other) === 'spool-keeper')
      .some((other) => opened(other).some((path) => path === '/dev/ptmx' || path.startsWith('/dev/pts/')));
  }
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
}

function opened(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // closed meanwhile
    }
  });
}
