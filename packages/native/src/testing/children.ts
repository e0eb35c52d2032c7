/**
 * Helpers for the tests of the addon: real children, their sinks, a poller, and a leak check.
 *
 * Each test file calls `guardAgainstLeaks()` once; then every test starts with a fresh poller (behind `until`) and fails if it
 * leaves an fd, a child or a handler.
 */
import { execFile } from 'node:child_process';
import { constants as fsConstants, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import {
  native,
  POLL,
  TRANSFER,
  type ExitStatus,
  type Poller,
  type SpawnedChild,
  type SpawnOptions,
} from '../index.ts';

export const SIZE = { cols: 80, rows: 24 };

/** A folder for this test file. */
export const folder = mkdtempSync(join(tmpdir(), 'spool-native-'));

type Pty = Extract<SpawnedChild, { kind: 'pty' }>;
type Pipes = Extract<SpawnedChild, { kind: 'pipes' }>;

/** All facts about a child after its end. */
export interface FinishedChild {
  readonly status: ExitStatus;
  readonly bytes: Buffer;
  readonly text: string;
  readonly pid: number;
  readonly pts: string | undefined;
}

const ADDON = fileURLToPath(new URL('../../../../dist/spool_native.node', import.meta.url));
const PLAIN = { env: ['PATH=/usr/bin:/bin'], cwd: '/', umask: 0o022, nofileSoft: 1024, cgroupProcsFd: -1 };
const SEGMENT_BYTES = 1 << 20;
const handlers = new Map<number, (events: number) => void>();
let poller: Poller;

export function guardAgainstLeaks(): void {
  let fdsBefore: string[];
  beforeEach(() => {
    fdsBefore = openFds();
    handlers.clear();
    poller = native.createPoller((ready, count) => {
      for (let at = 0; at < count; at++) handlers.get(ready[2 * at]!)?.(ready[2 * at + 1]!);
    });
  });
  afterEach(() => {
    poller.close();
    expect([...handlers.keys()]).toEqual([]);
    expect(openFds()).toEqual(fdsBefore);
    expect(ownChildren()).toEqual([]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
}

/** A log file with its escrow pipe, as the keeper has one per session. `pipe` is -1 if the source is its own escrow. */
export class Sink {
  readonly pipe: number;
  readonly log: number;
  readonly result = new Int32Array(2);
  length = 0;

  constructor(pipe = native.openPipe(), path = join(folder, `log-${Sink.#made++}`)) {
    this.pipe = pipe;
    this.log = openSync(path, 'w+');
  }

  static #made = 0;

  pull(source: number, maxBytes = SEGMENT_BYTES): [moved: number, why: number] {
    native.transfer(source, this.pipe, this.log, this.length, maxBytes, this.result);
    if (this.result[1] === TRANSFER.few) {
      const [few] = this.result;
      this.length += few!;
      const [more, why] = this.pull(source, maxBytes - few!);
      return [few! + more, why];
    }
    this.length += this.result[0]!;
    return [this.result[0]!, this.result[1]!];
  }

  bytes(): Buffer {
    return readFileSync(`/proc/self/fd/${this.log}`);
  }

  [Symbol.dispose](): void {
    if (this.pipe !== -1) native.close(this.pipe);
    native.close(this.log);
  }
}

/** Resolves with the next report about `fd`. */
export function until(fd: number, events: number): Promise<number> {
  return new Promise((resolve) => {
    handlers.set(fd, (ready) => {
      handlers.delete(fd);
      poller.delete(fd);
      resolve(ready);
    });
    poller.set(fd, events);
  });
}

/** Reads the next line of a child byte by byte: later bytes stay in the kernel. */
export async function line(fd: number): Promise<string> {
  const byte = new Uint8Array(1);
  for (let text = ''; ; text += String.fromCharCode(byte[0]!)) {
    while (native.read(fd, byte) < 0) await until(fd, POLL.readable);
    if (byte[0] === 10) return text;
  }
}

export function spawn(argv: readonly string[], options: Partial<SpawnOptions> = {}): SpawnedChild {
  return native.spawn({ file: argv[0]!, argv, ...PLAIN, ...options });
}

export function pty(argv: readonly string[], options: Partial<SpawnOptions> = {}): Pty {
  return spawn(argv, { size: SIZE, ...options }) as Pty;
}

export function pipes(argv: readonly string[], options: Partial<SpawnOptions> = {}): Pipes {
  return spawn(argv, options) as Pipes;
}

export function ends(child: SpawnedChild): number[] {
  return child.kind === 'pty' ? [child.master, child.slave] : [child.stdin, child.stdout, child.stderr];
}

export function release(child: SpawnedChild): void {
  for (const fd of [child.pidfd, ...ends(child)]) if (fd !== -1) native.close(fd);
}

/** Moves all bytes into the sink until the source ends. */
export async function drain(source: number, sink: Sink): Promise<void> {
  while (sink.pull(source)[1] !== TRANSFER.ended) await until(source, POLL.readable);
}

/** Follows the child to its end. A terminal ends with its child: its remaining content is the rest. */
export async function collect(child: SpawnedChild, sink: Sink): Promise<void> {
  if (child.kind === 'pipes') {
    await Promise.all([drain(child.stdout, sink), until(child.pidfd, POLL.readable)]);
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  handlers.set(child.master, () => sink.pull(child.master));
  handlers.set(child.pidfd, () => resolve());
  poller.set(child.master, POLL.readable);
  poller.set(child.pidfd, POLL.readable);
  await promise;
  for (const fd of [child.master, child.pidfd]) {
    poller.delete(fd);
    handlers.delete(fd);
  }
  expect(sink.pull(child.master)[1]).toBe(TRANSFER.drained);
}

export async function finish(child: SpawnedChild): Promise<FinishedChild> {
  using sink = new Sink(child.kind === 'pty' ? native.openPipe() : -1);
  await collect(child, sink);
  const status = native.exitStatus(child.pidfd)!;
  release(child);
  const bytes = sink.bytes();
  return { status, bytes, text: bytes.toString(), pid: child.pid, pts: child.kind === 'pty' ? child.pts : undefined };
}

export function run(argv: readonly string[], options: Partial<SpawnOptions> = {}): Promise<FinishedChild> {
  return finish(spawn(argv, options));
}

/** Runs a script in a separate Node, with `native` and `ADDON`; returns the values that it passed to `report`. */
export async function freshNode<T = unknown>(
  script: string,
  env: Record<string, string> = {},
  before = '',
): Promise<T> {
  const answer = join(folder, `answer-${Math.random()}`);
  const whole = `
    const ADDON = ${JSON.stringify(ADDON)};
    const native = require(ADDON);
    const report = (value) => require('fs').writeFileSync(${JSON.stringify(answer)}, JSON.stringify(value));
    (async () => { ${script} })();`;
  const command = `${before} exec "$0" -e "$1"`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  execFile('sh', ['-c', command, process.execPath, whole], { env: { ...process.env, ...env } }, (error, _out, text) =>
    error ? reject(new Error(`${error.message}\n${text}`)) : resolve(),
  );
  await promise;
  return JSON.parse(readFileSync(answer, 'utf8')) as T;
}

export function flagsOf(fd: number): { nonblocking: boolean; cloexec: boolean } {
  const flags = parseInt(/flags:\t(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!, 8);
  return { nonblocking: (flags & fsConstants.O_NONBLOCK) !== 0, cloexec: (flags & 0o2000000) !== 0 };
}

/** Returns the state in /proc/PID/stat: R, S, T, Z, …. */
export function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.charAt(stat.lastIndexOf(')') + 2);
}

function openFds(): string[] {
  return readdirSync('/proc/self/fd').sort();
}

function ownChildren(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
}
