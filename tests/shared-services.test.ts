/** Ends sessions that have started a service for others, with programs of the same process structure as those of agents. */
import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { AfterEnd, WayToEnd } from './bodies/shared-service.ts';

const body = new URL('bodies/shared-service.ts', import.meta.url);
const UNTOUCHED = { service: true, updater: true, command: true, orphan: false, other: 'running' };

for (const way of ['stop', 'kill', 'rm', 'timeout'] satisfies WayToEnd[]) {
  testNeeding(NAMESPACES_MISSING)(
    `[RUN-26] ${way} of the session that started Codex's service leaves it, its updater and the command of another session`,
    async () => {
      const ended = await inNamespace<AfterEnd>(body, { way, agent: 'codex' });
      expect(ended).toMatchObject(UNTOUCHED);
      if (way !== 'timeout')
        expect(ended.printed).toMatch(/left running: Codex's shared service \(pid \d+\), started here, used by others/);
      if (way !== 'rm') expect(ended.left.toSorted()).toEqual(["Codex's shared service", "Codex's updater"]);
    },
  );
}

testNeeding(NAMESPACES_MISSING)(
  '[RUN-26] a session that crashes takes the service of others with it no more than a stopped one',
  async () => {
    const ended = await inNamespace<AfterEnd>(body, { way: 'crash', agent: 'codex' });
    expect(ended).toMatchObject({ ...UNTOUCHED, orphan: true });
  },
);

testNeeding(NAMESPACES_MISSING)(
  "[RUN-26] Claude's background service and its sessions survive the session that started them",
  async () => {
    const ended = await inNamespace<AfterEnd>(body, { way: 'stop', agent: 'claude' });
    expect(ended).toMatchObject(UNTOUCHED);
    expect(ended.printed).toContain("left running: Claude's background service");
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[RUN-26] what a command of another session descends from is left, whatever program it is',
  async () => {
    const ended = await inNamespace<AfterEnd>(body, { way: 'stop', agent: 'unknown' });
    // No command of another session descends from the second service.
    expect(ended).toMatchObject({ ...UNTOUCHED, updater: false });
    expect(ended.printed).toContain('left running: unknown, which serves another session');
  },
);

testNeeding(NAMESPACES_MISSING)('[RUN-26] a stop over HTTP leaves it too, and its answer names it', async () => {
  const ended = await inNamespace<AfterEnd>(body, { way: 'REST', agent: 'codex' });
  expect(ended).toMatchObject(UNTOUCHED);
  expect(ended.left.toSorted()).toEqual(["Codex's shared service", "Codex's updater"]);
});

testNeeding(NAMESPACES_MISSING)('[RUN-26] `daemon stop` leaves shared services, and names them', async () => {
  const ended = await inNamespace<AfterEnd>(body, { way: 'daemon stop', agent: 'codex' });
  expect(ended).toMatchObject({ ...UNTOUCHED, other: 'ended' });
  expect(ended.printed).toContain("left running: Codex's shared service");
});

testNeeding(NAMESPACES_MISSING)('[RUN-26] `stop --with-services` ends them too', async () => {
  const ended = await inNamespace<AfterEnd>(body, { way: 'with services', agent: 'codex' });
  expect(ended).toMatchObject({ service: false, updater: false, command: false, orphan: false, other: 'running' });
  expect(ended.printed).not.toContain('left running');
});
