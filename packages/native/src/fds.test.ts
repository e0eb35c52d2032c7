/** Tests the small calls on fds and terminals. */
import { openSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { native } from './index.ts';
import { SIZE, finish, flagsOf, folder, freshNode, guardAgainstLeaks, line, pty } from './testing/children.ts';

const { EAGAIN } = constants.errno;

guardAgainstLeaks();

test('a terminal tells and takes its size', async () => {
  const child = pty(['sh', '-c', 'trap "stty size; exit 0" WINCH; echo ready; while read x; do :; done']);
  expect(await line(child.master)).toBe('ready\r');
  expect(native.getSize(child.master)).toEqual({ ...SIZE, widthPx: 0, heightPx: 0 });
  const size = { cols: 65_535, rows: 1, widthPx: 640, heightPx: 480 };
  native.setSize(child.master, size);
  expect(native.getSize(child.master)).toEqual(size);
  native.write(child.master, Buffer.from('\n')); // so that the shell runs its trap, even inside a read
  expect((await finish(child)).text).toContain('1 65535');
  const [a, b] = native.socketPair();
  expect(() => native.getSize(a)).toThrow(expect.objectContaining({ code: 'ENOTTY' }));
  for (const fd of [a, b]) native.close(fd);
});

test('a terminal tells whether its program reads by line', async () => {
  const child = pty(['sh', '-c', 'echo ready; read x; stty raw; echo raw; head -c 1 >/dev/null']);
  expect(await line(child.master)).toBe('ready\r');
  expect(native.isCanonical(child.master)).toBe(true);
  native.write(child.master, Buffer.from('\n'));
  expect(await line(child.master)).toBe('\r'); // the echo
  expect(await line(child.master)).toBe('raw');
  expect(native.isCanonical(child.master)).toBe(false);
  native.write(child.master, Buffer.from('x'));
  await finish(child);
  const [a, b] = native.socketPair();
  expect(() => native.isCanonical(a)).toThrow(expect.objectContaining({ code: 'ENOTTY' }));
  for (const fd of [a, b]) native.close(fd);
});

test('a terminal tells its end-of-file key, and whether an end of file is unread; its echo can be stopped', async () => {
  const child = pty(['sh', '-c', 'stty eof ^X; echo ready; read x; cat; stty eof undef; echo gone; head -n 1']);
  expect(await line(child.master)).toBe('ready\r');
  expect(native.endOfFileKey(child.master)).toBe(0x18);
  expect(native.isReadable(child.slave)).toBe(false);
  native.write(child.master, Buffer.from('\n'));
  expect(await line(child.master)).toBe('\r'); // the echo
  native.write(child.master, Buffer.from([0x18]));
  expect(await line(child.master)).toBe('gone\r'); // cat has ended
  expect(native.endOfFileKey(child.master)).toBe(-1);
  native.write(child.master, Buffer.from('\n'));
  await finish(child);
  const silent = pty(['sh', '-c', 'read x; stty -a | grep -o -e "-echo " || echo "it echoes"']);
  native.stopEcho(silent.slave);
  native.write(silent.master, Buffer.from('hello\n'));
  expect((await finish(silent)).text.trim()).toBe('-echo');
  const sleeper = pty(['sh', '-c', 'echo ready; sleep 1000']);
  await line(sleeper.master);
  native.write(sleeper.master, Buffer.from([native.endOfFileKey(sleeper.master)]));
  expect([native.isReadable(sleeper.slave), native.available(sleeper.slave)]).toEqual([true, 0]);
  native.pidfdSignal(sleeper.pidfd, 9);
  await finish(sleeper);
});

test('an escrow pipe is one fd, reads what was written, and never ends', () => {
  const pipe = native.openPipe();
  const into = new Uint8Array(10);
  expect(flagsOf(pipe)).toMatchObject({ cloexec: true, nonblocking: true });
  expect(native.read(pipe, into)).toBe(-EAGAIN);
  expect(native.write(pipe, Buffer.from('abc'))).toBe(3);
  expect(native.available(pipe)).toBe(3);
  expect(native.read(pipe, into.subarray(0, 2))).toBe(2);
  expect(Buffer.from(into.subarray(0, 2)).toString()).toBe('ab');
  expect(native.available(pipe)).toBe(1);
  native.close(pipe);
  expect(() => native.close(pipe)).toThrow(expect.objectContaining({ code: 'EBADF', syscall: 'close' }));
  expect(native.write(pipe, into)).toBe(-constants.errno.EBADF);
  expect(() => native.available(pipe)).toThrow(expect.objectContaining({ code: 'EBADF' }));
});

test('a lock has one owner, and lives as long as a copy of its fd', () => {
  const path = join(folder, 'lock');
  const [first, second] = [openSync(path, 'w'), openSync(path, 'w')];
  expect([native.tryLock(first), native.tryLock(first), native.tryLock(second)]).toEqual([true, true, false]);
  const [a, b] = native.socketPair();
  const copies: number[] = [];
  native.sendFds(a, Uint8Array.of(1), [first]);
  native.receiveFds(b, new Uint8Array(1), copies);
  native.close(first);
  expect(native.tryLock(second)).toBe(false);
  native.close(copies[0]!);
  expect(native.tryLock(second)).toBe(true);
  for (const fd of [second, a, b]) native.close(fd);
});

test('close-on-exec is set and cleared, one by one and from a number on', async () => {
  expect(
    await freshNode(`
      const fds = [0, 1, 2].map(() => require('fs').openSync('/etc/passwd'));
      const flags = () => fds.map((fd) => /flags:\\t0?2/.test(require('fs').readFileSync('/proc/self/fdinfo/' + fd, 'utf8')));
      for (const fd of fds) native.setCloexec(fd, false);
      const cleared = flags();
      native.setCloexec(fds[0], true);
      const one = flags();
      native.setCloexec(fds[0], false);
      native.cloexecFrom(fds[1]);
      report([cleared, one, flags()]);`),
  ).toEqual([
    [false, false, false],
    [true, false, false],
    [false, true, true],
  ]);
  expect(() => native.setCloexec(9999, true)).toThrow(expect.objectContaining({ code: 'EBADF' }));
});
