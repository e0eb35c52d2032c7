/** Creates a whole installation in a temporary folder (the bundle and a Node), which a test may move, delete or break. */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { RunResult, TestDaemon } from '@spool/testkit';

const DIST = new URL('../../dist/', import.meta.url);

export class Installation {
  folder: string;

  constructor() {
    this.folder = fs.mkdtempSync(`${tmpdir()}/spool-installation-`);
    fs.cpSync(DIST, `${this.folder}/dist`, { recursive: true, filter: (path) => !path.endsWith('.map') });
    fs.mkdirSync(`${this.folder}/bin`);
    linkOrCopy(process.execPath, this.node);
  }

  get node(): string {
    return `${this.folder}/bin/node`;
  }

  /** The path of the SDK's daemon entry. */
  get daemonEntry(): string {
    return `${this.folder}/dist/holder.mjs`;
  }

  /** The names of its bundles, for `edit`. */
  get programs(): readonly string[] {
    return fs.readdirSync(`${this.folder}/dist`).filter((name) => /\.[cm]js$/.test(name));
  }

  get chunks(): readonly string[] {
    const names = fs.readdirSync(`${this.folder}/dist/chunks`).filter((name) => name.endsWith('.cjs'));
    return names.map((name) => `chunks/${name}`);
  }

  async spool(daemon: TestDaemon, ...args: readonly string[]): Promise<RunResult> {
    const child = spawn(this.node, [`${this.folder}/dist/spool.cjs`, ...args], {
      env: daemon.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    return { code, stdout, stderr };
  }

  move(): void {
    const to = fs.mkdtempSync(`${tmpdir()}/spool-installation-`);
    fs.renameSync(this.folder, to);
    this.folder = to;
  }

  /** Changes the text of one of its programs. */
  edit(name: string, change: (text: string) => string): void {
    const path = `${this.folder}/dist/${name}`;
    fs.writeFileSync(path, change(fs.readFileSync(path, 'utf8')));
  }

  delete(name = ''): void {
    fs.rmSync(`${this.folder}/${name}`, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.delete();
  }
}

/** Links a file if the file system allows it, else copies it: a Node has 120 MB. */
function linkOrCopy(from: string, to: string): void {
  fs.mkdirSync(dirname(to), { recursive: true });
  try {
    fs.linkSync(from, to);
  } catch {
    fs.copyFileSync(from, to);
  }
}
