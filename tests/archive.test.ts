/**
 * Tests that this version opens the state folders of every release (`tests/fixtures/state/VERSION`). A release adds its own folder:
 * a terminal session, a filter on pipes, a failed task and an agent without a terminal, all ended.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionInfo } from '@spool/protocol';
import { TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { ROOT } from './support/sources.ts';

const ARCHIVE = `${ROOT}/tests/fixtures/state`;

for (const version of readdirSync(ARCHIVE)) {
  test(`[LIFE-44] the state folder of ${version} opens: sessions, output, screens, transcripts`, async () => {
    const home = mkdtempSync(`${tmpdir()}/spool-archive-`);
    cpSync(`${ARCHIVE}/${version}`, home, { recursive: true });
    mkdirSync(`${home}/config`, { mode: 0o700 });
    // The archive is older than what is kept.
    writeFileSync(`${home}/config/config.json`, JSON.stringify({ keepEnded: { age: null } }), { mode: 0o600 });
    await using daemon = new TestDaemon({ home });
    const sessions = await daemon.json<SessionInfo[]>('ls', '--all');
    const seen = sessions.map(({ name, state, exitCode }) => `${name} ${state} ${exitCode}`).sort();
    expect(seen).toEqual(['agent stopped null', 'colours failed 3', 'failing failed 2', 'filter exited 0']);
    const numbers = Array.from({ length: 30 }, (_, at) => `${at + 1}\n`).join('');
    expect((await daemon.spool(['logs', 'colours'])).stdout).toBe(`red and plain\n${numbers}`);
    expect((await daemon.spool(['screen', 'colours'])).stdout).toContain('30');
    expect((await daemon.spool(['logs', 'filter'])).stdout).toBe('a\nb\n');
    expect((await daemon.spool(['logs', 'agent'])).stdout).toContain('hello');
    expect(sessions.find(({ name }) => name === 'colours')?.labels).toEqual({ team: 'a' });
  });
}
