/** Collects the information about a session that clients see. */
import type { RunRequest, SessionInfo, StartedBy } from '@spool/protocol';
import type { SessionAgent } from '../agents/session-agent.ts';
import type { Viewers } from '../viewers/viewers.ts';
import type { SessionInput } from '../input/session-input.ts';
import type { SessionFile } from './session-file.ts';
import { shownCommand } from './shown-command.ts';
import type { SessionStatus } from './status.ts';

export interface SessionParts {
  readonly file: SessionFile;
  readonly status: SessionStatus;
  readonly input: SessionInput;
  readonly viewers: Viewers;
  readonly watchers: number;
  readonly agent: SessionAgent | null;
}

export function infoOf({ file, status, input, viewers, watchers, agent }: SessionParts): SessionInfo {
  const { run, name, pid, startedAt, size, typed = null } = file.record;
  const ended = file.lifecycle.phase === 'ended' ? file.lifecycle : null;
  return {
    id: run.id,
    name,
    state: file.state,
    exitCode: ended?.exit.code ?? null,
    signal: ended?.exit.signal ?? null,
    pid,
    startedAt,
    endedAt: ended?.endedAt ?? null,
    offset: file.endOffset,
    firstOffset: file.firstOffset,
    command: shownCommand(run.command),
    cwd: run.cwd,
    size,
    labels: run.labels ?? {},
    watchers,
    sizePolicy: file.sizePolicy,
    viewers: viewers.list,
    // The record of an ended session contains it, so a long list reads one file for each session.
    typed: ended ? typed : input.lastTyped,
    endedBy: ended?.endedBy ?? null,
    trouble: file.trouble ?? file.readTrouble,
    status: status.info,
    milestone: status.milestone,
    title: status.title,
    lastOutputAt: file.lastOutputAt,
    isTask: run.isTask === true,
    taskName: run.taskName ?? null,
    timeoutMs: run.timeoutMs ?? null,
    startedBy: startedByOf(run),
    ...(agent && { driver: agent.info }),
  };
}

function startedByOf({ startedBy, owners = [], whileOwner = false }: RunRequest): StartedBy | null {
  return startedBy === undefined ? null : { who: startedBy, owners, isTied: whileOwner };
}
