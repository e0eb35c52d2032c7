/**
 * Copies the daemon's program to `program/` of the state folder: the files that start a keeper, a holder, a driver or a gateway
 * after the installation was moved, replaced or deleted (decision 161). The copy has 5 MB and takes some 5 ms. Node itself (120
 * MB) is not copied: its file is held open, and executed through that fd. Keeps LIFE-15.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedFile } from '@spool/native/installed-file';
import { isSameFile } from '@spool/native/own-node';
import { type DaemonProgram, type ProgramSource, programFolder } from '@spool/protocol';

/** The programs that the daemon starts after its own start. */
export const PROGRAMS = ['holder.mjs', 'keeper.mjs', 'screens.mjs', 'driver.mjs', 'bridge.mjs', 'gateway.mjs'];
const FILES = [...PROGRAMS, 'spool_native.node'];
/** The kernel executes these. */
export const PROGRAMS_IN_C = ['spool-beside', 'spool-fd-store', 'spool-hook', 'spool-tied'];
const PAGE = 'web';
/** A daemon that was started without one of these works all the same; one that has it does not give it up. */
/** Read by the gateway for some users only. */
const LIBRARY = 'nats.mjs';
const FILES_PERHAPS = [...PROGRAMS_IN_C, LIBRARY, `${PAGE}/index.html`];

/** The number of failures in a row after which the next folder is tried. */
const FAILURES_EACH = 2;

/** A program and the Node to run it with. */
export interface RunnableProgram {
  readonly node: string;
  readonly path: string;
}

/** A program that may become the daemon's program. */
export interface PreparedProgram {
  readonly record: DaemonProgram;
  readonly folder: string;
  readonly nodeFd: number;
}

export class ProgramFiles {
  #record: DaemonProgram;
  #nodeFd: number;
  /** The open file of the previous copy's Node; -1 if it is not open. */
  #nodeFdBefore = -1;

  /** `record` comes from the predecessor of this holder. */
  constructor(record: DaemonProgram | undefined) {
    this.#record = record ?? { copy: null, before: null, source: { folder: ownFolder(), node: process.execPath } };
    this.#nodeFd = process.platform === 'linux' ? openSync('/proc/self/exe', 'r') : -1;
  }

  get record(): DaemonProgram {
    return this.#record;
  }

  /** The open file of the Node that runs the program: it can be executed even if no path leads to it any more. */
  get nodeFd(): number {
    return this.#nodeFd;
  }

  /** Returns whether the copy is missing, and the installation exists to copy it again. */
  needsCopy(state: string): boolean {
    const { copy, source } = this.#record;
    const isThere = copy !== null && existsSync(`${programFolder(state)}/${copy}/keeper.mjs`);
    return !isThere && existsSync(`${source.folder}/keeper.mjs`);
  }

  /** Returns the program in the best folder that has it; after `failures`, in another one. */
  find(state: string, name: string, failures = 0): RunnableProgram {
    const { copy, before, source } = this.#record;
    const folders = [copy, before]
      .filter((each) => each !== null)
      .map((each) => `${programFolder(state)}/${each}`)
      .concat(source.folder, ownFolder());
    const paths = new Set(folders.map((folder) => installedFile(folder, name)));
    const usable = [...paths].filter((path) => existsSync(path));
    const path = usable[Math.floor(failures / FAILURES_EACH) % (usable.length || 1)] ?? `${source.folder}/${name}`;
    return { node: nodePath(source.node, this.#nodeFd), path };
  }

  /**
   * Copies an installation; by default the daemon's own. If the installation is missing, the present copy is used again. Throws if
   * a program is missing.
   */
  prepare(state: string, asked?: ProgramSource): PreparedProgram {
    const { source, copy: present } = this.#record;
    const wanted = asked ?? source;
    if (!asked && present !== null && !existsSync(`${source.folder}/keeper.mjs`))
      return { record: this.#record, folder: `${programFolder(state)}/${present}`, nodeFd: this.#nodeFd };
    const missing = this.#needed(state).find((name) => !existsSync(installedFile(wanted.folder, name)));
    if (missing !== undefined) throw new Error(`${wanted.folder} has no ${missing}`);
    const nodeFd = asked ? openSync(asked.node, 'r') : this.#nodeFd;
    const copy = `${Date.now().toString(36)}-${process.pid}`;
    const folder = `${programFolder(state)}/${copy}`;
    try {
      copyFiles(wanted.folder, folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (nodeFd !== this.#nodeFd) closeSync(nodeFd);
      throw error;
    }
    const { refused, since = Date.now() } = this.#record;
    const record = {
      copy,
      before: present,
      source: wanted,
      sourceBefore: source,
      since: asked ? Date.now() : since,
      refused,
    };
    return { record, folder, nodeFd };
  }

  /** Returns the program before the present one, to be used again for this reason; null if there is none. */
  prepareBefore(state: string, reason: string): PreparedProgram | null {
    const { before, source, sourceBefore = source } = this.#record;
    const folder = `${programFolder(state)}/${before}`;
    if (before === null || !existsSync(`${folder}/keeper.mjs`)) return null;
    const at = Date.now();
    const record = { copy: before, before: null, source: sourceBefore, since: at, refused: { at, reason } };
    return { record, folder, nodeFd: this.#openNodeBefore(sourceBefore) };
  }

  #openNodeBefore({ node }: ProgramSource): number {
    if (this.#nodeFdBefore !== -1) return this.#nodeFdBefore;
    return existsSync(node) ? openSync(node, 'r') : this.#nodeFd;
  }

  #needed(state: string): readonly string[] {
    const folder = `${programFolder(state)}/${this.#record.copy}`;
    return [...FILES, ...FILES_PERHAPS.filter((name) => existsSync(`${folder}/${name}`))];
  }

  /** Makes a prepared program the daemon's, and removes all copies but this one and the one before. */
  use(state: string, { record, nodeFd }: PreparedProgram): void {
    this.#useNode(nodeFd, record.before !== null);
    this.#record = record;
    for (const name of existsSync(programFolder(state)) ? readdirSync(programFolder(state)) : [])
      if (name !== record.copy && name !== record.before)
        rmSync(`${programFolder(state)}/${name}`, { recursive: true, force: true });
  }

  /** The Node of the program before stays open as long as its copy is kept. */
  #useNode(fd: number, keepsBefore: boolean): void {
    if (fd === this.#nodeFd) return;
    if (this.#nodeFdBefore !== -1 && this.#nodeFdBefore !== fd) closeSync(this.#nodeFdBefore);
    if (!keepsBefore) closeSync(this.#nodeFd);
    this.#nodeFdBefore = keepsBefore ? this.#nodeFd : -1;
    this.#nodeFd = fd;
  }

  /** Removes a copy that did not become the daemon's program. */
  discard({ record, folder, nodeFd }: PreparedProgram): void {
    if (record === this.#record) return;
    if (record.copy !== this.#record.before) rmSync(folder, { recursive: true, force: true });
    if (![this.#nodeFd, this.#nodeFdBefore].includes(nodeFd)) closeSync(nodeFd);
  }
}

/** Returns the usual path of Node if it still leads to the open file; otherwise a path through the fd. */
export function nodePath(path: string, fd: number): string {
  const open = `/proc/self/fd/${fd}`;
  return fd === -1 || isSameFile(path, open) ? path : open;
}

function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const names = [...FILES, ...[...PROGRAMS_IN_C, LIBRARY].filter((name) => existsSync(installedFile(from, name)))];
  for (const name of names) copyPrivately(installedFile(from, name), `${to}/${name}`);
  for (const name of existsSync(`${from}/${PAGE}`) ? readdirSync(`${from}/${PAGE}`, { recursive: true }) : []) {
    const path = `${PAGE}/${String(name)}`;
    mkdirSync(dirname(`${to}/${path}`), { recursive: true, mode: 0o700 });
    if (statSync(`${from}/${path}`).isFile()) copyPrivately(`${from}/${path}`, `${to}/${path}`);
  }
}

/** Copies a file so that only its owner can read it, like every file of the state folder. */
function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, PROGRAMS_IN_C.includes(basename(to)) ? 0o700 : 0o600);
}

/** Returns the folder from which this process was loaded. */
function ownFolder(): string {
  return fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
}
