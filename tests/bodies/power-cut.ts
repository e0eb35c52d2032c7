/**
 * Runs a daemon on its own ext4 file system, in an image on a loop device. A copy of the image, taken during the run, has the
 * content after a power cut: data that no sync brought to the device is not in it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { outputOf, seen, TestDaemon } from '@spool/testkit';

const IMAGE_BYTES = 32 * 1024 * 1024;
const size = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

export interface PowerCut {
  /** The time from the answer to `run` until the cut. */
  readonly afterMs: number;
}

export interface SurvivingSession {
  readonly name: string;
  readonly state: string;
  readonly exitCode: number | null;
  readonly output: string;
}

/** Returns the state of two sessions after a cut: one that was running, and one that had ended before. */
export default async function powerCut({
  afterMs,
}: PowerCut): Promise<Record<'running' | 'renamed' | 'ended', SurvivingSession>> {
  const place = mkdtempSync(`${tmpdir()}/spool-power-`);
  const image = `${place}/image`;
  execFileSync('truncate', ['-s', String(IMAGE_BYTES), image]);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  const ids = await run(mount(image, `${place}/before`), async (daemon) => {
    const client = await daemon.client();
    const ended = await client.run({ command: ['sh', '-c', 'echo the last word; exit 3'], size, env, name: 'ended' });
    const running = await client.run({ command: ['sh', '-c', 'echo hello; cat'], size, env, name: 'running' });
    const renamed = await client.run({ command: ['sh', '-c', 'echo hello; cat'], size, env, name: 'before' });
    await client.wait(ended.id);
    await seen(client, running.id, 'hello\r\n');
    await seen(client, renamed.id, 'hello\r\n');
    await client.update(renamed.id, { name: 'renamed' });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    copyFileSync(image, `${place}/copy`);
    return { running: running.id, renamed: renamed.id, ended: ended.id };
  });
  // 1: fsck repaired something, for example by replaying the journal.
  const { status, stdout } = spawnSync('e2fsck', ['-fp', `${place}/copy`], { encoding: 'utf8' });
  if (status === null || status > 1) throw new Error(`the file system is damaged: ${stdout}`);
  const found = await run(mount(`${place}/copy`, `${place}/after`), async (daemon) => {
    const client = await daemon.client();
    const look = async (id: string): Promise<SurvivingSession> => {
      const info = await client
        .get(id)
        .catch((error: Error) => ({ name: error.message, state: 'gone', exitCode: null }));
      const output = info.state === 'gone' ? '' : (await outputOf(client, id)).toString();
      return { name: info.name, state: info.state, exitCode: info.exitCode, output };
    };
    return { running: await look(ids.running), renamed: await look(ids.renamed), ended: await look(ids.ended) };
  });
  rmSync(place, { recursive: true });
  return found;
}

function mount(image: string, at: string): string {
  mkdirSync(at);
  execFileSync('mount', ['-o', 'loop', image, at]);
  return at;
}

async function run<T>(mounted: string, work: (daemon: TestDaemon) => Promise<T>): Promise<T> {
  mkdirSync(`${mounted}/home`, { mode: 0o700, recursive: true });
  try {
    await using daemon = new TestDaemon({ home: `${mounted}/home` });
    return await work(daemon);
  } finally {
    execFileSync('umount', ['-l', mounted]);
  }
}
