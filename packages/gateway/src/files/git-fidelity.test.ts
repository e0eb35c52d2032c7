/** Tests ordinary repositories of every shape: the result is the same as that of plain git. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workingTree } from './git-diff.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(`${tmpdir()}/spool-fidelity-`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface TestRepository {
  readonly folder: string;
  git(...args: readonly string[]): string;
  write(path: string, content: string | Buffer): void;
}

function at(folder: string): TestRepository {
  mkdirSync(folder, { recursive: true });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return {
    folder,
    git: (...args) => execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }),
    write(path, content) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
  };
}

function commit({ git }: TestRepository, message: string): void {
  git('add', '-A');
  git('commit', '-q', '-m', message);
}

function repository(name: string, ...init: readonly string[]): TestRepository {
  const place = at(join(root, name));
  place.git('init', '-q', '-b', 'main', ...init);
  for (const path of ['kept', 'edited', 'moved', 'dropped', 'sub/inner', 'sub/deep/inner'])
    place.write(path, `${path}\n`.repeat(20));
  commit(place, 'first');
  return place;
}

/** Makes changes of every kind. */
function change({ folder, git, write }: TestRepository): void {
  write('edited', 'other\n');
  write('sub/inner', 'other\n');
  renameSync(join(folder, 'moved'), join(folder, 'moved away'));
  git('add', '-A', 'moved', 'moved away');
  rmSync(join(folder, 'dropped'));
  write('picture', Buffer.from([1, 0, 2, 0, 255]));
  git('add', 'picture');
  chmodSync(join(folder, 'kept'), 0o755);
  symlinkSync('kept', join(folder, 'link'));
  write('new "ü" 漢', 'x\n');
  write('.gitignore', 'ignored*\n');
  write('ignored', 'x\n');
}

async function expectAsGit({ folder, git }: TestRepository, branch: string, base = 'HEAD'): Promise<void> {
  const found = await workingTree(folder);
  const plain = ['-c', 'core.quotePath=false', 'diff', '--relative', '--ignore-submodules=all', base, '--', '.'];
  const others = git('ls-files', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean);
  expect(found).toEqual({ isRepository: true, branch, diff: git(...plain), isCut: false, untracked: others });
}

const SHAPES: Readonly<
  Record<string, (name: string) => readonly [place: TestRepository, branch: string, base?: string]>
> = {
  'a branch'(name) {
    const place = repository(name);
    change(place);
    return [place, 'main'];
  },
  'a branch with a slash, among packed refs'(name) {
    const place = repository(name);
    for (const branch of ['topic/one', 'topic/one-more', 'a']) place.git('branch', branch);
    place.git('checkout', '-q', 'topic/one');
    place.git('commit', '-q', '--allow-empty', '-m', 'more');
    place.git('gc', '-q');
    place.git('pack-refs', '--all');
    change(place);
    return [place, 'topic/one'];
  },
  'a detached HEAD'(name) {
    const place = repository(name);
    place.git('checkout', '-q', '--detach');
    change(place);
    return [place, place.git('rev-parse', 'HEAD').slice(0, 10)];
  },
  'no commit yet'(name) {
    const place = at(join(root, name));
    place.git('init', '-q', '-b', 'fresh');
    place.write('staged', 'x\n');
    place.git('add', '.');
    place.write('other', 'x\n');
    return [place, 'fresh', '4b825dc642cb6eb9a060e54bf8d69288fbee4904'];
  },
  'no commit yet, with SHA-256'(name) {
    const place = at(join(root, name));
    place.git('init', '-q', '-b', 'fresh', '--object-format=sha256');
    place.write('staged', 'x\n');
    place.git('add', '.');
    return [place, 'fresh', '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'];
  },
  'SHA-256'(name) {
    const place = repository(name, '--object-format=sha256');
    change(place);
    return [place, 'main'];
  },
  'a conflict'(name) {
    const place = repository(name);
    place.git('checkout', '-q', '-b', 'theirs');
    place.write('edited', 'theirs\n');
    commit(place, 'theirs');
    place.git('checkout', '-q', 'main');
    place.write('edited', 'ours\n');
    commit(place, 'ours');
    expect(() => place.git('merge', '-q', 'theirs')).toThrow('Command failed');
    return [place, 'main'];
  },
  'a linked working tree'(name) {
    const place = repository(name);
    const linked = at(join(root, `${name}, linked`));
    place.git('worktree', 'add', '-q', '-b', 'linked', linked.folder);
    change(linked);
    return [linked, 'linked'];
  },
  'a submodule'(name) {
    const inner = repository(`${name}, inner`);
    const place = repository(name);
    place.git('submodule', '--quiet', 'add', inner.folder, 'module');
    const module = at(join(place.folder, 'module'));
    change(module);
    return [module, 'main'];
  },
  'a folder of the working tree'(name) {
    const place = repository(name);
    change(place);
    place.write('sub/new', 'x\n');
    return [at(join(place.folder, 'sub')), 'main'];
  },
  'objects that another repository has'(name) {
    const other = repository(`${name}, other`);
    const place = at(join(root, name));
    execFileSync('git', ['clone', '-q', '--shared', other.folder, place.folder]);
    writeFileSync(join(place.folder, '.git/objects/info/alternates'), `../../../${name}, other/.git/objects\n`);
    change(place);
    return [place, 'main'];
  },
  'a shallow clone'(name) {
    const other = repository(`${name}, deep`);
    other.write('edited', 'later\n');
    commit(other, 'second');
    const place = at(join(root, name));
    execFileSync('git', ['clone', '-q', '--depth=1', `file://${other.folder}`, place.folder]);
    change(place);
    return [place, 'main'];
  },
  'a split index'(name) {
    const place = repository(name);
    place.git('update-index', '--split-index');
    change(place);
    return [place, 'main'];
  },
  'a sparse index'(name) {
    const place = repository(name);
    place.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'sub/deep');
    place.write('edited', 'other\n');
    return [place, 'main'];
  },
  'patterns of the repository alone'(name) {
    const place = repository(name);
    appendFileSync(join(place.folder, '.git/info/exclude'), 'private*\n');
    place.write('private', 'x\n');
    place.write('public', 'x\n');
    return [place, 'main'];
  },
  'HEAD as a symbolic link'(name) {
    const place = repository(name);
    rmSync(join(place.folder, '.git/HEAD'));
    symlinkSync('refs/heads/main', join(place.folder, '.git/HEAD'));
    change(place);
    return [place, 'main'];
  },
  'line endings by attribute'(name) {
    const place = repository(name);
    place.write('.gitattributes', '*.txt text eol=crlf\n*.utf16 working-tree-encoding=UTF-16\n');
    place.write('lines.txt', 'one\r\ntwo\r\n');
    place.write('wide.utf16', Buffer.from('\uFEFFone\n', 'utf16le'));
    commit(place, 'attributes');
    place.write('lines.txt', 'one\r\nthree\r\n');
    place.write('wide.utf16', Buffer.from('\uFEFFtwo\n', 'utf16le'));
    return [place, 'main'];
  },
};

test.each(Object.keys(SHAPES))('[FILE-4] the changes are those that plain git shows: %s', async (name) => {
  const [place, branch, base] = SHAPES[name]!(name);
  await expectAsGit(place, branch, base);
});

test('[FILE-4] a change in the second of the commit, of the same length, is found later too', async () => {
  const place = repository('racy');
  const path = join(place.folder, 'short');
  const secondOf = (): number => Math.floor(statSync(path).ctimeMs / 1000);
  let second = 0;
  for (let round = 0; second === 0 || second !== secondOf(); round++) {
    place.write('short', `${round % 10}a\n`);
    second = secondOf();
    commit(place, 'short');
    place.write('short', `${round % 10}b\n`);
  }
  while (Date.now() < (second + 1) * 1000) await new Promise((later) => setTimeout(later, 10));
  const found = await workingTree(place.folder);
  expect(found.isRepository && found.diff).toMatch(/^-\da\n\+\db$/m);
});
