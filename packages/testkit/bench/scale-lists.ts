/**
 * Measures the cost of history: thousands of ended sessions, and many readers of compressed history. The figures are those of a
 * quiet machine; ratios of two measurements in one run are valid on any.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { SPOOL, TestDaemon, until, writeEndedSessions } from '@spool/testkit';
import type { Figure } from './figure.ts';

const ENDED = 5000;
const LS_ROUNDS = 15;
const STARTS = 5;
const MIB = 1024 * 1024;
const HISTORY_MIB = 64;
const READ_MIB = 256;
/** The interval of `get` requests: one after the other, the quick ones would count more than the slow ones. */
const GET_EVERY_MS = 5;
const READERS = [1, 4, 8, 16];
const env = { PATH: process.env.PATH! };

/**
 * Measures `ls` with 5,000 ended sessions against `ls` with none, and the delay of other requests by listing all of them, and by
 * a keeper's start.
 */
export async function endedSessions(): Promise<Figure[]> {
  await using none = new TestDaemon();
  await using many = new TestDaemon();
  writeEndedSessions(many.home, ENDED);
  for (const daemon of [none, many]) await (await daemon.client()).run({ command: ['cat'], env, name: 'alive' });
  const client = await many.client();
  await client.list({ limit: 1 }); // all are back from the disk
  const ls = { none: [] as number[], many: [] as number[] };
  for (let round = 0; round < LS_ROUNDS; round++) {
    ls.none.push(timed(() => execFileSync(SPOOL, ['ls'], { env: none.env, stdio: 'pipe' })));
    ls.many.push(timed(() => execFileSync(SPOOL, ['ls'], { env: many.env, stdio: 'pipe' })));
  }
  const idle = await none.client();
  // Run in another process: the cost of reading the answer is not the daemon's.
  const listing = await stalls(client, idle, listedElsewhere(many));
  const starting: Stalls[] = [];
  for (let round = 0; round < STARTS; round++) {
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await client.get('alive'); // the running ones come first
    starting.push(await stalls(client, idle, client.list({ limit: 1 }))); // answered when all are read
  }
  return [
    ratio(`\`ls\` with ${ENDED} ended sessions, against none`, median(ls.many), median(ls.none), 1.3, 'ms'),
    ratio('`get` while all are listed, p99 beyond that of an idle daemon beside it', beyond([listing]), 10, 1, 'ms'),
    ratio('the same: CPU of the main thread meanwhile, p99', p99(listing.cpuMs), 10, 1, 'ms'),
    ratio('`get` while a new keeper reads their records, p99 beyond idle', beyond(starting), 10, 1, 'ms'),
    ratio('the same: CPU of the main thread meanwhile, p99', p99(starting.flatMap(({ cpuMs }) => cpuMs)), 10, 1, 'ms'),
  ];
}

interface Stalls {
  /** The time of each `get`, and that of an idle daemon right after it, which the machine delays as much. */
  readonly ms: readonly number[];
  readonly idleMs: readonly number[];
  /** The CPU time of the keeper's main thread while the `get` waited: a stall, independent of other processes. */
  readonly cpuMs: readonly number[];
}

async function stalls(client: Client, idle: Client, over: Promise<unknown>): Promise<Stalls> {
  const state = { isOver: false };
  void over.then(() => (state.isOver = true));
  const { pid } = (await client.status()).keeper;
  const [ms, idleMs, cpuMs]: number[][] = [[], [], []];
  while (!state.isOver) {
    const before = mainThreadMs(pid);
    ms!.push(await timedGet(client));
    cpuMs!.push(mainThreadMs(pid) - before);
    idleMs!.push(await timedGet(idle));
  }
  return { ms: ms!, idleMs: idleMs!, cpuMs: cpuMs! };
}

const beyond = (measured: readonly Stalls[]): number =>
  p99(measured.flatMap(({ ms }) => ms)) - p99(measured.flatMap(({ idleMs }) => idleMs));

async function timedGet(client: Client): Promise<number> {
  const askedAt = performance.now();
  await client.get('alive');
  return performance.now() - askedAt;
}

/** Returns the CPU time of a process's main thread. */
function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

/** Measures readers at different places of compressed history: bytes a second in all, and the time of a `get` meanwhile. */
export async function historyReaders(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const lines = `seq -f '[%.0f] a line of an ordinary log, of an ordinary length' 100000000 | head -c ${HISTORY_MIB * MIB}`;
  const { id } = await client.run({ command: ['sh', '-c', `${lines}; exec sleep 1000`], env });
  const log = `${daemon.home}/sessions/${id}/log`;
  const isPacked = (): boolean =>
    readdirSync(log).filter((name) => name.endsWith('.zst') && name.includes('.log')).length >= HISTORY_MIB / 4 - 1;
  await until('the history is compressed', isPacked, 120_000);
  const measured: { readonly mibPerSecond: number; readonly getMs: number }[] = [];
  for (const readers of READERS) {
    const { begun, read, ended } = readElsewhere(daemon, id, readers);
    await begun;
    const startedAt = performance.now();
    const getMs = median(await gets(client, read, GET_EVERY_MS));
    measured.push({ mibPerSecond: READ_MIB / ((performance.now() - startedAt) / 1000), getMs });
    await ended;
  }
  const [one, most] = [measured[0]!, measured.at(-1)!];
  const told = READERS.map((readers, at) => `${readers}: ${measured[at]!.mibPerSecond.toFixed(0)}`).join(', ');
  return [
    {
      what: `readers of compressed history at different places, MiB/s in all (${told})`,
      ours: `${most.mibPerSecond.toFixed(0)} MiB/s`,
      limit: `${one.mibPerSecond.toFixed(0)} MiB/s`,
      ratio: most.mibPerSecond / one.mibPerSecond,
      goal: ['≥', 0.5],
    },
    ratio(`\`get\` with ${READERS.at(-1)} such readers, p50, against one`, most.getMs, one.getMs, 4, 'ms'),
  ];
}

/** Reads `READ_MIB` in all, at as many places as there are readers, in another process. */
function readElsewhere(
  daemon: TestDaemon,
  id: string,
  readers: number,
): { readonly begun: Promise<unknown>; readonly read: Promise<unknown>; readonly ended: Promise<void> } {
  const places = Array.from({ length: readers }, (_, at) => Math.floor((at * (HISTORY_MIB - 8) * MIB) / readers));
  const script = fileURLToPath(new URL('./read-history.ts', import.meta.url));
  const args = [script, id, String((READ_MIB * MIB) / readers), ...places.map(String)];
  const child = spawn(process.execPath, args, { env: daemon.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`the readers ended with ${String(code)}`);
  });
  const said = (word: string): Promise<unknown> =>
    new Promise((resolve) => child.stdout.on('data', (text: Buffer) => text.includes(word) && resolve(undefined)));
  return { begun: Promise.race([said('begin'), ended]), read: Promise.race([said('end'), ended]), ended };
}

async function listedElsewhere(daemon: TestDaemon): Promise<void> {
  const { code } = await daemon.spool(['ls', '--json']);
  if (code !== 0) throw new Error(`ls ended with ${code}`);
}

/** Returns the time of each `get`, one after the other or at intervals, until `over`. */
async function gets(client: Client, over: Promise<unknown>, everyMs = 0): Promise<number[]> {
  const state = { isOver: false };
  void over.then(() => (state.isOver = true));
  const times: number[] = [];
  while (!state.isOver || times.length === 0) {
    const askedAt = performance.now();
    await client.get('');
    times.push(performance.now() - askedAt);
    if (everyMs > 0)
      await new Promise((later) => setTimeout(later, Math.max(0, askedAt + everyMs - performance.now())));
  }
  return times;
}

function ratio(what: string, ours: number, limit: number, most: number, unit: string): Figure {
  const words = (value: number): string => `${value.toFixed(1)} ${unit}`;
  return { what, ours: words(ours), limit: words(limit), ratio: ours / limit, goal: ['≤', most] };
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;
const median = (values: readonly number[]): number => at(values, 0.5);
const p99 = (values: readonly number[]): number => at(values, 0.99);
