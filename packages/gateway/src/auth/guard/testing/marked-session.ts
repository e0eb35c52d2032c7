/** A session in which all text that a viewer may not see contains `SECRET`, and all text from before contains `PAST`. */
import type { SessionInfo } from '@spool/protocol';

export const SINCE = 1000;

export function markedSession(id: string): SessionInfo {
  return {
    id,
    name: id,
    state: 'running',
    exitCode: null,
    signal: null,
    pid: 4_711_4711,
    startedAt: 1,
    endedAt: null,
    offset: 10,
    firstOffset: 0,
    command: ['/SECRET/cat', '--password=SECRET'],
    cwd: '/SECRET',
    size: { cols: 80, rows: 24 },
    labels: {},
    watchers: 1,
    endedBy: null,
    sizePolicy: 'latest',
    viewers: [{ who: 'SECRET', size: null, isReadOnly: false, since: 1 }],
    typed: { who: 'SECRET', at: 1 },
    trouble: 'no room in /SECRET',
    status: {
      state: 'idle',
      since: 1,
      source: 'screen',
      confidence: 1,
      kind: null,
      agent: null,
      activity: null,
      thought: null,
      said: 'PAST',
      progress: null,
      offset: 1,
      why: 'the screen shows "PAST"',
    },
    milestone: { name: 'PAST', title: 'PAST', offset: 1 },
    title: '',
    lastOutputAt: 1,
    isTask: false,
    taskName: null,
    timeoutMs: null,
    startedBy: {
      who: 'SECRET',
      owners: [{ bootId: 'SECRET', pid: 1, startTicks: '1', pidNamespace: '1' }],
      isTied: true,
    },
    driver: {
      name: 'claude',
      state: 'running',
      options: { model: 'SECRET', mode: 'SECRET', resume: 'SECRET' },
      resumes: { agentSession: 'SECRET', session: 'SECRET' },
      firstOffset: 0,
      offset: 0,
    },
    leftRunning: [{ pid: 4_711_4711, program: 'SECRET', service: 'SECRET' }],
  };
}
