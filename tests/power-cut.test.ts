import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inNamespace, NAMESPACES_MISSING, statusField, TestDaemon, until } from '@spool/testkit';
import { missingProgram, NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { FullDiskReport } from './bodies/full-disk-start.ts';
import type { SurvivingSession } from './bodies/power-cut.ts';

testNeeding(NAMESPACES_MISSING, whyNoImage())(
  '[LIFE-5] [LIFE-10] a power cut 2 s after the start, or after the end, leaves sessions with their record and their log',
  async () => {
    const found = await inNamespace<Record<string, SurvivingSession>>(new URL('bodies/power-cut.ts', import.meta.url), {
      afterMs: 2000,
    });
    expect(found).toEqual({
      running: { name: 'running', state: 'lost', exitCode: null, output: 'hello\r\n' },
      renamed: { name: 'renamed', state: 'lost', exitCode: null, output: 'hello\r\n' },
      ended: { name: 'ended', state: 'failed', exitCode: 3, output: 'the last word\r\n' },
    });
  },
);

testNeeding(missingProgram('strace'))(
  '[LIFE-10] a new record is synced, then its name in the folder, then the folder; its end before the holder lets go',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { keeper } = await client.status();
    const trace = `${mkdtempSync(`${tmpdir()}/spool-test-`)}/trace`;
    const calls = 'trace=rename,renameat2,fsync,fdatasync,sendmsg';
    const strace = spawn(
      'strace',
      ['-f', '-y', '-qq', '-s', '60', '-e', calls, '-o', trace, '-p', String(keeper.pid)],
      {
        stdio: 'ignore',
      },
    );
    await until('strace is attached', () => statusField(keeper.pid, 'TracerPid') !== '0');
    const { id } = await client.run({
      command: ['sh', '-c', 'read go; exit 3'],
      size: { cols: 80, rows: 24 },
      env: { PATH: process.env.PATH! },
    });
    const steps = (): string[] => stepsIn(readFileSync(trace, 'utf8'), daemon.home, id);
    const durable = ['rename session.json', 'sync session.json', 'sync ID', 'sync sessions'];
    await until('the start is durable', () => steps().length >= durable.length);
    expect(steps()).toEqual(durable);
    await client.write(id, '\r');
    await client.wait(id);
    await until('the holder may let go', () => steps().at(-1) === 'let go');
    strace.kill();
    await once(strace, 'exit');
    const end = steps().slice(durable.length);
    // The folder of the log, which is new too, is synced at another moment.
    expect(end.filter((step, at) => step !== 'sync ID' || end[at - 1] === 'sync session.json')).toEqual([
      'rename session.json',
      'sync session.json',
      'sync ID',
      'let go',
    ]);
  },
);

testNeeding(missingProgram('strace'))(
  '[LIFE-5] what a program prints is synced, and the time of it too, although nothing follows',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({
      command: ['sh', '-c', 'while read go; do echo "$go"; done'],
      size: { cols: 80, rows: 24 },
      env: { PATH: process.env.PATH! },
    });
    const { keeper } = await client.status();
    const trace = `${mkdtempSync(`${tmpdir()}/spool-test-`)}/trace`;
    const strace = spawn(
      'strace',
      ['-f', '-y', '-qq', '-e', 'trace=fdatasync', '-o', trace, '-p', String(keeper.pid)],
      {
        stdio: 'ignore',
      },
    );
    await until('strace is attached', () => statusField(keeper.pid, 'TracerPid') !== '0');
    const synced = (kind: string): number =>
      readFileSync(trace, 'utf8')
        .split('\n')
        .filter((line) => line.includes(`/sessions/${id}/log/`) && line.includes(`.${kind}>`)).length;
    await client.write(id, 'one\r');
    await until('both files are synced', () => synced('log') > 0 && synced('idx') > 0);
    const before = synced('idx');
    await client.write(id, 'two\r');
    await until('the bytes are synced', () => synced('log') > 1);
    await until('the times are synced', () => synced('idx') > before);
    strace.kill();
    await once(strace, 'exit');
    expect(synced('log')).toBeGreaterThan(1);
  },
);

testNeeding(NAMESPACES_MISSING, NOT_ROOT)(
  '[LOG-6] [LIFE-10] a record that a full disk refused is written when there is room, and the next keeper has it',
  async () => {
    expect(await inNamespace<FullDiskReport>(new URL('bodies/full-disk-start.ts', import.meta.url))).toEqual({
      whileFull: { name: 'renamed while the disk was full', hasRecord: false },
      afterwards: { name: 'renamed while the disk was full', state: 'running' },
    });
  },
);

/** Returns the steps of a trace that concern the record of one session, in words. Its folder is called ID. */
function stepsIn(trace: string, home: string, id: string): string[] {
  const steps: string[] = [];
  for (const line of trace.split('\n')) {
    const path = /(?:fsync|fdatasync)\(\d+<([^>]+)>/.exec(line)?.[1]?.replace(home, '');
    if (/rename\w*\(.*session\.json"/.test(line) && line.includes(id)) steps.push('rename session.json');
    else if (path === `/sessions/${id}/session.json`) steps.push('sync session.json');
    else if (path === `/sessions/${id}`) steps.push('sync ID');
    else if (path === '/sessions') steps.push('sync sessions');
    else if (line.includes('sendmsg') && line.includes('done')) steps.push('let go');
  }
  return steps;
}

/** Returns a sentence, or null if an image of a file system can be made and mounted. */
function whyNoImage(): string | null {
  if (process.getuid!() !== 0) return 'Mounting an image of a file system needs root.';
  const { status, stderr, error } = spawnSync('losetup', ['-f'], { encoding: 'utf8' });
  if (status !== 0) return `There is no loop device for an image of a file system: ${error?.message ?? stderr.trim()}`;
  return spawnSync('mkfs.ext4', ['-V']).status === 0 ? null : 'mkfs.ext4 is not installed.';
}
