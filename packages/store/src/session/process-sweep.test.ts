/** Tests in which signals have no effect: `pidfdSignal` only records them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { native } from '@spool/native';
import { readStat } from '@spool/native/process-identity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signalMember, stillThere, whatTermDoes } from './process-sweep.ts';

let child: ChildProcess;
let sent: number[];
let answer: number;

beforeEach(async () => {
  child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  await new Promise((resolve) => child.on('spawn', resolve));
  sent = [];
  answer = 0;
  vi.spyOn(native, 'pidfdSignal').mockImplementation((_pidfd, signal) => {
    sent.push(signal);
    return answer;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  child.kill('SIGKILL');
});

const member = (pid: number): { pid: number; startTicks: string } => ({ pid, startTicks: readStat(pid)!.startTicks });

test('[RUN-8] a process gets each signal once, in their order', () => {
  expect(signalMember(member(child.pid!), ['SIGTERM', 'SIGCONT'])).toBe('sent');
  expect(sent).toEqual([constants.signals.SIGTERM, constants.signals.SIGCONT]);
});

test('[RUN-7] a process that got the pid of another since gets nothing', () => {
  const { pid, startTicks } = member(child.pid!);
  expect(signalMember({ pid, startTicks: String(Number(startTicks) - 1) }, ['SIGTERM'])).toBe('gone');
  expect(sent).toEqual([]);
});

test('[RUN-7] init and our own process get nothing, whatever is known of them', () => {
  for (const pid of [1, process.pid]) expect([pid, signalMember(member(pid), ['SIGTERM'])]).toEqual([pid, 'gone']);
  for (const pid of [0, -1]) expect([pid, signalMember({ pid, startTicks: '1' }, ['SIGTERM'])]).toEqual([pid, 'gone']);
  expect(sent).toEqual([]);
});

test('[RUN-41] no free fd is no answer: it is tried again. Refused and gone are answers', () => {
  const failing = vi.spyOn(native, 'pidfdOpen');
  for (const code of ['EMFILE', 'ENFILE', 'ENOMEM']) {
    failing.mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code });
    });
    expect([code, signalMember(member(child.pid!), ['SIGTERM'])]).toEqual([code, 'failed']);
  }
  failing.mockImplementationOnce(() => {
    throw Object.assign(new Error('gone'), { code: 'ESRCH' });
  });
  expect(signalMember(member(child.pid!), ['SIGTERM'])).toBe('gone');
  expect(sent).toEqual([]);
  answer = -constants.errno.EPERM;
  expect(signalMember(member(child.pid!), ['SIGTERM'])).toBe('refused');
});

test('[RUN-7] a process with the pid, but another start time, does not count', async () => {
  const known = member(child.pid!);
  expect(await stillThere([known, { ...known, startTicks: '1' }])).toEqual([known]);
});

test('[RUN-5] a program that fetches SIGTERM, which it blocks, handles it', async () => {
  const blocking = spawn('env', ['--block-signal=TERM', 'sleep', '100'], { stdio: 'ignore' });
  const ignoring = spawn('env', ['--ignore-signal=TERM', 'sleep', '100'], { stdio: 'ignore' });
  try {
    await vi.waitFor(() => {
      const pids = [blocking.pid!, ignoring.pid!, child.pid!];
      expect(pids.map((pid) => whatTermDoes(pid))).toEqual(['handles', 'ignores', 'dies']);
    }, 20_000);
  } finally {
    blocking.kill('SIGKILL');
    ignoring.kill('SIGKILL');
  }
});
