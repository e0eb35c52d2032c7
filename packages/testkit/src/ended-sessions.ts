/** Writes folders of ended sessions, by the thousand, as a daemon would have left them. */
import { mkdirSync, writeFileSync } from 'node:fs';

export interface EndedSession {
  readonly id: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly name?: string;
  /** The output in its log. */
  readonly output?: string;
  readonly run?: Record<string, unknown>;
}

/** Writes the record and the log of one session. `sessions` is the folder of all sessions. */
export function writeEndedSession(sessions: string, session: EndedSession): string {
  const { id, endedAt = Date.now(), startedAt = endedAt - 1000, name = 'true', output = '' } = session;
  const folder = `${sessions}/${id}`;
  mkdirSync(`${folder}/log`, { recursive: true, mode: 0o700 });
  const end = { state: 'exited', exitCode: 0, signal: null, at: endedAt, by: null, offset: Buffer.byteLength(output) };
  const run = { id, command: ['true'], cwd: '/', env: {}, size: { cols: 80, rows: 24 }, ...session.run };
  const record = { run, name, pid: 4_000_000, startedAt, size: run.size, controlGroup: null, ending: null, end };
  writeFileSync(`${folder}/session.json`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  if (output !== '') writeFileSync(`${folder}/log/0000000000000000.log`, output, { mode: 0o600 });
  return folder;
}

/** Writes `count` sessions, a second apart, the last one now; returns their ids, oldest first. */
export function writeEndedSessions(home: string, count: number): readonly string[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, at) => {
    const id = `ended${String(at).padStart(8, '0')}`;
    writeEndedSession(`${home}/sessions`, { id, name: `old-${at}`, endedAt: now - (count - at) * 1000 });
    return id;
  });
}
