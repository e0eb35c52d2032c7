/** Tests the reports of a session, with a session and services that only record calls. */
import type { DaemonEvent, Status } from '@spool/protocol';
import { expect, test } from 'vitest';
import type { SessionServices } from './services.ts';
import type { KeeperSession } from './session.ts';
import { SessionReports } from './session-reports.ts';

function reporting(): {
  reports: SessionReports;
  events: DaemonEvent[];
  notified: string[];
  session: { isRunning: boolean };
} {
  const events: DaemonEvent[] = [];
  const notified: string[] = [];
  const session = { id: 'x', name: 'site', run: { taskName: 'scaffold' }, isTask: true, isRunning: true };
  const notifier = {
    restored: () => notified.push('restored'),
    statusChanged: () => notified.push('status'),
    commandEnded: () => notified.push('command'),
  };
  const services = { notifier, emit: (event: DaemonEvent) => events.push(event) };
  const reports = new SessionReports(session as unknown as KeeperSession, services as unknown as SessionServices, 0);
  return { reports, events, notified, session };
}

const asks = ({ status }: SessionReports, text: string): Status => ({
  ...status.current,
  state: 'blocked',
  kind: 'confirm',
  question: { text, options: [] },
});

test('[TASK-7] each question of a task is an event once, and that it goes on is another', () => {
  const { reports, events } = reporting();
  const working: Status = { ...reports.status.current, state: 'working' };
  reports.statusRead(asks(reports, 'Ok to proceed? (y)'));
  reports.statusRead({ ...asks(reports, 'Ok to proceed? (y)'), confidence: 0.9 });
  reports.statusRead(asks(reports, 'Overwrite?'));
  reports.statusRead(working);
  const told = events.flatMap((event) => (event.type.startsWith('task_') ? [event] : []));
  expect(told).toMatchObject([
    { type: 'task_blocked', taskId: 'x', name: 'scaffold', kind: 'confirm', question: 'Ok to proceed? (y)' },
    { type: 'task_blocked', question: 'Overwrite?' },
    { type: 'task_unblocked', taskId: 'x', name: 'scaffold' },
  ]);
});

test('[STATE-6] the first status after a restart of the keeper is known as one that may have been notified', () => {
  const { reports, notified } = reporting();
  reports.isOfAdopted = true;
  reports.statusRead(asks(reports, 'Ok?'));
  reports.statusRead(asks(reports, 'Sure?'));
  expect(notified).toEqual(['restored', 'status', 'status']);
});

test('[STATE-1] after the end nothing is reported any more: the end is final', () => {
  const { reports, events, notified, session } = reporting();
  const before = reports.status.current;
  session.isRunning = false;
  reports.statusRead(asks(reports, 'Ok?'));
  reports.commandEnded({ command: 'make', exitCode: 1, durationMs: 1, lastLine: null } as never);
  reports.looked(100);
  expect([events, notified, reports.status.lookedOffset]).toEqual([[], [], 0]);
  expect(reports.status.current.state).toBe(before.state);
});
