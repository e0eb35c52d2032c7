import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Status } from '@spool/protocol';
import type { Fact } from '@spool/vt';
import { expect, onTestFinished, test } from 'vitest';
import { Insight, type Past, restoredStatus } from './status-tracker.ts';
import { RuleFiles } from '../worker/rule-files.ts';

function sessionFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/spool-insight-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function insightOf(folder: string, before: Past | null = null, leader: number | null = null) {
  const statuses: Status[] = [];
  const facts: Fact[] = [];
  const source = {
    id: 's',
    folder,
    firstSize: leader === null ? null : { cols: 80, rows: 24 },
    pid: leader ?? 1,
    command: ['bash'],
    startedAt: 0,
    isAdopted: before !== null,
  };
  const insight = new Insight(
    source,
    0,
    new RuleFiles(`${folder}/config`, () => {}),
    {
      onStatus: (status) => statuses.push(status),
      onMilestone: () => {},
      onFact: (fact) => facts.push(fact),
      view: () => null,
    },
    before,
  );
  return { insight, statuses, facts };
}

const MARKS = ['prompt-start', 'prompt-end', 'command-start', 'command-end'] as const;

test('[STATE-2] a flood of marks is told in part, and its end is what counts', () => {
  const { insight, statuses, facts } = insightOf(sessionFolder());
  const bytes = new Uint8Array(1);
  for (let at = 0; at < 40_000; at++)
    insight.fact({ type: MARKS[at % 4]!, start: at, end: at + 1 }, 20_000 + Math.floor(at / 40));
  insight.fact({ type: 'command-start', command: 'make', start: 40_000, end: 40_001 }, 20_999);
  insight.output(bytes, 40_001, 20_999);
  insight.look(20_999);
  insight.wake(20_999);
  expect(facts.length).toBeLessThan(100);
  expect(statuses.length).toBeLessThan(100);
  expect(insight.past().length).toBeLessThan(100);
  expect(insight.status).toMatchObject({ state: 'working', activity: 'make' });
  expect(facts.at(-1)).toMatchObject({ type: 'command-start', end: 40_001 });
});

test('[STATE-4] what the last keeper knew is not written down a second time', () => {
  const folder = sessionFolder();
  const first = insightOf(folder).insight;
  first.output(new TextEncoder().encode('hello\n'), 6, 20_000);
  first.look(20_000);
  first.wake(21_000);
  expect(first.past()).toHaveLength(1);
  const { insight, statuses } = insightOf(folder, { end: 6, writtenAt: 20_000 });
  expect(insight.isRestored).toBe(true);
  insight.look(50_000);
  insight.wake(51_000);
  expect(insight.status).toMatchObject({ state: 'working', evidence: [{ why: expect.stringContaining('5 seconds') }] });
  expect(statuses.length).toBeGreaterThan(0);
  expect(insight.past()).toHaveLength(1);
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
  const { insight } = insightOf(sessionFolder(), null, process.pid);
  const dues: (number | null)[] = [];
  for (const at of [20_000, 20_100, 20_200]) {
    insight.output(new Uint8Array(1), at, at);
    insight.look(at);
    dues.push(insight.dueAt);
  }
  insight.wake(20_500);
  expect([...dues.slice(1), insight.dueAt === 20_500]).toEqual([20_500, 20_500, false]);
});
