import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Notice, OpenRequest, SessionInfo } from '@spool/protocol';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Notifier } from './notifier.ts';
import type { EndedCommand } from './screens/messages.ts';
import { FakeSession, statusOf, viewer } from './testing/fake-session.ts';

/** Longer than the time for which a dialog must be shown before the user is notified. */
const BLOCKED_MS = 700;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class NotifierFixture {
  readonly session = new FakeSession({ name: 'claude' });
  readonly told: string[] = [];
  readonly complaints: string[] = [];
  /** Notices for networks. */
  readonly sent: Omit<Notice, 'n'>[] = [];
  readonly notifier: Notifier;
  readonly #folder = mkdtempSync(`${tmpdir()}/spool-notifier-`);
  #writes = 0;
  now = new Date(2026, 0, 1, 12, 0);

  constructor() {
    onTestFinished(() => rmSync(this.#folder, { recursive: true }));
    this.notifier = new Notifier({
      configFile: `${this.#folder}/config.json`,
      queue: {
        push: (notice, report) => {
          report?.([]);
          return this.sent.push(notice);
        },
        isTaken: true,
        forget: () => {},
      },
      emit: ({ about, title, body }) => this.told.push(`${about}: ${title}: ${body}`),
      tellViewers: () => {},
      now: () => this.now,
      warn: (sentence) => this.complaints.push(sentence.replace(this.#folder, '')),
    });
  }

  configure(text: string): void {
    writeFileSync(`${this.#folder}/config.json`, text);
    utimesSync(`${this.#folder}/config.json`, 1, ++this.#writes); // each version needs a different mtime
  }

  /** Shows a dialog. */
  asks(activity: string, since = 1, confidence = 0.9): void {
    this.session.status = statusOf('blocked', { kind: 'permission', activity, since, confidence });
    this.notifier.statusChanged(this.session.session);
  }

  works(): void {
    this.session.status = statusOf('working');
    this.notifier.statusChanged(this.session.session);
  }

  ends(info: Partial<SessionInfo>, seconds: number): void {
    this.session.info = { startedAt: 1000, endedAt: 1000 + seconds * 1000, endedBy: null, signal: null, ...info };
    this.notifier.ended(this.session.session);
  }
}

test('[STATE-6] a dialog is told after a moment, once, and the next one again', () => {
  const desk = new NotifierFixture();
  desk.asks('Bash(ls)');
  vi.advanceTimersByTime(BLOCKED_MS - 1);
  expect(desk.told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(desk.told).toEqual(['blocked: claude needs your input (permission): Bash(ls)']);
  desk.asks('Bash(ls)');
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.length).toBe(1);
  desk.works();
  desk.asks('Bash(rm)', 2);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.slice(1)).toEqual(['blocked: claude needs your input (permission): Bash(rm)']);
});

test('[STATE-6] one dialog right after another is told too', () => {
  const desk = new NotifierFixture();
  desk.asks('first', 1);
  vi.advanceTimersByTime(BLOCKED_MS);
  desk.asks('second', 2);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.map((line) => line.split(': ').at(-1))).toEqual(['first', 'second']);
});

test('[STATE-6] a dialog that is answered at once, or is only guessed at, is not told', () => {
  const desk = new NotifierFixture();
  desk.asks('quick');
  vi.advanceTimersByTime(BLOCKED_MS - 1);
  desk.works();
  vi.advanceTimersByTime(BLOCKED_MS);
  desk.asks('a guess', 2, 0.4);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect([desk.told, vi.getTimerCount()]).toEqual([[], 0]);
});

test('[STATE-6] nothing is told while somebody is attached, and it is told when the last one leaves', () => {
  const desk = new NotifierFixture();
  const watching = viewer();
  desk.session.viewers.add(watching);
  desk.asks('seen by somebody');
  vi.advanceTimersByTime(10 * BLOCKED_MS);
  expect(desk.told).toEqual([]);
  desk.session.viewers.remove(watching.watcher);
  desk.notifier.viewerLeft(desk.session.session);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.length).toBe(1);
  desk.session.viewers.add(watching);
  desk.session.viewers.remove(watching.watcher);
  desk.notifier.viewerLeft(desk.session.session); // the notification was sent before a viewer attached
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.length).toBe(1);
});

test('[STATE-6] a block that an earlier keeper told is not told again', () => {
  const desk = new NotifierFixture();
  desk.session.status = statusOf('blocked', { since: 7 });
  desk.notifier.restored(desk.session.session);
  desk.notifier.statusChanged(desk.session.session);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told).toEqual([]);
});

test.each([
  ['an exit code', { state: 'failed', exitCode: 2 }, 1, ['failure: claude failed: exit code 2: after 1s']],
  [
    'a signal',
    { state: 'failed', exitCode: null, signal: 'SIGSEGV' },
    1,
    ['failure: claude failed: ended by SIGSEGV: after 1s'],
  ],
  [
    'a timeout',
    { state: 'stopped', exitCode: null, endedBy: 'timeout' },
    3,
    ['failure: claude failed: timed out: after 3s'],
  ],
  ['the end of something long', { state: 'exited', exitCode: 0 }, 10, ['exit: claude has finished: after 10s']],
  ['the end of something short', { state: 'exited', exitCode: 0 }, 9, []],
  ['a stop that somebody asked for', { state: 'stopped', exitCode: 1, endedBy: 'stop' }, 60, []],
  ['a kill', { state: 'killed', exitCode: null, signal: 'SIGKILL', endedBy: 'kill' }, 60, []],
] as const)('[STATE-6] %s', (_what, info, seconds, expected) => {
  const desk = new NotifierFixture();
  desk.ends(info, seconds);
  expect(desk.told).toEqual(expected);
});

test('[STATE-6] a dialog of a session that has ended is not told', () => {
  const desk = new NotifierFixture();
  desk.asks('too late');
  desk.session.end();
  desk.ends({ state: 'exited', exitCode: 0 }, 1);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told).toEqual([]);
});

test('[STATE-6] the configuration is read when it changes; what is wrong with it is said once', () => {
  const desk = new NotifierFixture();
  const fails = (): void => desk.ends({ state: 'failed', exitCode: 1 }, 1);
  desk.configure('{ "notify": { "on": ["blocked"] } }');
  fails();
  expect(desk.told).toEqual([]);
  desk.configure('{ "notify": { "on": ["failure"], "desktop": "yes" } }');
  fails();
  fails();
  expect(desk.told.length).toBe(2);
  expect(desk.complaints).toEqual(['/config.json:1: notify.desktop must be true or false']);
  desk.configure('{ not JSON');
  fails();
  expect([desk.told.length, desk.complaints.length]).toEqual([3, 2]);
});

test('[STATE-6] a command that cannot be started is a complaint, and whoever follows events was told all the same', async () => {
  vi.useRealTimers();
  const desk = new NotifierFixture();
  desk.configure('{ "notify": { "command": ["/etc/passwd/x"] } }');
  desk.ends({ state: 'failed', exitCode: 1 }, 1);
  await vi.waitFor(() => expect(desk.complaints).toEqual([expect.stringContaining('could not be started')]));
  expect(desk.told.length).toBe(1);
});

test('[CONF-2] in quiet hours nothing leaves the daemon, and whoever follows events is told all the same', async () => {
  vi.useRealTimers();
  const desk = new NotifierFixture();
  const ran = (): Promise<unknown> =>
    vi.waitFor(() => expect(desk.complaints).toEqual([expect.stringContaining('could not be started')]));
  desk.configure('{ "notify": { "command": ["/no/such/program"], "quietHours": "22:00-07:00" } }');
  desk.now = new Date(2026, 0, 1, 23, 30);
  desk.ends({ state: 'failed', exitCode: 1 }, 1);
  desk.now = new Date(2026, 0, 2, 6, 59);
  desk.ends({ state: 'failed', exitCode: 1 }, 1);
  expect(await desk.notifier.test()).toMatchObject({ isQuiet: true, outcomes: [{ channel: 'command' }] });
  expect([desk.told.length, desk.complaints]).toEqual([2, []]);
  desk.now = new Date(2026, 0, 2, 7, 0);
  desk.ends({ state: 'failed', exitCode: 1 }, 1);
  await ran();
  expect(desk.told.length).toBe(3);
});

test('[STATE-21] a command that failed or took long is told with its last line; a short one, Ctrl-C and a flood of failures are not', () => {
  const desk = new NotifierFixture();
  const ended = (command: Partial<EndedCommand>): void =>
    desk.notifier.commandEnded(desk.session.session, {
      command: 'npm test',
      exitCode: 0,
      durationMs: 100,
      lastLine: 'the end',
      ...command,
    });
  ended({});
  ended({ exitCode: 130 });
  expect(desk.told).toEqual([]);
  ended({ exitCode: 1, command: `npm test ${'x'.repeat(100)}\x1b[2J` });
  ended({ exitCode: 1 });
  expect(desk.told).toEqual([
    `command: claude: npm test ${'x'.repeat(51)}… failed with exit code 1: after 0.1s: the end`,
  ]);
  const other = new NotifierFixture();
  other.notifier.commandEnded(other.session.session, {
    command: null,
    exitCode: 0,
    durationMs: 12_000,
    lastLine: '',
  });
  expect(other.told).toEqual(['command: claude: a command has finished: after 12s']);
});

test('[STATE-40] a session that is stopped or stalled is told once, with what to do', () => {
  const desk = new NotifierFixture();
  const unwell = (kind: string | null): void => {
    desk.session.status = statusOf(kind === 'stopped' ? 'blocked' : 'working', { kind });
    desk.notifier.statusChanged(desk.session.session);
  };
  for (const kind of ['stopped', 'stopped', null, 'stopped', 'busy', 'stalled', 'stalled']) unwell(kind);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told.map((line) => line.replace(/: [^:]*; /, ' '))).toEqual([
    'health: claude is stopped continue it: spool kill -s CONT claude, or end it: spool kill claude',
    'health: claude is stopped continue it: spool kill -s CONT claude, or end it: spool kill claude',
    'health: claude is stalled look at it: spool attach claude, or end it: spool stop claude',
  ]);
});

test('[NOTE-4] over networks a command is not named, and nothing of the screen is said, unless the user wants that', () => {
  const desk = new NotifierFixture();
  const command: EndedCommand = { command: 'curl -H secret', exitCode: 1, durationMs: 20_000, lastLine: 'key=hunter2' };
  desk.notifier.commandEnded(desk.session.session, command);
  desk.asks('Bash(echo hunter2)');
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.sent.map(({ title, body }) => `${title} / ${body}`)).toEqual([
    'claude: a command failed with exit code 1 / after 20s',
    'claude needs your input (permission) / ',
  ]);
  desk.configure('{"notify": {"details": true}}');
  desk.asks('Bash(echo hunter2)', 2);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.sent[2]?.body).toBe('Bash(echo hunter2)');
});

test('[NOTE-5] the request of an agent travels with its notice, and one request is notified once', () => {
  const desk = new NotifierFixture();
  const request = (digest: string): OpenRequest => ({
    request: 'r',
    type: 'permission',
    tool: 'Bash',
    digest,
    bytes: 3000,
    options: [],
    offset: 7,
  });
  const subject = `${'x'.repeat(1000)}… (+2000 characters)`;
  const question = { text: 'Allow Bash?', subject, options: [] };
  const asks = (since: number, ...requests: OpenRequest[]): void => {
    desk.session.status = statusOf('blocked', { kind: 'permission', since, question, requests });
    desk.notifier.statusChanged(desk.session.session);
    vi.advanceTimersByTime(BLOCKED_MS);
  };
  asks(1, request('1-a'));
  asks(2, request('1-a'), request('2-b')); // the driver reports again
  expect(desk.sent.map((notice) => notice.request?.digest)).toEqual(['1-a']);
  expect(desk.sent[0]!.body).toContain(subject);
  asks(2, request('2-b'));
  expect(desk.sent.map((notice) => notice.request?.digest)).toEqual(['1-a', '2-b']);
});

test('[NOTE-5] a long question of a program says how much of it is left out', () => {
  const desk = new NotifierFixture();
  desk.session.status = statusOf('blocked', { question: { text: 'x'.repeat(500), options: [] } });
  desk.notifier.statusChanged(desk.session.session);
  vi.advanceTimersByTime(BLOCKED_MS);
  expect(desk.told[0]).toMatch(/x… \(\+309 characters\)$/);
});
