import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client } from '@spool/client';
import { program, seen, TestDaemon, until } from '@spool/testkit';
import { NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const MIB = 1024 * 1024;

testNeeding(NOT_ROOT)(
  '[LOG-6] a full disk: the child goes on, an event tells, the hole is exact, recovery is automatic',
  async () => {
    await using disk = new SmallDisk(24 * MIB);
    await using daemon = new TestDaemon({ home: disk.folder });
    const client = await daemon.client();
    const events = client.events();
    const failed = first(events, 'log-failed');
    const bytes = 48 * MIB;
    const session = await client.run({
      command: [
        'sh',
        '-c',
        `${program('verified-source')} ${bytes} 100 256; while read go; do echo $go; [ $go = end ] && exec ${program('verified-source')} 160000; done`,
      ],
      size: PTY,
      env,
    });
    expect(await failed).toMatchObject({ id: session.id, error: expect.stringContaining('ENOSPC') as string });
    expect((await client.get(session.id)).trouble).toContain('ENOSPC');
    await until('the child has written all of it', async () => (await client.get(session.id)).offset >= bytes);

    disk.makeRoom();
    const recovered = first(client.events(), 'log-recovered');
    await until('it is written again', async () => {
      await client.write(session.id, 'again\n'); // the source has made the terminal raw: \n, not \r
      return (await client.get(session.id)).trouble === null;
    });
    await recovered;
    await client.write(session.id, 'end\n');
    const { offset, exitCode, trouble } = await client.wait(session.id);
    expect({ exitCode, trouble }).toEqual({ exitCode: 7, trouble: null });

    const gaps = await expectExact(client, session.id, { from: 0, verifiedBytes: bytes, offset });
    expect(gaps).toBeGreaterThan(0);
  },
  180_000,
);

testNeeding(NOT_ROOT)('[RUN-24] a filter whose output a full disk refused does not return 0', async () => {
  await using disk = new SmallDisk(4 * MIB);
  await using daemon = new TestDaemon({ home: disk.folder });
  await daemon.spool(['daemon', 'start']);
  disk.fill();
  const ran = await daemon.spool(['run', '--pipes', '--', 'echo', 'lost']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('the output from offset 0 to 5 is missing');
  expect((await daemon.spool(['run', '--', 'sh', '-c', 'echo lost; exit 7'])).code).toBe(7);
});

testNeeding(NOT_ROOT)('[LOG-6] [LIFE-1] a keeper killed while the disk is full gives no offset twice', async () => {
  await using disk = new SmallDisk(8 * MIB);
  await using daemon = new TestDaemon({ home: disk.folder });
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', `${program('verified-source')} ${16 * MIB} 100 256; read go; exit 4`],
    size: PTY,
    env,
  });
  await until('all is written', async () => (await client.get(session.id)).offset >= 16 * MIB);
  const told = (await client.get(session.id)).offset;
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  expect((await client.get(session.id)).offset).toBeGreaterThanOrEqual(told);
  disk.makeRoom();
  await client.write(session.id, 'x\n');
  expect(await client.wait(session.id)).toMatchObject({ exitCode: 4 });
});

testNeeding(NOT_ROOT)('[LOG-6] a disk filled by somebody else, and emptied again', async () => {
  await using disk = new SmallDisk(64 * MIB);
  await using daemon = new TestDaemon({ home: disk.folder });
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  await client.write(session.id, 'before\r');
  await seen(client, session.id, 'before\r\nbefore');
  const failed = first(client.events(), 'log-failed');
  disk.fill();
  await client.write(session.id, `${'x'.repeat(3000)}\r`);
  await failed; // it is reported while the disk is full
  disk.makeRoom();
  await until('it is written again', async () => {
    await client.write(session.id, 'again\r');
    return (await client.get(session.id)).trouble === null;
  });
  await seen(client, session.id, 'again\r\nagain');
});

test('[LOG-6] no file descriptors left: sessions go on, what cannot be stored is a gap, and it heals', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', `stty raw -echo; echo ready; read go; exec ${program('verified-source')} ${12 * MIB} 50 64`],
    size: PTY,
    env,
  });
  const from = (await seen(client, session.id, 'ready\n')).length;
  const { keeper } = await client.status();
  const failed = first(client.events(), 'log-failed');
  const limit = (soft: number): void =>
    void execFileSync('prlimit', ['--pid', String(keeper.pid), `--nofile=${soft}:`]);
  limit(3);
  await client.write(session.id, '\n');
  expect(await failed).toMatchObject({ id: session.id, error: expect.stringContaining('EMFILE') as string });
  limit(4096);
  const { exitCode, offset } = await client.wait(session.id);
  expect({ exitCode, offset }).toEqual({ exitCode: 7, offset: from + 12 * MIB });
  expect(await expectExact(client, session.id, { from, verifiedBytes: 12 * MIB, offset })).toBeGreaterThan(0);
  expect((await client.status()).keeper.pid).toBe(keeper.pid);
}, 60_000);

/**
 * Reads a session from `from` to its end: no offset appears twice or is left out without a gap, and every byte of the verified
 * stream that was kept is right for its offset. Returns the number of gaps.
 */
async function expectExact(
  client: Client,
  session: string,
  { from, verifiedBytes, offset }: { from: number; verifiedBytes: number; offset: number },
): Promise<number> {
  let cursor = from;
  let gaps = 0;
  for await (const item of client.watch(session, { from })) {
    if (item.type === 'gap') {
      expect(item.from).toBe(cursor);
      cursor = item.to;
      gaps++;
    }
    if (item.type !== 'output') continue;
    expect(item.offset).toBe(cursor);
    const start = item.offset - from;
    expect(wrongByte(item.bytes.subarray(0, Math.max(0, verifiedBytes - start)), start)).toBeNull();
    cursor += item.bytes.length;
  }
  expect(cursor).toBe(offset);
  return gaps;
}

/** Returns the place of the first byte that differs from the verified stream; null if there is none. */
function wrongByte(bytes: Uint8Array, start: number): number | null {
  let line = '';
  for (let at = 0; at < bytes.length; at++) {
    const within = (start + at) % 16;
    if (within === 0 || line === '') line = `${String(Math.floor((start + at) / 16)).padStart(15, '0')}\n`;
    if (bytes[at] !== line.charCodeAt(within)) return start + at;
  }
  return null;
}

/** A separate file system, small enough to be filled. */
class SmallDisk {
  readonly #mount = mkdtempSync(`${tmpdir()}/spool-test-`);
  readonly folder = `${this.#mount}/home`;

  constructor(bytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'spool-test', this.#mount]);
  }

  fill(): void {
    try {
      writeFileSync(`${this.#mount}/ballast`, Buffer.alloc(256 * MIB));
    } catch {
      // ENOSPC: that is intended
    }
  }

  makeRoom(): void {
    execFileSync('mount', ['-o', 'remount,size=512m', this.#mount]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    execFileSync('umount', ['-l', this.#mount]);
    rmSync(this.#mount, { recursive: true, force: true });
  }
}

async function first<T extends { type: string }>(events: AsyncIterable<T>, type: string): Promise<T> {
  for await (const event of events) if (event.type === type) return event;
  throw new Error(`no ${type}`);
}
