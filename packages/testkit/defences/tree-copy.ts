/** Makes a copy of the repository in which defences are taken out: the sources are copied, installed packages are linked. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Defence } from './defence.ts';

/** The time limit: a test that hangs without its defence has failed. */
const TEST_MS_MAX = 60_000;
/** The limit includes the build. A run that takes longer proves nothing: the machine may be slow. */
const RUN_MS_MAX = 300_000;

export type TestOutcome = 'passed' | 'failed' | 'not finished';

export class TreeCopy {
  readonly root = mkdtempSync(`${tmpdir()}/spool-defences-`);

  constructor(source: string) {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: source,
    });
    execFileSync('cp', ['-a', '--parents', ...files.toString().split('\0').filter(Boolean), this.root], {
      cwd: source,
    });
    // Hard links: the copy replaces no file of these, and its workspaces lead to its own packages.
    for (const folder of ['node_modules', 'dist'])
      execFileSync('cp', ['-al', join(source, folder), join(this.root, folder)]);
  }

  /** Takes the defence out; returns a function that restores it. */
  takeOut({ file, find, without }: Defence): () => void {
    const path = join(this.root, file);
    const text = readFileSync(path, 'utf8');
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`${file} has the defence ${parts.length - 1} times, not once: ${find}`);
    writeFileSync(path, parts.join(without));
    return () => writeFileSync(path, text);
  }

  /** Runs the named test. Throws if no test has this name. `limitMs`: for tests. */
  async run({ file, title }: Defence['test'], limitMs = RUN_MS_MAX): Promise<TestOutcome> {
    const project = file.startsWith('tests/') ? 'system' : 'unit';
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', '--project', project, file];
    const named = title === undefined ? [] : ['-t', title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')];
    const child = spawn(process.execPath, [...args, ...named, '--testTimeout', String(TEST_MS_MAX)], {
      cwd: this.root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    if (child.signalCode !== null) return 'not finished';
    if (!/Tests +.*\d+ (passed|failed)/.test(text))
      throw new Error(`no test ran in ${file} (${title ?? 'all'}):\n${text.slice(-2000)}`);
    return code === 0 ? 'passed' : 'failed';
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The environment of this process, which may be a test itself: its vitest must not reach the other one, and nothing is tried twice there. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST.*|TEST|NODE_ENV|CI)$/.test(name)),
  );
}
