/** Tests the pipes of a child that does not exist: the test writes its output and reads its input. */
import { closeSync, openSync } from 'node:fs';
import { native } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import type { HeldSession } from '@spool/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeSession } from '../testing/fake-session.ts';
import { InputJournal } from '../input/journal.ts';
import { Child } from './child.ts';

function started(): { child: Child; stdin: number; stdout: number; session: FakeSession } {
  const watch = new FdWatch();
  const session = new FakeSession();
  const [theirs, stdin] = native.socketPair();
  const [stdout, stderr] = [native.openPipe(), native.openPipe()]; // each fd is both ends of its pipe
  const fds = [theirs, stdout, stderr, openSync('/dev/null', 'r')];
  const child = new Child({
    held: { kind: 'pipes', pid: 4_000_000, run: { id: session.id }, isInputClosed: false } as HeldSession,
    fds,
    log: session.log,
    watch,
    journal: new InputJournal('/nonexistent'),
    ticks: null,
    live: () => null,
    onOutput: () => false,
    onTrouble: () => {},
    onReserve: () => {},
  });
  child.start('build');
  onTestFinished(() => {
    closeSync(stdin);
    watch[Symbol.dispose]();
  });
  return { child, stdin, stdout, session };
}

function read(fd: number): string | null {
  const room = new Uint8Array(100);
  const count = native.read(fd, room);
  return count === 0 ? null : Buffer.from(room.subarray(0, Math.max(0, count))).toString();
}

test('[IN-1] its input ends after what was queued; from then on input is refused, and the fds stay four', async () => {
  const { child, stdin } = started();
  await child.push(Buffer.from('last'));
  expect([await child.closeInput('build'), await child.closeInput('build')]).toEqual([true, false]);
  expect([read(stdin), read(stdin)]).toEqual(['last', null]);
  await expect(child.push(Buffer.from('more'))).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
  expect(child.handOver).toMatchObject({ session: { isInputClosed: true }, fds: { length: 4 } });
  child.close('build');
});

test('[RUN-2] what it printed before it ended is stored; then its fds are closed', async () => {
  const { child, stdout, session } = started();
  native.write(stdout, Buffer.from('first'));
  await vi.waitFor(() => expect(session.log.end).toBe(5));
  native.write(stdout, Buffer.from('last'));
  child.drain();
  expect(session.log.end).toBe(9);
  const { fds } = child.handOver;
  child.close('build');
  expect(fds.map((fd) => native.read(fd, new Uint8Array(1))).every((result) => result < 0)).toBe(true);
  await expect(child.push(Buffer.from('x'))).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
});
