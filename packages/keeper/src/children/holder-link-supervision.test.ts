/** The keeper's side of supervision, against a holder that the test plays, with a clock that the test controls. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import { ANSWER_WITHIN_MS, QUIET_MS } from '@spool/native/peer-health';
import type { DaemonRecord, FromHolder, FromKeeper, HeldSession } from '@spool/protocol';
import { isAlive } from '@spool/testkit';
import { fakeAlarm } from '@spool/testkit/fake-alarm';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { HolderLink } from './holder-link.ts';
import { turns } from '../testing/fake-client.ts';

const HELD = { run: { id: 'abcdefgh' }, kind: 'pipes' } as unknown as HeldSession;

// For every test: a timer that outlives its test would send over a closed link.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  vi.spyOn(native, 'createAlarm').mockImplementation(fakeAlarm);
});

afterEach(() => {
  vi.useRealTimers();
});

class Stage {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-link-`);
  readonly watch = new FdWatch();
  readonly heard: FromKeeper[] = [];
  readonly complaints: string[] = [];
  readonly link: HolderLink;
  replaced = 0;
  /** A process in the role of the holder: it is killed when it looks hung. */
  readonly holder: ChildProcess = spawn('sleep', ['1000'], { stdio: 'ignore' });
  readonly holderDied = new Promise((resolve) => this.holder.once('exit', resolve));
  readonly #holders: FdLink<FromKeeper, FromHolder>;
  /** The number of next holders that were started. */
  #started = 0;

  constructor() {
    // The program started as the next holder records its pid and everything that it receives, and exits when the link closes. The
    // link does not block, so `cat` gives up whenever there is no data.
    const next = `${this.folder}/next-holder`;
    const collect = `until cat <&3 >> ${this.folder}/sent 2>/dev/null; do sleep 0.02; done`;
    writeFileSync(next, `#!/bin/sh\necho $$ >> ${this.folder}/pids\n${collect}\n`);
    chmodSync(next, 0o700);
    const [keepers, holders] = native.socketPair();
    this.link = new HolderLink(keepers, {
      watch: this.watch,
      logFd: openSync('/dev/null', 'w'),
      node: () => {
        this.#started++;
        return next;
      },
      onMessage: () => {},
      onMoved: () => {},
      onReplaced: () => this.replaced++,
      handOver: () => [{ session: HELD, fds: [] }],
      warn: (sentence) => this.complaints.push(sentence),
    });
    this.#holders = new FdLink(this.watch, holders, {
      onMessage: (message) => this.heard.push(message),
      onFdsLost: () => {},
      onEnd: () => {},
    });
    onTestFinished(async () => {
      this.watch[Symbol.dispose](); // so that the link does not see the deaths below and start another holder
      this.holder.kill('SIGKILL');
      // A process that has only just been started would write into the folder while it is removed.
      await this.until(() => this.#pids.length === this.#started);
      for (const pid of this.#pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await this.until(() => !this.#pids.some(isAlive));
      rmSync(this.folder, { recursive: true });
    });
  }

  say(message: FromHolder, fds: readonly number[] = []): void {
    this.#holders.send(message, fds);
  }

  async welcome(): Promise<void> {
    // A process counts as runnable until it sleeps, and a runnable process is never treated as hung.
    await this.until(() => /\) S /.test(readFileSync(`/proc/${this.holder.pid}/stat`, 'utf8')));
    this.say({ type: 'welcome', holderPid: this.holder.pid!, daemon: { home: {} } as DaemonRecord });
    this.say({ type: 'adopted' });
    await this.until(() => this.link.holderPid === this.holder.pid);
  }

  leave(): void {
    this.#holders.close();
  }

  /** The messages that the next holder received, in order. */
  get sentToNext(): string[] {
    return [...this.#read('sent').matchAll(/"type":"([a-z-]+)"/g)].map(([, type]) => type!);
  }

  /** Waits for a claim to become true. Messages arrive through the event loop, independent of the fake clock. */
  async until(claim: () => boolean): Promise<void> {
    const deadline = process.uptime() + 20;
    while (!claim()) {
      if (process.uptime() > deadline) throw new Error(`in vain: ${claim.toString()}`);
      await turns(1);
    }
  }

  /** The pids of the next holders that run already. */
  get #pids(): number[] {
    return this.#read('pids').split('\n').filter(Boolean).map(Number);
  }

  #read(name: string): string {
    try {
      return readFileSync(`${this.folder}/${name}`, 'utf8');
    } catch {
      return ''; // the file does not exist yet
    }
  }
}

test('[LIFE-2] pings are answered, and a holder that pings is left alone for as long as it does', async () => {
  const stage = new Stage();
  await stage.welcome();
  for (let ping = 1; ping <= 20; ping++) {
    vi.advanceTimersByTime(1500);
    stage.say({ type: 'ping' });
    await stage.until(() => stage.heard.filter(({ type }) => type === 'pong').length === ping);
  }
  expect([stage.complaints, stage.holder.signalCode]).toEqual([[], null]);
});

test('[LIFE-2] a holder that is silent is asked, then killed and replaced, within 5 s; the next one is given everything', async () => {
  const stage = new Stage();
  await stage.welcome();
  vi.advanceTimersByTime(QUIET_MS + 100);
  await stage.until(() => stage.heard.some(({ type }) => type === 'ask'));
  expect(stage.complaints).toEqual([]);
  vi.advanceTimersByTime(ANSWER_WITHIN_MS + 100);
  await stage.holderDied;
  expect(stage.holder.signalCode).toBe('SIGKILL');
  expect(stage.complaints).toEqual([expect.stringContaining('it does not answer')]);
  await stage.until(() => stage.sentToNext.includes('handed'));
  expect(stage.sentToNext).toEqual(['hand-over', 'hand', 'handed']);
});

test('[LIFE-2] one that answers when it is asked is not replaced', async () => {
  const stage = new Stage();
  await stage.welcome();
  for (let round = 1; round <= 5; round++) {
    vi.advanceTimersByTime(QUIET_MS + 100);
    await stage.until(() => stage.heard.filter(({ type }) => type === 'ask').length === round);
    stage.say({ type: 'here' });
    await turns(50);
    vi.advanceTimersByTime(QUIET_MS - 500);
    stage.say({ type: 'ping' });
    await stage.until(() => stage.heard.filter(({ type }) => type === 'pong').length === round);
  }
  expect(stage.complaints).toEqual([]);
});

test('[LIFE-1] a holder whose link ends is killed, and its successor is given everything at once', async () => {
  const stage = new Stage();
  await stage.welcome();
  stage.leave();
  await stage.holderDied;
  await stage.until(() => stage.sentToNext.includes('handed'));
  expect(stage.sentToNext).toEqual(['hand-over', 'hand', 'handed']);
  expect(stage.link.count).toBe(2);
});

test('[LIFE-1] it is settled only when a holder that is alive has said that it has everything', async () => {
  const stage = new Stage();
  let isSettled = false;
  void stage.link.settled().then(() => (isSettled = true));
  await turns(20);
  expect([isSettled, stage.heard]).toEqual([false, []]);
  await stage.welcome();
  await stage.until(() => stage.heard.some(({ type }) => type === 'ask'));
  expect(isSettled).toBe(false);
  stage.say({ type: 'here' });
  await stage.until(() => isSettled);
});

test('[LIFE-14] a holder that dies before it has handed everything over: the fd store has all of it, and takes its turn', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  for (const [isAdopted, exits] of [
    [false, 1],
    [true, 0],
  ] as const) {
    const [link, store] = native.socketPair(true);
    const stage = new Stage();
    stage.say({ type: 'welcome', holderPid: stage.holder.pid!, daemon: { hasStore: true } as DaemonRecord }, [link]);
    if (isAdopted) stage.say({ type: 'adopted' });
    await stage.until(() => stage.link.holderPid === stage.holder.pid);
    exit.mockClear();
    stage.leave();
    await stage.until(() => stage.complaints.length > 0);
    expect([isAdopted, exit.mock.calls.length]).toEqual([isAdopted, exits]);
    native.close(link);
    native.close(store);
  }
  exit.mockRestore();
});
