/** Tests the holder against a keeper that the test plays: real children, a real link, and a clock that the test controls. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import { ANSWER_WITHIN_MS, QUIET_AT_START_MS, QUIET_MS } from '@spool/native/peer-health';
import {
  type DaemonRecord,
  type FromHolder,
  type FromKeeper,
  PING_INTERVAL_MS,
  type RunRequest,
} from '@spool/protocol';
import { fakeAlarm } from '@spool/testkit/fake-alarm';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DaemonLog } from './daemon-log.ts';
import { Holder } from './holder.ts';

const env = { PATH: process.env.PATH! };
const RUN: RunRequest = { id: 'abcdefgh', command: ['sh', '-c', 'read x; exit 7'], cwd: '/', env };

// For every test: a timer that outlives its test would send over a closed link.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  vi.spyOn(native, 'createAlarm').mockImplementation(fakeAlarm);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Counts the keepers instead of starting them. */
class CountingHolder extends Holder {
  started = 0;

  override startKeeper(): void {
    this.started++;
  }
}

class Stage {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-holder-`);
  readonly watch = new FdWatch();
  readonly holder: CountingHolder;
  readonly heard: FromHolder[] = [];
  readonly fds: (readonly number[])[] = [];
  /** A process in the role of the keeper: the holder kills it when it seems to hang. */
  keeper: ChildProcess | null = null;
  keeperDied = Promise.resolve();
  #link: FdLink<FromHolder, FromKeeper> | null = null;

  /** `store` is a link to an fd store; with one, the holder takes over from a keeper. */
  constructor(store: readonly number[] = []) {
    this.holder = new CountingHolder({
      watch: this.watch,
      log: new DaemonLog(`${this.folder}/daemon.log`, 'holder'),
      daemon: { home: {}, hasEscrow: true, hasStore: store.length > 0 } as unknown as DaemonRecord,
      commonFds: store,
      isTakingOver: store.length > 0,
    });
    onTestFinished(() => {
      this.#link?.close();
      this.watch[Symbol.dispose]();
      this.keeper?.kill('SIGKILL');
      for (const fd of this.fds.flat()) native.close(fd);
      rmSync(this.folder, { recursive: true });
    });
  }

  /** Connects a keeper. */
  async attach(): Promise<void> {
    const keeper = spawn('sleep', ['1000'], { stdio: 'ignore' });
    // A process counts as runnable until it sleeps, and a runnable process is never treated as hung.
    while (!/\) S /.test(readFileSync(`/proc/${keeper.pid}/stat`, 'utf8')))
      await new Promise((resolve) => setImmediate(resolve));
    this.keeper = keeper;
    this.keeperDied = new Promise((resolve) => keeper.once('exit', () => resolve()));
    const [holders, keepers] = native.socketPair();
    const { holder } = this;
    const link: FdLink<FromKeeper, FromHolder> = new FdLink(this.watch, holders, {
      onMessage: (message, fds) => holder.handle(message, fds),
      onFdsLost: (message) => holder.fdsLost(message),
      onEnd: () => holder.keeperGone('it closed its link'),
    });
    this.#link = new FdLink(this.watch, keepers, {
      onMessage: (message, fds) => {
        this.heard.push(message);
        this.fds.push(fds);
      },
      onFdsLost: () => {},
      onEnd: () => {},
    });
    holder.attach(link, keeper.pid!);
  }

  say(message: FromKeeper): void {
    this.#link!.send(message);
  }

  leave(): void {
    this.#link!.close();
  }

  /** Waits for messages: they arrive through the event loop, independent of the fake clock. */
  async hears<Type extends FromHolder['type']>(type: Type, count = 1): Promise<Extract<FromHolder, { type: Type }>> {
    const found = (): FromHolder[] => this.heard.filter((message) => message.type === type);
    const deadline = process.uptime() + 20; // in real time, not in that of the fake clock
    while (found().length < count) {
      if (process.uptime() > deadline)
        throw new Error(`${type} never came; ${JSON.stringify(this.heard.map((each) => each.type))}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found()[count - 1] as Extract<FromHolder, { type: Type }>;
  }

  get log(): string {
    return readFileSync(`${this.folder}/daemon.log`, 'utf8');
  }
}

test('[RUN-3] a child is started, told with its fds, and its exit code is known; asked for again it is the same child', async () => {
  const stage = new Stage();
  await stage.attach();
  stage.say({ type: 'spawn', run: RUN });
  const { session } = await stage.hears('session');
  expect(session).toMatchObject({ kind: 'pipes', exit: null, run: { id: RUN.id } });
  const [stdin] = stage.fds[stage.heard.findIndex(({ type }) => type === 'session')]!;
  stage.say({ type: 'spawn', run: RUN });
  expect((await stage.hears('session', 2)).session.pid).toBe(session.pid);
  native.write(stdin!, Buffer.from('go\n'));
  expect(await stage.hears('exit')).toMatchObject({ id: RUN.id, exit: { code: 7, signal: 0 } });
});

test('a failed start is reported with the failed call, and the holder continues', async () => {
  const stage = new Stage();
  await stage.attach();
  stage.say({ type: 'spawn', run: { ...RUN, command: ['/no/such/program'] } });
  expect(await stage.hears('spawn-failed')).toMatchObject({ id: RUN.id, code: 'ENOENT', syscall: 'execve' });
  stage.say({ type: 'ask' });
  await stage.hears('here');
});

test('[LIFE-1] the exit of a child that ends while there is no keeper is kept for the next one', async () => {
  const stage = new Stage();
  await stage.attach();
  stage.say({ type: 'spawn', run: { ...RUN, command: ['sh', '-c', 'exec 1<&-; sleep 0.05; exit 9'] } });
  expect((await stage.hears('session')).session.exit).toBeNull();
  stage.leave();
  await stage.keeperDied;
  expect(stage.holder.started).toBe(1);
  await stage.attach();
  for (let asked = 2; ; asked++) {
    stage.say({ type: 'missed', id: RUN.id }); // as a keeper does for a session without its fds
    const { exit } = (await stage.hears('session', asked)).session;
    if (exit === null) continue;
    expect(exit).toMatchObject({ code: 9, signal: 0 });
    break;
  }
});

test('the input of a child on pipes ends when both have closed it; what the keeper has stored is let go', async () => {
  const stage = new Stage();
  await stage.attach();
  stage.say({ type: 'spawn', run: { ...RUN, command: ['cat'] } });
  await stage.hears('session');
  const at = stage.heard.findIndex(({ type }) => type === 'session');
  const [stdin, ...others] = stage.fds[at]!;
  native.close(stdin!); // the keeper's own copy
  stage.fds[at] = others;
  stage.say({ type: 'close-input', id: RUN.id });
  expect(await stage.hears('exit')).toMatchObject({ exit: { code: 0, signal: 0 } });
  stage.say({ type: 'done', id: RUN.id });
  stage.say({ type: 'missed', id: RUN.id });
  stage.say({ type: 'ask' });
  await stage.hears('here');
  expect(stage.heard.filter(({ type }) => type === 'session').length).toBe(1); // the holder no longer holds it
});

test('[LIFE-2] a keeper is asked every 1.5 s, and as long as it answers it is left alone', async () => {
  const stage = new Stage();
  await stage.attach();
  await stage.hears('welcome');
  for (let ping = 1; ping <= 20; ping++) {
    vi.advanceTimersByTime(PING_INTERVAL_MS);
    await stage.hears('ping', ping);
    stage.say({ type: 'pong' });
    stage.say({ type: 'ask' });
    await stage.hears('here', ping); // the pong has arrived
  }
  expect([stage.holder.started, stage.keeper!.exitCode, stage.keeper!.signalCode]).toEqual([0, null, null]);
});

test('[LIFE-2] a keeper that answers no more is killed and replaced, once, within 5 s of its last word', async () => {
  const stage = new Stage();
  await stage.attach();
  await stage.hears('welcome');
  stage.say({ type: 'pong' });
  stage.say({ type: 'ask' });
  await stage.hears('here');
  vi.advanceTimersByTime(QUIET_MS + ANSWER_WITHIN_MS - 200);
  expect(stage.holder.started).toBe(0);
  vi.advanceTimersByTime(400);
  expect(QUIET_MS + ANSWER_WITHIN_MS + 200).toBeLessThan(5000);
  await stage.keeperDied;
  expect(stage.keeper!.signalCode).toBe('SIGKILL');
  vi.advanceTimersByTime(60_000);
  expect(stage.holder.started).toBe(1);
  expect(stage.log).toContain('it did not answer');
});

test('[LIFE-2] a keeper that never says a word has longer, for it is starting', async () => {
  const stage = new Stage();
  await stage.attach();
  vi.advanceTimersByTime(QUIET_AT_START_MS - 100);
  expect(stage.holder.started).toBe(0);
  vi.advanceTimersByTime(ANSWER_WITHIN_MS + 400);
  expect(stage.holder.started).toBe(1);
  await stage.keeperDied;
});

test('[LIFE-2] keepers that die at once are started less and less often; one that lived is replaced at once', async () => {
  const stage = new Stage();
  const dies = async (afterMs: number): Promise<void> => {
    await stage.attach();
    vi.advanceTimersByTime(afterMs);
    stage.leave();
    await stage.keeperDied;
  };
  const waits: number[] = [];
  for (let death = 0; death < 16; death++) {
    const before = stage.holder.started;
    await dies(1);
    let waitedMs = 0;
    for (; stage.holder.started === before && waitedMs <= 5000; waitedMs += 10) vi.advanceTimersByTime(10);
    waits.push(waitedMs);
  }
  expect(waits[0]).toBe(0);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBe(2000);
  const before = stage.holder.started;
  await dies(1000);
  expect(stage.holder.started).toBe(before + 1);
});

test('[LIFE-14] a keeper that dies before it has handed everything over: the fd store has all of it, and takes its turn', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  for (const [isHanded, isStoreGone, exits] of [
    [false, false, 1],
    [true, false, 0], // the store has all sessions
    [false, true, 0], // some of the sessions are better than none
  ] as const) {
    const [ours, theirs] = native.socketPair(true);
    const stage = new Stage([ours]);
    await stage.attach();
    if (isHanded) stage.say({ type: 'handed' });
    stage.say({ type: 'ask' });
    await stage.hears('here');
    exit.mockClear();
    if (isStoreGone) native.close(theirs);
    stage.leave();
    await stage.keeperDied;
    expect([isHanded, isStoreGone, exit.mock.calls.length]).toEqual([isHanded, isStoreGone, exits]);
    if (!isStoreGone) native.close(theirs);
  }
  exit.mockRestore();
});
