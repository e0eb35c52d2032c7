/**
 * Turns reports about a session into its status, events and notifications. The screen thread reports the status that it reads,
 * the driver of an agent reports the agent's actions, and the session reports its end.
 */
import type { Lifecycle } from '@spool/store';
import { type Milestone, type Status, taskNameOf, taskQuestion, taskStateOf } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import type { EndedCommand } from '../screens/messages.ts';
import type { SessionServices } from './services.ts';
import type { KeeperSession } from './session.ts';
import { leftOverUntil, mergeStatus, type ReportedStatus } from './merged-status.ts';
import { SessionStatus } from './status.ts';

export class SessionReports {
  readonly status: SessionStatus;
  readonly #session: KeeperSession;
  readonly #services: SessionServices;
  /** The present question of a task, as it was reported. */
  #asked: string | null = null;
  /** The status on the screen, and that of the side channel; null without a side channel. */
  #screen: Status | null = null;
  #reported: ReportedStatus | null = null;
  #leftOver: NodeJS.Timeout | null = null;
  /** Whether the session is older than this keeper. */
  isOfAdopted = false;

  constructor(session: KeeperSession, services: SessionServices, startedAt: number) {
    this.#session = session;
    this.#services = services;
    this.status = new SessionStatus(startedAt);
  }

  /** Takes the status that the screen shows. */
  screenRead(status: Status): void {
    this.#screen = status;
    this.statusRead(this.#merged(status));
  }

  /** Takes the status that the side channel of an agent in a terminal reports. */
  channelRead(status: Status): void {
    const hadRequests = this.#reported?.status.requests !== undefined;
    const isAnswered = hadRequests && status.requests === undefined;
    this.#reported = { status, answeredAt: isAnswered ? Date.now() : (this.#reported?.answeredAt ?? null) };
    const merged = this.#merged(this.#screen ?? this.status.current);
    if (isSameState(merged, this.status.current)) this.status.current = merged;
    else this.statusRead(merged);
  }

  #merged(screen: Status): Status {
    const reported = this.#reported;
    if (reported === null) return screen;
    const now = Date.now();
    const until = leftOverUntil(screen, reported, now);
    if (this.#leftOver) clearTimeout(this.#leftOver);
    this.#leftOver =
      until === null ? null : setTimeout(() => this.statusRead(this.#merged(this.#screen!)), until - now).unref();
    return mergeStatus(screen, reported, now);
  }

  statusRead(status: Status): void {
    const session = this.#session;
    if (!session.isRunning) return; // the end is final, and has already been reported
    const isFirst = this.isOfAdopted && this.status.current.state === 'starting';
    this.status.current = status;
    if (isFirst) this.#services.notifier.restored(session);
    const at = Date.now();
    this.#services.emit({ type: 'session-status', at, id: session.id, status: this.status.info });
    if (session.isTask) this.#tellQuestion(at);
    this.#services.notifier.statusChanged(session);
  }

  looked(offset: number): void {
    if (this.#session.isRunning) this.status.lookedTo(offset);
  }

  commandEnded(command: EndedCommand): void {
    if (this.#session.isRunning) this.#services.notifier.commandEnded(this.#session, command);
  }

  milestoneReached(milestone: Milestone, at: number): void {
    this.status.milestone = milestone;
    this.#services.emit({ type: 'milestone', at, id: this.#session.id, ...milestone });
  }

  oscEvent({ start, end: offset, ...fact }: OscEvent, at: number): void {
    if (fact.type === 'title-changed') this.status.title = fact.title;
    this.#services.emit({ type: 'session-osc', at, id: this.#session.id, offset: offset || start, fact });
  }

  trouble(trouble: string | null, from: number, to: number): void {
    const { id } = this.#session;
    const at = Date.now();
    if (trouble) this.#services.emit({ type: 'log-failed', at, id, offset: from, error: trouble });
    else this.#services.emit({ type: 'log-recovered', at, id, from, to });
  }

  /** Makes the status final and notifies waiters. */
  ended(lifecycle: Lifecycle, endOffset: number): void {
    if (lifecycle.phase !== 'ended') return;
    const { state, exit, endedAt } = lifecycle;
    this.status.exited(state, exit.code, exit.signal, endedAt, endOffset);
  }

  /** Announces the end, once all output is stored. */
  tellEnd(at: number): void {
    const session = this.#session.info;
    this.#services.emit({ type: 'session-exited', at, session });
    if (session.isTask)
      this.#services.emit({
        type: 'task_finished',
        at,
        taskId: session.id,
        name: taskNameOf(session),
        state: taskStateOf(session),
        exitCode: session.exitCode,
        durationMs: (session.endedAt ?? at) - session.startedAt,
      });
  }

  /** Reports each question of a task once. */
  #tellQuestion(at: number): void {
    const question = taskQuestion(this.status.info);
    if (question === this.#asked) return;
    this.#asked = question;
    const { id, run, name } = this.#session;
    const about = { at, taskId: id, name: run.taskName ?? name };
    const { kind } = this.status.info;
    if (question === null) this.#services.emit({ type: 'task_unblocked', ...about });
    else this.#services.emit({ type: 'task_blocked', ...about, kind, question });
  }
}

/** Only the facts that clients act on are compared; the channel also reports each tool, which the screen shows as well. */
function isSameState(one: Status, other: Status): boolean {
  const told = ({ state, kind, question, requests }: Status): string =>
    JSON.stringify([state, kind, question, requests]);
  return told(one) === told(other);
}
