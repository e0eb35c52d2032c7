import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Status } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import { expect, onTestFinished, test } from 'vitest';
import { StatusTracker, type PastState, restoredStatus, type StatusTrackerEvents } from './status-tracker.ts';
import { steadyNow } from '../steady-clock.ts';
import { RuleFiles } from '../worker/rule-files.ts';
import type { EndedCommand } from '../messages.ts';

function sessionFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/spool-insight-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function insightOf(
  folder: string,
  before: PastState | null = null,
  leader: number | null = null,
  startedAt = 0,
  onMilestone: StatusTrackerEvents['onMilestone'] = () => {},
) {
  const statuses: Status[] = [];
  const facts: OscEvent[] = [];
  const commands: EndedCommand[] = [];
  const source = {
    id: 's',
    folder,
    firstSize: leader === null ? null : { cols: 80, rows: 24 },
    pid: leader ?? 1,
    command: ['bash'],
    startedAt,
    isAdopted: before !== null,
  };
  const files = new RuleFiles(`${folder}/config`, () => {});
  files.refresh();
  const tracker = new StatusTracker(
    source,
    0,
    files,
    {
      onStatus: (status) => statuses.push(status),
      onMilestone,
      onCommand: (command) => commands.push(command),
      onOscEvent: (fact) => facts.push(fact),
      view: () => null,
    },
    before,
  );
  return { tracker, statuses, facts, commands };
}

test('[STATE-1] a session that began in the future, by a clock that was set back since, is not silent for ever', () => {
  const now = steadyNow(); // not `Date.now`: another test of this worker may have moved the clock with fake timers
  const { tracker } = insightOf(sessionFolder(), { end: 10, writtenAt: now + 3_600_000 }, null, now + 7_200_000);
  tracker.look(now + 1000);
  tracker.wake(now + 60_000);
  expect(tracker.status.since).toBeLessThan(now + 61_000);
  expect(tracker.status).toMatchObject({
    state: 'working',
    evidence: [{ why: 'it has printed nothing for 5 seconds' }],
  });
});

test('[TASK-5] a milestone is on the disk when it is reported, so that the next keeper does not report it again', () => {
  const folder = sessionFolder();
  mkdirSync(`${folder}/config/milestones`, { recursive: true });
  const milestones = [{ name: 'stage', match: '^stage (?<n>[0-9])$', title: 'stage {n}' }];
  writeFileSync(`${folder}/config/milestones/mine.json`, JSON.stringify({ tool: 'mine', milestones }));
  const saved: string[] = [];
  const { tracker } = insightOf(folder, null, null, 0, () => {
    const history = readFileSync(`${folder}/history.ndjson`, 'utf8');
    saved.push([...history.matchAll(/"title":"(stage .)"/g)].map(([, title]) => title).join());
  });
  const print = (text: string, end: number): void => tracker.output(Buffer.from(text), end, 1000);
  print('stage 1\n', 8);
  expect(saved).toEqual(['stage 1']);
  print('stage 2\nstage 3\n', 24);
  expect(saved.slice(1)).toEqual(['stage 1,stage 2,stage 3', 'stage 1,stage 2,stage 3']);
});

const MARKS = ['prompt-start', 'prompt-end', 'command-start', 'command-end'] as const;

test('[STATE-2] a flood of marks is told in part, and its end is what counts', () => {
  const { tracker, statuses, facts } = insightOf(sessionFolder());
  const bytes = new Uint8Array(1);
  for (let at = 0; at < 40_000; at++)
    tracker.fact({ type: MARKS[at % 4]!, start: at, end: at + 1 }, 20_000 + Math.floor(at / 40));
  tracker.fact({ type: 'command-start', command: 'make', start: 40_000, end: 40_001 }, 20_999);
  tracker.output(bytes, 40_001, 20_999);
  tracker.look(20_999);
  tracker.wake(20_999);
  expect(facts.length).toBeLessThan(100);
  expect(statuses.length).toBeLessThan(100);
  expect(tracker.past().length).toBeLessThan(100);
  expect(tracker.status).toMatchObject({ state: 'working', activity: 'make' });
  expect(facts.at(-1)).toMatchObject({ type: 'command-start', end: 40_001 });
});

test('[STATE-2] of titles that follow one another at once, the last one is reported, a moment later or with the end', () => {
  const { tracker, facts } = insightOf(sessionFolder());
  const title = (text: string, at: number): void =>
    tracker.fact({ type: 'title-changed', title: text, start: at, end: at + 1 }, at);
  const titles = (): string[] => facts.flatMap((fact) => (fact.type === 'title-changed' ? [fact.title] : []));
  for (const [at, text] of ['one', 'two', 'three'].entries()) title(text, 20_000 + at);
  expect(titles()).toEqual(['one']);
  expect(tracker.dueAt).toBeLessThanOrEqual(20_200);
  tracker.wake(20_199);
  expect(titles()).toEqual(['one']);
  tracker.wake(20_200);
  expect(titles()).toEqual(['one', 'three']);
  title('four', 20_201);
  tracker.exited(20_202, 0, null);
  expect(titles()).toEqual(['one', 'three', 'four']);
});

test('[STATE-4] what the last keeper knew is not written down a second time', () => {
  const folder = sessionFolder();
  const first = insightOf(folder).tracker;
  first.output(new TextEncoder().encode('hello\n'), 6, 20_000);
  first.look(20_000);
  first.wake(21_000);
  expect(first.past()).toHaveLength(1);
  const { tracker, statuses } = insightOf(folder, { end: 6, writtenAt: 20_000 });
  expect(tracker.isRestored).toBe(true);
  tracker.look(50_000);
  tracker.wake(51_000);
  expect(tracker.status).toMatchObject({ state: 'working', evidence: [{ why: expect.stringContaining('5 seconds') }] });
  expect(statuses.length).toBeGreaterThan(0);
  expect(tracker.past()).toHaveLength(1);
});

test('[STATE-1] after a restart a state is as old as it was, whatever kinds of it there were; a dialog is as old as itself', () => {
  const item = (at: number, state: Status['state'], kind: string | null) =>
    ({ type: 'status', at, offset: at, state, kind, source: 'screen', why: '' }) as const;
  const idle = [item(1, 'working', null), item(2, 'idle', 'done'), item(3, 'idle', 'prompt')];
  expect(restoredStatus(idle).status).toMatchObject({ state: 'idle', kind: 'prompt', since: 2 });
  expect(restoredStatus(idle.slice(1)).status?.since).toBe(2);
  const asking = [...idle, item(4, 'blocked', 'confirm'), item(5, 'blocked', 'confirm')];
  expect(restoredStatus(asking).status).toMatchObject({ state: 'blocked', since: 5 });
});

test('[STATE-1] who is in the foreground is not asked with every look, but once more after the last output', () => {
  const { tracker } = insightOf(sessionFolder(), null, process.pid);
  const dues: (number | null)[] = [];
  for (const at of [20_000, 20_100, 20_200]) {
    tracker.output(new Uint8Array(1), at, at);
    tracker.look(at);
    dues.push(tracker.dueAt);
  }
  tracker.wake(20_500);
  expect([...dues.slice(1), tracker.dueAt === 20_500]).toEqual([20_500, 20_500, false]);
});

test('[STATE-21] a command that has ended is told with its exit code, its time and the last line that it printed', () => {
  const { tracker, commands } = insightOf(sessionFolder());
  const now = steadyNow();
  // The follower reports the marks of a chunk before its text.
  const chunk = Buffer.from('$ make\r\none\r\ntwo: error\r\n\r\n$ ');
  tracker.fact({ type: 'command-start', command: 'make', start: 7, end: 8 } as OscEvent, now);
  tracker.fact({ type: 'command-end', exitCode: 2, start: 27, end: 27 } as OscEvent, now + 12_000);
  expect(commands).toEqual([]);
  tracker.output(chunk, chunk.length, now + 12_000);
  expect(commands).toEqual([{ command: 'make', exitCode: 2, durationMs: 12_000, lastLine: 'two: error' }]);
  // A command without output has no last line: the last line belongs to the command before.
  tracker.fact({ type: 'command-start', command: 'false', start: 40, end: 41 } as OscEvent, now + 13_000);
  tracker.fact({ type: 'command-end', exitCode: 1, start: 42, end: 43 } as OscEvent, now + 13_000);
  tracker.output(Buffer.from('$ '), 45, now + 13_000);
  expect(commands.at(-1)).toMatchObject({ command: 'false', lastLine: '' });
});
