/** Tests that bytes from terminals and pipes reach the logs: all of them, in order, never too many. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { native, POLL, TRANSFER } from './index.ts';
import {
  SIZE,
  Sink,
  collect,
  drain,
  finish,
  folder,
  freshNode,
  guardAgainstLeaks,
  pipes,
  pty,
  release,
  spawn,
  until,
} from './testing/children.ts';

const { EAGAIN, EINVAL, ENOSPC } = constants.errno;

guardAgainstLeaks();

test('[RUN-2] [LOG-1] 400 children that print 64 KiB and exit at once lose nothing', async () => {
  const expected = randomBytes(64 * 1024);
  const file = join(folder, 'source');
  writeFileSync(file, expected);
  const one = async (): Promise<boolean> => {
    const child = pty(['sh', '-c', `stty -opost; exec cat ${file}`]);
    const { bytes, status } = await finish(child);
    return status.code === 0 && bytes.equals(expected);
  };
  for (let round = 0; round < 50; round++)
    expect(await Promise.all(Array.from({ length: 8 }, one))).not.toContain(false);
}, 60_000);

test('[RUN-2] what is left in the terminal after the exit is all there, and only then the source ends', async () => {
  const child = pty(['sh', '-c', 'stty -opost; head -c 3000 /dev/zero | tr "\\0" x']);
  await until(child.pidfd, POLL.readable); // no byte was read meanwhile
  using sink = new Sink();
  expect(sink.pull(child.master)).toEqual([3000, TRANSFER.drained]); // we hold the slave: no hang-up yet
  native.close(child.slave);
  expect(sink.pull(child.master)).toEqual([0, TRANSFER.ended]);
  expect(sink.bytes().toString()).toBe('x'.repeat(3000));
  expect(native.exitStatus(child.pidfd)?.code).toBe(0);
  for (const fd of [child.master, child.pidfd]) native.close(fd);
});

test('[LOG-1] standard output and standard error are kept apart', async () => {
  const [out, error] = [randomBytes(300_000), randomBytes(200_000)];
  writeFileSync(join(folder, 'out'), out);
  writeFileSync(join(folder, 'error'), error);
  const child = pipes(['sh', '-c', 'cat out & cat error >&2; wait'], { cwd: folder });
  using outSink = new Sink(-1);
  using errorSink = new Sink(-1);
  await Promise.all([drain(child.stdout, outSink), drain(child.stderr, errorSink), until(child.pidfd, POLL.readable)]);
  expect(native.exitStatus(child.pidfd)).toEqual({ code: 0, signal: 0, coreDumped: false });
  expect(outSink.bytes().equals(out)).toBe(true);
  expect(errorSink.bytes().equals(error)).toBe(true);
  release(child);
});

test('never more than maxBytes reach the log, and no more than that leaves the source', () => {
  const [reader, writer] = native.socketPair();
  const expected = randomBytes(100_000);
  expect(native.write(writer, expected)).toBe(expected.length);
  using sink = new Sink();
  for (const budget of [0, 1, 2, 4095, 4096, 4097, 1, 65_536, 7]) {
    const before = native.available(reader);
    expect(sink.pull(reader, budget)).toEqual([budget, TRANSFER.budget]);
    expect(native.available(sink.pipe)).toBe(0);
    expect(native.available(reader)).toBe(before - budget);
  }
  sink.pull(reader);
  expect(sink.result[1]).toBe(TRANSFER.drained);
  expect(sink.bytes().equals(expected)).toBe(true);
  native.close(writer);
  expect(sink.pull(reader)).toEqual([0, TRANSFER.ended]);
  native.close(reader);
});

test('what an earlier life left in the pipe comes first, also when it fills the pipe', () => {
  const [reader, writer] = native.socketPair();
  using sink = new Sink();
  const rest: Buffer[] = [];
  for (;;) {
    const chunk = randomBytes(4096);
    if (native.write(sink.pipe, chunk) === -EAGAIN) break;
    rest.push(chunk);
  }
  native.write(writer, Buffer.from('and then'));
  const full = rest.length * 4096;
  expect(sink.pull(reader, 5000)).toEqual([5000, TRANSFER.budget]);
  expect(native.available(sink.pipe)).toBe(full - 5000);
  expect(sink.pull(reader)).toEqual([full - 5000 + 8, TRANSFER.drained]);
  expect(sink.bytes().equals(Buffer.concat([...rest, Buffer.from('and then')]))).toBe(true);
  for (const fd of [reader, writer]) native.close(fd);
});

test('a pipe filled up by many one-byte pieces does not stop it', () => {
  const [reader, writer] = native.socketPair();
  const expected = randomBytes(200); // each piece takes a slot of the pipe, which has sixteen
  for (const byte of expected) expect(native.write(writer, Uint8Array.of(byte))).toBe(1);
  using sink = new Sink();
  expect(sink.pull(reader)).toEqual([200, TRANSFER.drained]);
  expect(sink.bytes().equals(expected)).toBe(true);
  for (const fd of [reader, writer]) native.close(fd);
});

test('positions beyond 4 GiB are exact', () => {
  const [reader, writer] = native.socketPair();
  native.write(writer, Buffer.from('far out'));
  using sink = new Sink();
  const position = 5 * 2 ** 30 + 3;
  native.transfer(reader, sink.pipe, sink.log, position, 100, sink.result);
  expect([...sink.result]).toEqual([7, TRANSFER.few]);
  expect(statSync(`/proc/self/fd/${sink.log}`).size).toBe(position + 7);
  for (const fd of [reader, writer]) native.close(fd);
});

test('[LOG-6] a full disk is told, loses nothing, and is over when there is room again', async ({
  skip,
  onTestFinished,
}) => {
  const small = join(folder, 'small');
  mkdirSync(small);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'spool-native-test', small], { stdio: 'pipe' });
  } catch {
    skip('runs as root, where a small tmpfs can be mounted');
  }
  onTestFinished(() => void execFileSync('umount', [small])); // this exact path: other processes mount here too
  const expected = randomBytes(200_000);
  writeFileSync(join(folder, 'source'), expected);
  for (const kind of ['pty', 'pipes'] as const) {
    execFileSync('mount', ['-o', 'remount,size=64k', small]);
    const script = `${kind === 'pty' ? 'stty -opost;' : ''} exec cat ${join(folder, 'source')}`;
    const child = spawn(['sh', '-c', script], kind === 'pty' ? { size: SIZE } : {});
    const source = child.kind === 'pty' ? child.master : child.stdout;
    const sink = new Sink(child.kind === 'pty' ? native.openPipe() : -1, join(small, kind));
    while (sink.pull(source)[1]! >= 0) await until(source, POLL.readable);
    expect(sink.result[1]).toBe(-ENOSPC);
    expect(sink.pull(source)).toEqual([0, -ENOSPC]); // the second call moves no bytes either
    expect(sink.length).toBeGreaterThan(0);
    execFileSync('mount', ['-o', 'remount,size=1m', small]);
    await collect(child, sink);
    expect(native.exitStatus(child.pidfd)?.code).toBe(0);
    expect(sink.bytes().equals(expected)).toBe(true);
    sink[Symbol.dispose]();
    release(child);
    rmSync(join(small, kind));
  }
});

test('a log that cannot be written is an errno, a wrong source or pipe is thrown', () => {
  const [reader, writer] = native.socketPair();
  native.write(writer, Buffer.from('kept'));
  using sink = new Sink();
  const appending = openSync(join(folder, 'appending'), 'a');
  const readOnly = openSync('/etc/passwd', 'r');
  for (const [log, errno] of [
    [appending, EINVAL],
    [readOnly, constants.errno.EBADF],
  ] as const) {
    native.transfer(reader, sink.pipe, log, 0, 100, sink.result);
    expect([...sink.result]).toEqual([0, -errno]);
    expect(native.available(sink.pipe)).toBe(4);
  }
  expect(sink.pull(reader)).toEqual([4, TRANSFER.drained]);
  for (const [source, pipe] of [
    [9999, sink.pipe],
    [reader, 9999],
  ] as const)
    expect(() => native.transfer(source, pipe, sink.log, 0, 100, sink.result)).toThrow(
      expect.objectContaining({ code: 'EBADF' }),
    );
  for (const fd of [reader, writer, appending, readOnly]) native.close(fd);
});

test('where a terminal refuses splice, bytes are read and written into the pipe instead', async ({ skip }) => {
  // A library that simulates such a kernel: splice from a tty is EINVAL.
  const library = join(folder, 'refuse.so');
  const source = join(folder, 'refuse.c');
  writeFileSync(
    source,
    `#define _GNU_SOURCE
     #include <errno.h>
     #include <fcntl.h>
     #include <sys/syscall.h>
     #include <unistd.h>
     ssize_t splice(int from, off64_t *a, int to, off64_t *b, size_t length, unsigned flags) {
       if (isatty(from)) { errno = EINVAL; return -1; }
       return syscall(SYS_splice, from, a, to, b, length, flags);
     }`,
  );
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source], { stdio: 'pipe' });
  } catch {
    skip('runs where there is a C compiler');
  }
  const expected = randomBytes(100_000);
  writeFileSync(join(folder, 'source'), expected);
  const moved = await freshNode<string>(
    `const fs = require('fs');
     const child = native.spawn({ file: 'sh', argv: ['sh', '-c', 'stty -opost; exec cat ${join(folder, 'source')}'],
       env: ['PATH=/usr/bin:/bin'], cwd: '/', umask: 0, nofileSoft: 99, cgroupProcsFd: -1, size: { cols: 80, rows: 24 } });
     const log = fs.openSync('${join(folder, 'fallback')}', 'w+');
     const [pipe, result] = [native.openPipe(), new Int32Array(2)];
     let [position, status] = [0, null];
     for (let last = false; !last; ) {
       last = (status = native.exitStatus(child.pidfd)) !== null;
       do {
         native.transfer(child.master, pipe, log, position, 10_000, result);
         position += result[0];
       } while (result[1] === ${TRANSFER.budget} || result[1] === ${TRANSFER.few});
     }
     native.close(child.slave);
     native.transfer(child.master, pipe, log, position, 10_000, result);
     report(fs.readFileSync('${join(folder, 'fallback')}').toString('base64') + ' ' + [...result]);`,
    { LD_PRELOAD: library },
  );
  expect(moved === `${expected.toString('base64')} 0,${TRANSFER.ended}`).toBe(true);
});

test('[ATT-15] [LOG-2] a relay sends what it has stored, behind what precedes it, and nothing that cannot be read back', () => {
  const [source, pipe] = [native.openPipe(), native.openPipe()];
  const [socket, client] = native.socketPair();
  const path = join(folder, 'relayed');
  const [log, unreadable] = [openSync(path, 'w+'), openSync(`${path}-2`, 'w')];
  const frame = new Uint8Array(200);
  const result = new Int32Array(3);
  const relay = (to: number, position: number): readonly number[] => {
    result[2] = 24;
    native.relay(source, pipe, to, position, 100, socket, frame.fill(7), result);
    return [...result];
  };
  const received = (): Buffer => {
    const room = new Uint8Array(1000);
    return Buffer.from(room.subarray(0, Math.max(0, native.read(client, room))));
  };
  expect(relay(log, 0)).toEqual([0, TRANSFER.drained, -1]);
  native.write(source, Buffer.from('echo'));
  expect(relay(log, 0)).toEqual([4, TRANSFER.few, 28]);
  expect(received()).toEqual(
    Buffer.concat([Buffer.alloc(4, 7), Buffer.of(0, 0, 0, 4), Buffer.alloc(16, 7), Buffer.from('echo')]),
  );
  expect(readFileSync(path, 'utf8')).toBe('echo');
  native.write(source, Buffer.from('lost'));
  expect(relay(unreadable, 0)).toEqual([4, TRANSFER.few, -1]);
  expect(received()).toHaveLength(0);
  native.write(source, Buffer.from('x'));
  native.close(client);
  expect(relay(log, 4)).toEqual([1, TRANSFER.few, 0]);
  expect(() => native.relay(source, pipe, log, 0, 177, socket, frame, Int32Array.of(0, 0, 24))).toThrow('frame');
  for (const fd of [source, pipe, socket, log, unreadable]) native.close(fd);
});
