/**
 * Tests the real agents' shared services: sessions that started one end, and those that use it are not affected. The tests run if
 * `node scripts/agents.mjs codex@0.169.0` has downloaded the program (`SPOOL_AGENTS` names the folder); `shared-services.test.ts`
 * uses programs of the same structure. `SPOOL_STOP_ROUNDS` plays more rounds.
 */
import { existsSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inNamespace, NAMESPACES_MISSING, program } from '@spool/testkit';
import { expect, test } from 'vitest';
import type { BackgroundWorkers } from './bodies/claude-background.ts';
import type { SharedRounds } from './bodies/real-shared-services.ts';

const FOLDER = process.env.SPOOL_AGENTS ?? fileURLToPath(new URL('../.agents', import.meta.url));
/** At least one for each way to end. */
const ROUNDS = Number(process.env.SPOOL_STOP_ROUNDS ?? 4);
const ROUND_MS_MAX = 60_000;

/** Returns the newest installed version. */
function installed(name: string, file: string): string | null {
  const folders = existsSync(FOLDER) ? readdirSync(FOLDER).filter((each) => each.split('@')[0] === name) : [];
  return (
    folders
      .toSorted()
      .map((each) => `${FOLDER}/${each}/${file}`)
      .findLast(existsSync) ?? null
  );
}

const cannotRun = (): boolean =>
  NAMESPACES_MISSING !== null ||
  spawnSync(program('offline'), ['true']).status !== 0 ||
  spawnSync('nsenter', ['--version']).status !== 0;

for (const isOwn of [false, true]) {
  test(
    isOwn
      ? '[RUN-27] two real Codex with a server each: one is stopped, killed, crashed and removed in turn; the other keeps its tree and its turn'
      : '[RUN-26] two real Codex: one is stopped, killed, crashed and removed in turn; the other keeps its tree and its turn',
    async ({ skip }) => {
      const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
      const codex = installed('codex', `vendor/${machine}-unknown-linux-musl/bin/codex`);
      skip(codex === null, 'it runs once `node scripts/agents.mjs codex` has brought the program');
      skip(cannotRun(), 'it runs where a program may be given a network of its own');
      const body = new URL('bodies/real-shared-services.ts', import.meta.url);
      const { harm, printed, ways } = await inNamespace<SharedRounds>(
        body,
        { codex, rounds: ROUNDS, isOwn },
        { withinMs: ROUNDS * ROUND_MS_MAX },
      );
      expect(harm).toEqual([]);
      expect(Object.keys(ways).toSorted()).toEqual(['crash', 'kill', 'rm', 'stop']);
      if (isOwn) expect(printed).not.toContain('left running');
      else expect(printed).toContain("left running: Codex's shared service");
    },
    ROUNDS * ROUND_MS_MAX,
  );
}

test('[RUN-26] background sessions of the real Claude survive the stop of the session that started them', async ({
  skip,
}) => {
  const claude = installed('claude', 'claude');
  skip(claude === null, 'it runs once `node scripts/agents.mjs claude` has brought the program');
  skip(cannotRun(), 'it runs where a program may be given a network of its own');
  const body = new URL('bodies/claude-background.ts', import.meta.url);
  const { before, after, printed } = await inNamespace<BackgroundWorkers>(body, { claude });
  expect(before.length).toBeGreaterThanOrEqual(2);
  expect(after).toEqual(before);
  expect(printed).toContain("left running: Claude's background service");
});
