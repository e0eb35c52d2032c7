/** Tests generated hostile repositories: no program that a repository names is run, and its changes are still shown. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { workingTree } from './git-diff.ts';

let root: string;
let count = 0;
beforeAll(() => {
  root = mkdtempSync(`${tmpdir()}/spool-hostile-`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The share of the rounds: all with `npm test`; `npm run check` takes a tenth (`SPOOL_TEST_ROUNDS` in percent). */
const SHARE = Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100) / 100;
const MIXTURES = Math.ceil(40 * SHARE);
const LOOKS = Math.max(5, 20 * SHARE);
const PLACES = ['config', 'include', 'includeIf', 'worktree', 'nested'] as const;
const ALL = { keys: COMMAND_KEYS, names: ODD_NAMES };

function make(): HostileRepository {
  return new HostileRepository(root, `repository-${++count}`);
}

/** Returns the names of all files below `.git`, with their contents. */
function stateOf(folder: string): string {
  return execFileSync('sh', ['-c', 'find .git -type f | sort | xargs -d "\\n" sha256sum'], {
    cwd: folder,
    encoding: 'utf8',
  });
}

async function expectHarmless(repository: HostileRepository): Promise<void> {
  const before = stateOf(repository.folder);
  const tree = await workingTree(repository.folder);
  expect(repository.ran).toEqual([]);
  expect(tree).toMatchObject({ isRepository: true, branch: 'main', isCut: false });
  expect(tree.isRepository && tree.diff).toContain('+changed\n');
  expect(tree.isRepository && tree.diff).toContain('+staged\n');
  expect(tree.isRepository && tree.diff).not.toContain('b/b.txt');
  expect(tree.isRepository && tree.untracked).toContain('new.txt');
  expect(stateOf(repository.folder)).toBe(before);
}

test.each(PLACES)('[FILE-4] no command that git knows is run, under any name, from %s', async (place) => {
  const repository = make();
  repository.arm({ ...ALL, place });
  await expectHarmless(repository);
});

test.each(ODD_NAMES)('[FILE-4] a filter called %j is not run', async (name) => {
  const repository = make();
  repository.arm({ keys: ['filter.%.clean', 'filter.%.process', 'diff.%.textconv'], names: [name], place: 'config' });
  await expectHarmless(repository);
});

test('[FILE-4] no mixture of settings, names and places runs anything', async () => {
  const repository = make();
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
    { numRuns: MIXTURES },
  );
});

test('[FILE-4] settings, attributes and hooks that are switched while git runs are not run either', async () => {
  const repository = make();
  const path = join(repository.folder, '.git', 'config');
  const harmless = readFileSync(path, 'utf8');
  repository.arm({ ...ALL, place: 'config' });
  const switched = [
    await switchContents(path, [harmless, harmless + repository.settings(ALL)]),
    await switchContents(join(repository.folder, '.gitattributes'), ['', '* filter=evil diff=evil\n']),
  ];
  for (let look = 0; look < LOOKS; look++) {
    const tree = await workingTree(repository.folder);
    expect(tree.isRepository && tree.diff).toContain('+changed\n');
    expect(repository.ran).toEqual([]);
  }
  for (const stop of switched) expect(await stop()).toBeGreaterThan(2);
});

test('[FILE-4] a program called git in the working tree is not the one that is run', async () => {
  const repository = make();
  const ran = join(root, 'own-git-ran');
  mkdirSync(join(repository.folder, 'bin'));
  for (const name of ['git', 'bin/git']) {
    writeFileSync(join(repository.folder, name), `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(join(repository.folder, name), 0o755);
  }
  for (const first of ['', '.', './bin', 'bin', join(repository.folder, 'bin')]) {
    vi.stubEnv('PATH', `${first}:${process.env.PATH}`);
    const tree = await workingTree(repository.folder);
    vi.unstubAllEnvs();
    expect([first, existsSync(ran), tree.isRepository && tree.diff.includes('+changed\n')]).toEqual([
      first,
      false,
      true,
    ]);
  }
});

test('[FILE-4] a `.git` that is a pipe, a device, endless or a circle is no repository, and takes no time', async () => {
  const folder = join(root, 'odd');
  const git = join(folder, '.git');
  const makers: readonly (() => void)[] = [
    () => execFileSync('mkfifo', [git]),
    () => symlinkSync('/dev/zero', git),
    () => symlinkSync('/dev/tty', git),
    () => symlinkSync('.git', git),
    () => writeFileSync(git, `gitdir: ${'x'.repeat(100_000)}\n`),
    () => writeFileSync(git, 'gitdir: .git\n'),
    () => writeFileSync(git, 'gitdir: a\0b\n'),
    () => mkdirSync(git),
  ];
  for (const [index, put] of makers.entries()) {
    mkdirSync(folder);
    put();
    expect([index, await workingTree(folder)]).toEqual([index, { isRepository: false }]);
    rmSync(folder, { recursive: true });
  }
});

test('[FILE-4] a HEAD, index or packed-refs that is a pipe or leads elsewhere is not read', async () => {
  writeFileSync(join(root, 'secret'), 'secret\n');
  for (const [name, target] of [
    ['HEAD', 'ref: ../../../secret\n'],
    ['HEAD', 'ref: refs/../../secret\n'],
    ['HEAD', 'ref: refs/heads/a\0b\n'],
    ['HEAD', null],
    ['index', null],
    ['packed-refs', null],
    ['shallow', null],
    ['info/exclude', null],
  ] as const) {
    const repository = make();
    const path = join(repository.folder, '.git', name);
    rmSync(path, { force: true });
    if (target === null) execFileSync('mkfifo', [path]);
    else writeFileSync(path, target);
    const tree = await workingTree(repository.folder);
    expect([name, tree.isRepository]).toEqual([name, name !== 'HEAD']);
  }
});
