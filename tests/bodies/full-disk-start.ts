/** Starts and changes a session while the disk is full; returns the facts that the next keeper has, once there is room. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { TestDaemon, until } from '@spool/testkit';

const MOUNT = '/mnt';

export interface FullDiskReport {
  readonly whileFull: { readonly name: string; readonly hasRecord: boolean };
  readonly afterwards: { readonly name: string; readonly state: string };
}

export default async function startOnFullDisk(): Promise<FullDiskReport> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'spool-test', MOUNT]);
  mkdirSync(`${MOUNT}/home`, { mode: 0o700 });
  await using daemon = new TestDaemon({ home: `${MOUNT}/home` });
  const client = await daemon.client();
  try {
    writeFileSync(`${MOUNT}/ballast`, Buffer.alloc(16 * 1024 * 1024));
  } catch {
    // ENOSPC: that is intended
  }
  const session = await client.run({
    command: ['cat'],
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  await client.update(session.id, { name: 'renamed while the disk was full' });
  const record = `${MOUNT}/home/sessions/${session.id}/session.json`;
  const whileFull = { name: (await client.get(session.id)).name, hasRecord: existsSync(record) };
  execFileSync('mount', ['-o', 'remount,size=64m', MOUNT]);
  await until('the record is written', () => existsSync(record) && readFileSync(record).length > 0);
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const { name, state } = await client.get(session.id);
  return { whileFull, afterwards: { name, state } };
}
