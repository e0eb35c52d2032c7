/** Kills the whole daemon with its sessions, as a reboot does, and starts the lost sessions again. */
import type { SessionInfo } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';

export interface RerunReport {
  /** The text without `--yes`. */
  readonly refused: string;
  /** The names of the sessions that run afterwards. */
  readonly started: readonly string[];
  /** The text of a second call. */
  readonly second: string;
}

export default async function (): Promise<RerunReport> {
  await using daemon = new TestDaemon();
  for (const name of ['one', 'two']) await daemon.spool(['run', '-d', '-n', name, '--', 'cat']);
  await daemon.spool(['run', '--', 'true']);
  const client = await daemon.client();
  const status = await client.status();
  const children = (await client.list()).filter(({ state }) => state === 'running').map(({ pid }) => pid);
  client.close();
  daemon.killWhole(status);
  for (const pid of children) kill(pid);
  await until('all are gone', () => daemon.processes().length === 0, 30_000);
  const refused = (await daemon.spool(['rerun', '--lost'])).stderr;
  const { code, stderr } = await daemon.spool(['rerun', '--lost', '--yes']);
  if (code !== 0) throw new Error(stderr);
  const started = (await daemon.json<SessionInfo[]>('ls', '--running')).map(({ name }) => name).sort();
  const second = (await daemon.spool(['rerun', '--lost', '--yes'])).stderr;
  return { refused, started, second };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // its terminal has ended it already
  }
}
