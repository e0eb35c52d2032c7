/** Made-up sessions for the tests of `spool watch`. */
import type { SessionInfo, StatusInfo } from '@spool/protocol';

export function sessionWith(
  id: string,
  change: Partial<SessionInfo> = {},
  status: Partial<StatusInfo> = {},
): SessionInfo {
  return {
    id,
    name: id,
    state: 'running',
    exitCode: null,
    signal: null,
    pid: 1,
    startedAt: 0,
    endedAt: null,
    offset: 0,
    firstOffset: 0,
    command: ['sleep', '1'],
    cwd: '/',
    size: { cols: 80, rows: 24 },
    labels: {},
    watchers: 0,
    endedBy: null,
    taskName: null,
    timeoutMs: null,
    startedBy: null,
    sizePolicy: 'latest',
    viewers: [],
    typed: null,
    trouble: null,
    milestone: null,
    title: '',
    lastOutputAt: null,
    isTask: false,
    ...change,
    status: statusWith(status),
  };
}

export function statusWith(change: Partial<StatusInfo> = {}): StatusInfo {
  return {
    state: 'working',
    since: 0,
    source: 'output',
    confidence: 0.6,
    kind: null,
    agent: null,
    activity: null,
    thought: null,
    progress: null,
    offset: 0,
    why: 'it prints',
    ...change,
  };
}
