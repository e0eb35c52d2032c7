/**
 * Tests hostile repositories: a summary runs no program that they name. The generator is the same as for the page
 * (gateway/files).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COMMAND_KEYS,
  type Hostility,
  HostileRepository,
  ODD_NAMES,
  switchContents,
} from '@spool/testkit/hostile-repository';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedFiles } from './changed-files.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(`${tmpdir()}/spool-hostile-`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const EVER = { since: 0, until: Number.POSITIVE_INFINITY };
const PLACES = ['config', 'include', 'includeIf', 'worktree', 'nested'] as const;

async function expectHarmless(repository: HostileRepository): Promise<void> {
  const changed = await changedFiles(repository.folder, EVER);
  expect(repository.ran).toEqual([]);
  expect(changed?.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'new.txt', 'staged.txt']));
}

/** The share of the rounds: all with `npm test`; `npm run check` takes a tenth (`SPOOL_TEST_ROUNDS` in percent), and each odd name. */
const SHARE = Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100) / 100;
const MIXTURES = Math.max(ODD_NAMES.length, 30 * SHARE);
const LOOKS = Math.max(5, 15 * SHARE);

test('[STATE-7] no setting, name or place of a hostile repository runs a program', async () => {
  const repository = new HostileRepository(root, 'fuzzed');
  const config = readFileSync(join(repository.folder, '.git', 'config'), 'utf8');
  const name = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ maxLength: 6, unit: 'binary' }));
  const hostility: fc.Arbitrary<Hostility> = fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...COMMAND_KEYS), { minLength: 1, maxLength: 6 }),
    names: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    place: fc.constantFrom(...PLACES),
  });
  await fc.assert(
    fc.asyncProperty(hostility, async (given) => {
      writeFileSync(join(repository.folder, '.git', 'config'), config);
      repository.arm(given);
      await expectHarmless(repository);
    }),
    {
      numRuns: MIXTURES,
      examples: ODD_NAMES.map((odd): [Hostility] => [{ keys: ['filter.%.clean'], names: [odd], place: 'config' }]),
    },
  );
});

test('[STATE-7] settings that are switched while git runs are not run either', async () => {
  const repository = new HostileRepository(root, 'switched');
  const path = join(repository.folder, '.git', 'config');
  const harmless = readFileSync(path, 'utf8');
  const all = { keys: COMMAND_KEYS, names: ODD_NAMES };
  repository.arm({ ...all, place: 'config' });
  const stop = await switchContents(path, [harmless, harmless + repository.settings(all)]);
  for (let look = 0; look < LOOKS; look++) await expectHarmless(repository);
  expect(await stop()).toBeGreaterThan(2);
});
