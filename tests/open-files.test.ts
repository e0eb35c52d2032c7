import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { FewFiles, FewFilesReport } from './bodies/few-files.ts';

const few = (input: FewFiles): Promise<FewFilesReport> =>
  inNamespace<FewFilesReport>(new URL('bodies/few-files.ts', import.meta.url), input);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-8] 256 open files, 300 idle connections, 25 runs: who comes too late is told, no process and no session is lost',
  async () => {
    const { refusedConnections, refusedRuns, started, ...rest } = await few({
      limit: 256,
      connections: 300,
      tries: 25,
    });
    expect(rest).toEqual({ replaced: [], lost: [], heals: true });
    expect(Object.keys(refusedConnections)).toEqual(['TOO_MANY_CONNECTIONS']);
    // Idle connections have left most of the room to sessions.
    expect(started).toBeGreaterThanOrEqual(10);
    expect([[], ['TOO_MANY_FILES']]).toContainEqual(Object.keys(refusedRuns));
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-8] 160 open files, 60 runs: those that do not fit are refused before anything is started',
  async () => {
    const { refusedRuns, started, refusedConnections, ...rest } = await few({
      limit: 160,
      connections: 100,
      tries: 60,
    });
    expect(rest).toEqual({ replaced: [], lost: [], heals: true });
    expect(Object.keys(refusedConnections)).toEqual(['TOO_MANY_CONNECTIONS']);
    expect(Object.keys(refusedRuns)).toEqual(['TOO_MANY_FILES']);
    expect(started).toBeGreaterThan(0);
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-8] [LIFE-1] one process has no file left to open when the other dies: it starts another all the same',
  async () => {
    const faults = await inNamespace<string[]>(new URL('bodies/death-without-files.ts', import.meta.url));
    expect(faults).toEqual([]);
  },
);
