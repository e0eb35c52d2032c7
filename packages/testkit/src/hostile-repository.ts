/**
 * Creates a git repository that tries to run programs: every setting of git that names one, also under odd names, in every place
 * from which git reads settings; hooks; attributes that use them. Each program would write its name to a file (the canary).
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Names of filters, diff drivers, remotes and so on. */
export const ODD_NAMES = [
  'evil',
  'a=b',
  '',
  'two.dots',
  'with space',
  'UPPER',
  'new\nline',
  'quote"d',
  'back\\slash',
  'ünïcode✓',
  '=',
  '.',
  '*',
  '--option',
  'a]b',
] as const;

/** Settings with a command as their value; `%` is one of the names. */
export const COMMAND_KEYS = [
  'filter.%.clean',
  'filter.%.smudge',
  'filter.%.process',
  'diff.%.textconv',
  'diff.%.command',
  'diff.external',
  'merge.%.driver',
  'core.fsmonitor',
  'core.sshCommand',
  'core.gitProxy',
  'core.editor',
  'core.pager',
  'core.askPass',
  'core.alternateRefsCommand',
  'sequence.editor',
  'pager.diff',
  'pager.status',
  'pager.log',
  'alias.diff',
  'alias.status',
  'credential.helper',
  'uploadpack.packObjectsHook',
  'gpg.program',
  'gpg.ssh.program',
  'interactive.diffFilter',
  'remote.%.uploadpack',
  'remote.%.vcs',
  'submodule.%.update',
  'trailer.%.command',
  'difftool.%.cmd',
  'sendemail.sendmailCmd',
  'web.browser',
] as const;

export const HOOKS = [
  'post-index-change',
  'pre-commit',
  'post-checkout',
  'fsmonitor-watchman',
  'reference-transaction',
];

export interface Hostility {
  readonly keys: readonly string[];
  readonly names: readonly string[];
  /** The place of the settings. */
  readonly place: 'config' | 'include' | 'includeIf' | 'worktree' | 'nested';
}

export class HostileRepository {
  readonly folder: string;
  readonly #canary: string;

  /** Creates an ordinary repository with changes of every kind; `arm` makes it hostile. */
  constructor(root: string, name: string) {
    this.folder = join(root, name);
    this.#canary = join(root, `${name}.canary`);
    mkdirSync(join(this.folder, 'sub'), { recursive: true });
    this.git('init', '-q', '-b', 'main');
    for (const path of ['a.txt', 'b.txt', 'sub/c.txt']) writeFileSync(join(this.folder, path), `${path}\n`.repeat(9));
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'first');
    this.#addNested();
    writeFileSync(join(this.folder, 'a.txt'), 'changed\n');
    writeFileSync(join(this.folder, 'staged.txt'), 'staged\n');
    this.git('add', 'staged.txt');
    writeFileSync(join(this.folder, 'new.txt'), 'new\n');
    // The size is the one in the index and the time is not, so git must read the file.
    writeFileSync(join(this.folder, 'b.txt'), `b.txt\n`.repeat(9));
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  /** The programs that have run. */
  get ran(): string[] {
    return existsSync(this.#canary) ? readFileSync(this.#canary, 'utf8').trim().split('\n') : [];
  }

  arm(hostility: Hostility): void {
    const { place, names } = hostility;
    const text = this.settings(hostility);
    const git = join(this.folder, '.git');
    if (place === 'config') appendFileSync(join(git, 'config'), text);
    if (place === 'nested') appendFileSync(join(this.folder, 'nested', '.git', 'config'), text);
    if (place === 'include' || place === 'includeIf') {
      writeFileSync(join(git, 'more'), text);
      const heading = place === 'include' ? 'include' : 'includeIf "gitdir:**"';
      appendFileSync(join(git, 'config'), `[${heading}]\n\tpath = more\n`);
    }
    if (place === 'worktree') {
      appendFileSync(
        join(git, 'config'),
        '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n',
      );
      writeFileSync(join(git, 'config.worktree'), text);
    }
    const attributes = names.map((name) => `* filter=${name} diff=${name} merge=${name}\n`).join('');
    for (const path of ['.gitattributes', 'sub/.gitattributes', '.git/info/attributes'])
      writeFileSync(join(this.folder, path), attributes);
    writeFileSync(join(this.folder, '.gitmodules'), '[submodule "nested"]\n\tpath = nested\n\turl = ext::sh\n');
    for (const hook of HOOKS) this.#addHook(join(git, 'hooks'), hook);
    rmSync(this.#canary, { force: true });
  }

  /** Returns the content of a configuration file of this kind. */
  settings({ keys, names }: Pick<Hostility, 'keys' | 'names'>): string {
    const lines = keys.flatMap((key) => {
      const [section = '', name, setting] = key.includes('.%.') ? key.split('.') : [key.split('.')[0], null];
      const last = setting ?? key.split('.').at(-1)!;
      const command = this.#commandFor(key);
      const value = `${/^(alias|submodule)/.test(key) ? '!' : ''}${command}`.replaceAll('"', '\\"');
      const body = `\t${last} = "${value}"\n${section === 'filter' ? '\trequired = true\n' : ''}`;
      if (name === null) return [`[${section}]\n${body}`];
      return names
        .filter((each) => !each.includes('\n')) // a heading is one line
        .map((each) => `[${section} "${each.replaceAll(/["\\]/g, String.raw`\$&`)}"]\n${body}`);
    });
    return `${lines.join('')}[remote "origin"]\n\tpromisor = true\n\turl = ext::${this.#script()}\n[log]\n\tshowSignature = true\n`;
  }

  #commandFor(key: string): string {
    return `echo ${key} >> ${this.#canary}; cat`;
  }

  #script(): string {
    const path = join(this.folder, '.git', 'script');
    writeFileSync(path, `#!/bin/sh\n${this.#commandFor('script')}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  #addHook(folder: string, name: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), `#!/bin/sh\n${this.#commandFor(`hook ${name}`)}\n`, { mode: 0o755 });
  }

  /** Adds a repository within this one, like a submodule: it is in the index, and has its own settings. */
  #addNested(): void {
    const nested = join(this.folder, 'nested');
    mkdirSync(nested);
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: nested, stdio: 'pipe' });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'nested');
    this.git('add', 'nested');
    this.git('commit', '-q', '-m', 'with a nested one');
    git('commit', '-q', '--allow-empty', '-m', 'more');
    writeFileSync(join(nested, 'changed.txt'), 'x\n');
  }
}

const SWITCHER = `
  const { renameSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: { path, contents, stop } } = require('node:worker_threads');
  let turn = 0;
  for (; turn === 0 || Atomics.load(stop, 0) === 0; turn++) {
    writeFileSync(path + '.next', contents[turn % contents.length]);
    renameSync(path + '.next', path);
    if (turn === 0) parentPort.postMessage('begun');
  }
  parentPort.postMessage(turn);`;

/** Writes one content after the other into a file, as fast as possible, in a thread; returns a function that ends it. */
export async function switchContents(path: string, contents: readonly string[]): Promise<() => Promise<number>> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SWITCHER, { eval: true, workerData: { path, contents, stop } });
  await new Promise((begun) => worker.once('message', begun));
  return async () => {
    const turns = new Promise<number>((ended) => worker.once('message', ended));
    Atomics.store(stop, 0, 1);
    const count = await turns;
    await worker.terminate();
    return count;
  };
}
