/** The sessions of a campaign, with and without terminals, and the check of each at the end that no data was lost. */
import { program, seen } from '@spool/testkit';
import { type AgentKind, FaultAgentRun } from './agent-run.ts';
import { LINE_BYTES, SourceLines } from './source-lines.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

const size = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

/** The bytes that one source writes in a second. */
const BYTES_PER_SECOND = 3200;
const BURST_LINES = 4;

/** The time for an end: a daemon that was paused and killed needs a while to read the waiting output. */
const END_WITHIN_MS = 120_000;

export interface Subject {
  /** Works until the signal is aborted. */
  work(signal: AbortSignal): Promise<void>;
  /** Ends the session, and reports missing data to `world.lost`. */
  check(): Promise<void>;
}

/** Starts a session that writes bytes that can be computed from their offset, for this many seconds, and exits with 7. */
export async function source(world: World, seconds: number): Promise<Subject> {
  const bytes = BYTES_PER_SECOND * seconds;
  const pauseUs = Math.round((BURST_LINES * LINE_BYTES * 1e6) / BYTES_PER_SECOND);
  const command = [program('verified-source'), String(bytes), String(pauseUs), String(BURST_LINES)];
  const { id } = await world.client.run({ command, size, env });
  const lose = (what: string): void => void world.lost.push(`source ${id}: ${what}`);
  return {
    async work(signal) {
      await follow(world, id, lose, signal);
    },
    async check() {
      const ended = await world.client.wait(id, { signal: AbortSignal.timeout(END_WITHIN_MS) });
      if (ended.state !== 'failed' || ended.exitCode !== 7) lose(`it ended as ${ended.state} with ${ended.exitCode}`);
      const { end } = await follow(world, id, lose);
      if (end !== bytes) lose(`${end} of ${bytes} bytes are there`);
    },
  };
}

/** Reads a source from its start, and checks every byte. `end` is the offset where its bytes end. */
async function follow(
  world: World,
  id: string,
  lose: (what: string) => void,
  signal?: AbortSignal,
): Promise<{ end: number }> {
  let at = 0;
  const lines = new SourceLines();
  try {
    for await (const item of world.client.watch(id, { from: 0, ...(signal && { signal }) })) {
      if (item.type === 'gap') {
        // During the work, the end of a fault is not known yet; the check at the end sees every gap again.
        const isExcused = item.reason === 'disk' && (signal !== undefined || world.isExcused(id, item));
        if (item.from !== at || !isExcused) lose(`a hole from ${item.from} to ${item.to} (${item.reason}) at ${at}`);
        at = item.to;
        lines.hole();
      }
      if (item.type !== 'output') continue;
      if (item.offset !== at) lose(`bytes came at ${item.offset} instead of ${at}`);
      const wrong = lines.push(item.offset, item.bytes);
      if (wrong !== null) lose(wrong);
      at = item.offset + item.bytes.length;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  return { end: at - lines.surplus };
}

/** Starts a session that repeats each typed line: each must arrive, once, and in order. */
export async function typist(world: World, random: Random): Promise<Subject> {
  const script = 'stty -echo; echo ready; while IFS= read -r line; do echo "got $line."; done; exit 5';
  const { id } = await world.client.run({ command: ['sh', '-c', script], size, env });
  await seen(world.client, id, 'ready');
  const lose = (what: string): void => void world.lost.push(`typist ${id}: ${what}`);
  let typed = 0;
  return {
    async work(signal) {
      while (!signal.aborted) {
        await world.client.writeOnce(id, `line ${typed}`, `${typed}\n`);
        typed++;
        await world.sleep(random.between(100, 600));
      }
    },
    async check() {
      await world.client.writeOnce(id, 'the end', '\x04');
      const ended = await world.client.wait(id, { signal: AbortSignal.timeout(END_WITHIN_MS) });
      if (ended.exitCode !== 5) lose(`it ended as ${ended.state} with ${ended.exitCode}`);
      let said = '';
      let holes = 0;
      for await (const item of world.client.watch(id, { from: 0 })) {
        if (item.type === 'output') said += Buffer.from(item.bytes).toString('latin1');
        if (item.type !== 'gap') continue;
        holes++;
        if (item.reason !== 'disk' || !world.isExcused(id, item)) lose(`a hole from ${item.from} to ${item.to}`);
      }
      const all = [...said.matchAll(/got (\d+)\./g)].map(([, line]) => Number(line));
      const got = all.filter((line, at) => at === 0 || line !== all[at - 1]);
      world.linesTwice += all.length - got.length;
      const isInOrder = got.every((line, at) => at === 0 || line > got[at - 1]!);
      if (!isInOrder) lose(`lines came out of order: ${got.join(' ')}`);
      if (holes === 0 && got.length !== typed) lose(`${got.length} of ${typed} lines arrived`);
    },
  };
}

/** Sends an agent one prompt after the other. A killed agent is reported, and another replaces it. */
export async function prompter(world: World, kind: AgentKind, random: Random): Promise<Subject> {
  const runs = [await FaultAgentRun.start(world, kind)];
  return {
    async work(signal) {
      while (!signal.aborted) {
        if (runs.at(-1)!.hasEnded || runs.at(-1)!.hasGap) runs.push(await FaultAgentRun.start(world, kind));
        await runs.at(-1)!.prompt(signal);
        await world.sleep(random.between(0, 200));
      }
    },
    async check() {
      for (const run of runs) await run.check();
    },
  };
}
