/**
 * Measures the cost of a daemon with many busy sessions: processor time of all its threads as a share of one core over a fixed
 * time, memory, and the time that users wait for a screen and for the event of a session's question.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Session } from '@spool/client';
import { program, TestDaemon, until } from '@spool/testkit';
import type { Figure } from './figure.ts';

const TUI = { count: 60, size: { cols: 120, rows: 40 }, framesPerSecond: 10 };
const LOGGERS = { count: 200, size: { cols: 80, rows: 24 }, linesPerSecond: 20 };
/** The time before the measurement: long enough for each session to start, and for compilers to be done. */
const WARM_UP_MS = 8000;
const MEASURE_MS = 15_000;
const ROUNDS = 40;
const TICKS_PER_SECOND = 100;

/**
 * Measures 60 full-screen programs that paint without a pause: share of a core, keyframes, `screen`, and a dialog that appears.
 */
export async function busyScreens(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { cols, rows } = TUI.size;
  const command = [program('busy-screen'), String(TUI.framesPerSecond), String(cols), String(rows)];
  const sessions = await start(client, TUI.count, { command, size: TUI.size });
  await sleep(WARM_UP_MS);
  const share = await shareOfCore(client);
  const screenMs = await timesOf(ROUNDS, async (round) => {
    await client.screen(sessions[round % sessions.length]!.id);
  });
  const dialogMs = await dialogTimes(client, sessions);
  const folders = sessions.map(({ id }) => `${daemon.home}/sessions/${id}`);
  const frames = folders.map((folder) => filesIn(`${folder}/keyframes`));
  const filesMax = Math.max(...frames.map(({ count }) => count));
  const keyframeBytes = sum(frames.map(({ bytes }) => bytes));
  const logBytes = sum(folders.map((folder) => filesIn(`${folder}/log`).bytes));
  const what = `${TUI.count} screens of ${cols}×${rows}, ${TUI.framesPerSecond} frames/s`;
  return [
    atMost(`${what}: share of a core`, share, 45, '%'),
    atMost(`${what}: memory of the keeper`, await residentMiB(client), 350, 'MiB'),
    atMost(`${what}: \`screen\`, p95`, p95(screenMs), 40, 'ms'),
    atMost(`${what}: a dialog is noticed, p95`, p95(dialogMs), 150, 'ms'),
    atMost(`${what}: keyframe files of a session`, filesMax, 20, ''),
    atMost(`${what}: keyframes against the log, bytes`, keyframeBytes / MIB, logBytes / MIB, 'MiB'),
  ];
}

/** Measures 200 sessions that write a line from time to time: share of a core, memory. */
export async function manyLoggers(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [program('busy-screen'), 'lines', String(LOGGERS.linesPerSecond)];
  await start(client, LOGGERS.count, { command, size: LOGGERS.size });
  await sleep(WARM_UP_MS);
  const what = `${LOGGERS.count} sessions of ${LOGGERS.linesPerSecond} lines/s`;
  return [
    atMost(`${what}: share of a core`, await shareOfCore(client), 45, '%'),
    atMost(`${what}: memory of the keeper`, await residentMiB(client), 350, 'MiB'),
  ];
}

/** Measures 1,000 silent sessions: the cost of examining their processes, until each is reported as stalled. */
export async function quietSessions(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ stalledAfter: QUIET.stalledAfter }));
  const client = await daemon.client();
  const { pid } = (await client.status()).keeper;
  const load = { command: ['sleep', '1000'], size: { cols: 80, rows: 24 } };
  // Started side by side, so that the first is not examined before the last has started.
  await Promise.all(Array.from({ length: 10 }, () => start(client, QUIET.count / 10, load)));
  const before = cpuMs(pid);
  const isStalled = async (): Promise<boolean> => {
    await sleep(1000);
    return (await client.list()).every(({ status }) => status.kind === 'stalled');
  };
  await until('all are stalled', isStalled, 180_000);
  const lookMs = (cpuMs(pid) - before) / QUIET.count / QUIET.looks;
  const what = `${QUIET.count.toLocaleString('en')} quiet sessions`;
  return [
    atMost(`${what}: CPU of one look at a process tree, with all else that the keeper does`, lookMs, 2, 'ms'),
    atMost(`${what}: share of a core in their first hour`, (lookMs * LOOKS_AN_HOUR * QUIET.count) / 36_000, 1, '%'),
  ];
}

/** The processes are examined after a quarter of that time (20 s), three quarters and all of it. */
const QUIET = { count: 1000, stalledAfter: '80s', looks: 3 };
/** The number of examinations with the default of ten minutes (`health.ts`). */
const LOOKS_AN_HOUR = 10;

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

interface Load {
  readonly command: readonly string[];
  readonly size: { readonly cols: number; readonly rows: number };
}

async function start(client: Client, count: number, load: Load): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let n = 0; n < count; n++) sessions.push(await client.run({ ...load, env: { PATH: process.env.PATH! } }));
  return sessions;
}

/** Returns the times from the signal that makes a program ask until the event that its session is blocked. */
async function dialogTimes(client: Client, sessions: readonly Session[]): Promise<number[]> {
  const pids = new Map(await Promise.all(sessions.map(async ({ id }) => [id, (await client.get(id)).pid] as const)));
  const events = client.events({ types: ['session-status'] });
  const blocked = async (session: string): Promise<void> => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error('the events ended');
      if (value.type === 'session-status' && value.id === session && value.status.state === 'blocked') return;
    }
  };
  try {
    return await timesOf(ROUNDS, async (round) => {
      const { id } = sessions[round % sessions.length]!;
      const startedAt = performance.now();
      process.kill(pids.get(id)!, 'SIGUSR1');
      await blocked(id);
      const ms = performance.now() - startedAt;
      process.kill(pids.get(id)!, 'SIGUSR2');
      return ms;
    });
  } finally {
    events.close();
  }
}

async function timesOf(rounds: number, work: (round: number) => Promise<number | void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    const measured = await work(round);
    times.push(typeof measured === 'number' ? measured : performance.now() - startedAt);
    await sleep(7 + (round % 5) * 11); // not in step with the sessions
  }
  return times;
}

/** Returns the share of all threads of the keeper, in per cent. */
async function shareOfCore(client: Client): Promise<number> {
  const { pid } = (await client.status()).keeper;
  const startedAt = performance.now();
  const before = cpuSeconds(pid);
  await sleep(MEASURE_MS);
  return ((cpuSeconds(pid) - before) / ((performance.now() - startedAt) / 1000)) * 100;
}

/** Returns the user and system time of all its threads. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function residentMiB(client: Client): Promise<number> {
  const { pid } = (await client.status()).keeper;
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

function filesIn(folder: string): { readonly count: number; readonly bytes: number } {
  try {
    const names = readdirSync(folder);
    return { count: names.length, bytes: sum(names.map((name) => statSync(`${folder}/${name}`).size)) };
  } catch {
    return { count: 0, bytes: 0 }; // no keyframe yet
  }
}

function atMost(what: string, ours: number, limit: number, unit: string): Figure {
  const figure = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`.trim();
  return { what, ours: figure(ours), limit: figure(limit), ratio: ours / limit, goal: ['≤', 1] };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const MIB = 1024 * 1024;
