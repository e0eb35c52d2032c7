/** Tests unix sockets, and fds that travel through them. */
import { statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { native } from './index.ts';
import { flagsOf, folder, freshNode, guardAgainstLeaks } from './testing/children.ts';

const { EAGAIN, EINVAL, EPIPE } = constants.errno;

guardAgainstLeaks();

test('bytes and fds arrive together, the fds close-on-exec and usable', () => {
  const [a, b] = native.socketPair();
  const pipe = native.openPipe();
  native.setCloexec(pipe, false);
  const message = Buffer.from('take this');
  expect(native.sendFds(a, message, [pipe, pipe])).toBe(message.length);
  const [into, fds] = [new Uint8Array(100), [-7]];
  expect(native.receiveFds(b, into, fds)).toBe(message.length);
  expect(Buffer.from(into.subarray(0, message.length))).toEqual(message);
  expect(fds).toEqual([-7, expect.any(Number), expect.any(Number)]);
  const received = fds.slice(1);
  for (const fd of received) expect(flagsOf(fd)).toMatchObject({ cloexec: true });
  native.write(received[0]!, Buffer.from('through'));
  expect(native.read(pipe, into)).toBe(7);
  for (const fd of [a, b, pipe, ...received]) native.close(fd);
});

test('a message of 4 MiB goes in parts, and its fds come with the first', () => {
  const [a, b] = native.socketPair();
  const pipe = native.openPipe();
  const message = randomBytes(4 << 20);
  const received: Buffer[] = [];
  const fds: number[] = [];
  const into = new Uint8Array(100_000);
  let [sent, parts] = [0, 0];
  while (sent < message.length) {
    const count = native.sendFds(a, message.subarray(sent), sent === 0 ? [pipe] : []);
    if (count > 0) [sent, parts] = [sent + count, parts + 1];
    else expect(count).toBe(-EAGAIN);
    for (let size; (size = native.receiveFds(b, into, fds)) !== -EAGAIN;)
      received.push(Buffer.from(into.subarray(0, size)));
  }
  expect(parts).toBeGreaterThan(1);
  expect(fds).toHaveLength(1);
  expect(Buffer.concat(received).equals(message)).toBe(true);
  for (const fd of [a, b, pipe, ...fds]) native.close(fd);
});

test('two messages with fds never melt into one read', () => {
  const [a, b] = native.socketPair();
  const pipe = native.openPipe();
  native.sendFds(a, Buffer.from('one'), [pipe]);
  native.sendFds(a, Buffer.from('two'), [pipe, pipe]);
  const into = new Uint8Array(100);
  const counts = [0, 0].map(() => {
    const fds: number[] = [];
    const size = native.receiveFds(b, into, fds);
    for (const fd of fds) native.close(fd);
    return [size, fds.length];
  });
  expect(counts).toEqual([
    [3, 1],
    [3, 2],
  ]);
  for (const fd of [a, b, pipe]) native.close(fd);
});

test('limits and ends: 253 fds, no bytes, nobody there', () => {
  const [a, b] = native.socketPair();
  const one = Uint8Array.of(1);
  expect(native.sendFds(a, one, Array<number>(254).fill(a))).toBe(-EINVAL);
  expect(native.sendFds(a, new Uint8Array(0), [a])).toBe(0);
  expect(native.sendFds(a, one, [9999])).toBe(-constants.errno.EBADF);
  const fds: number[] = [];
  expect(native.receiveFds(b, one, fds)).toBe(-EAGAIN);
  expect(native.sendFds(a, one, Array<number>(253).fill(b))).toBe(1);
  expect(native.receiveFds(b, one, fds)).toBe(1);
  expect(fds).toHaveLength(253);
  for (const fd of fds) native.close(fd);
  native.close(a);
  expect(native.receiveFds(b, one, [])).toBe(0);
  expect(native.sendFds(b, one, [])).toBe(-EPIPE);
  native.close(b);
});

test('fds that do not fit the table any more are one -1, not a short list, the bytes are whole, and none stays open', async () => {
  const [counts, fds, result] = await freshNode<[number[], number[], number]>(
    `const [a, b] = native.socketPair();
     const open = () => require('fs').readdirSync('/proc/self/fd').length;
     native.sendFds(a, Uint8Array.of(1), Array(20).fill(a));
     const fill = [];
     try { for (;;) fill.push(native.openPipe()); } catch {}
     for (const fd of fill.splice(0, 10)) native.close(fd);
     const counts = [open()], fds = [];
     const result = native.receiveFds(b, new Uint8Array(9), fds);
     report([[...counts, open()], fds, result]);`,
    {},
    'ulimit -n 64;',
  );
  expect(fds).toEqual([-1]);
  expect(result).toBe(1);
  expect(counts[1]).toBe(counts[0]);
});

test('[S10] a listening socket is 0600 from its first moment, and knows who connects', async () => {
  const path = join(folder, 'door.sock');
  const umask = process.umask(0);
  const listening = native.listenUnix(path, 16);
  process.umask(umask);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(flagsOf(listening)).toMatchObject({ cloexec: true, nonblocking: true });
  expect(() => native.listenUnix(path, 16)).toThrow(
    expect.objectContaining({ code: 'EADDRINUSE', syscall: 'bind', path }),
  );
  expect(() => native.listenUnix('/'.repeat(108), 1)).toThrow(expect.objectContaining({ code: 'ENAMETOOLONG' }));
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve).listen({ fd: listening });
  const client = connect(path);
  const socket = await promise;
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  expect(native.peerUid(fd)).toBe(process.getuid!());
  for (const each of [socket, client]) {
    each.destroy();
    await new Promise((done) => each.on('close', done));
  }
  await new Promise((done) => server.close(done));
});
