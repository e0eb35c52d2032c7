/**
 * `npm run bench`: how far from the limit are we? Every figure is a ratio of two things measured in the same run, a few
 * seconds apart and in turn, so that a noisy machine is noisy to both. `npm run bench -- ingest echo` runs some of them.
 */
import { execFileSync } from 'node:child_process';
import { program, SPOOL, TestDaemon } from '@spool/testkit';

const MIB = 1024 * 1024;
const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: number;
  /** What the ratio should be: at least, or at most. */
  readonly goal: readonly ['≥' | '≤', number];
}

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  /** 256 MiB through a PTY into the log, against a C program that reads the same PTY and throws the bytes away. */
  async ingest() {
    const bytes = 256 * MIB;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < 3; round++) {
      limit.push(
        JSON.parse(run(program('limit'), 'drain', program('verified-source'), String(bytes))).seconds as number,
      );
      const startedAt = performance.now();
      const session = await client.run({ command: [program('verified-source'), String(bytes)], size: PTY, env });
      await client.wait(session.id);
      ours.push((performance.now() - startedAt) / 1000);
      await client.remove(session.id);
    }
    const speed = (seconds: number): string => `${Math.round(bytes / MIB / seconds)} MiB/s`;
    const [a, b] = [median(ours), median(limit)];
    return [
      {
        what: 'ingest of a flood into the log, speed',
        ours: speed(a),
        limit: speed(b),
        ratio: b / a,
        goal: ['≥', 0.8],
      },
    ];
  },

  /** One byte there and back through an SDK watcher, against a C program that writes and reads the same PTY. */
  async echo() {
    const rounds = 2000;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: [program('limit'), 'mirror'], size: PTY, env });
    const watch = session.watch({ from: 0 })[Symbol.asyncIterator]();
    const output = async (): Promise<void> => {
      for (;;) if ((await watch.next()).value?.type === 'output') return;
    };
    await output();
    const times: number[] = [];
    const limits: number[] = [];
    const byte = Buffer.from('x');
    for (let part = 0; part < 4; part++) {
      limits.push(JSON.parse(run(program('limit'), 'echo', String(rounds))).p50 as number);
      for (let round = 0; round < rounds; round++) {
        const sentAt = performance.now();
        void client.write(session.id, byte);
        await output();
        times.push((performance.now() - sentAt) * 1000);
      }
    }
    const [a, b] = [median(times), median(limits)];
    return [
      {
        what: 'echo of a keystroke, p50',
        ours: `${a.toFixed(0)} µs`,
        limit: `${b.toFixed(0)} µs`,
        ratio: a / b,
        goal: ['≤', 3],
      },
    ];
  },

  /** `spool ls` against a Node that does nothing. */
  async start() {
    await using daemon = new TestDaemon();
    await daemon.client();
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < 30; round++) {
      limit.push(timed(() => run(process.execPath, '-e', '0')));
      ours.push(timed(() => execFileSync(SPOOL, ['ls'], { env: daemon.env })));
    }
    const [a, b] = [median(ours), median(limit)];
    return [
      {
        what: 'start of `spool ls`',
        ours: `${a.toFixed(0)} ms`,
        limit: `${b.toFixed(0)} ms`,
        ratio: a / b,
        goal: ['≤', 1.6],
      },
    ];
  },

  /** The producer's time with twenty watchers that never read, against nobody watching. */
  async stuck() {
    const bytes = 192 * MIB;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const flood = async (watchers: number): Promise<number> => {
      const command = ['sh', '-c', `stty raw -echo; read go; exec ${program('verified-source')} ${bytes}`];
      const session = await client.run({ command, size: PTY, env });
      const stuck = Array.from({ length: watchers }, () => client.watch(session.id, { from: 0 }));
      const startedAt = performance.now();
      await client.write(session.id, '\n');
      await client.wait(session.id);
      const ms = performance.now() - startedAt;
      for (const watch of stuck) watch.close();
      await client.remove(session.id);
      return ms;
    };
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < 3; round++) {
      limit.push(await flood(0));
      ours.push(await flood(20));
    }
    const [a, b] = [median(ours), median(limit)];
    return [
      {
        what: 'a producer with 20 stuck watchers, time',
        ours: `${a.toFixed(0)} ms`,
        limit: `${b.toFixed(0)} ms`,
        ratio: a / b,
        goal: ['≤', 1.05],
      },
    ];
  },
};

const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!Object.hasOwn(BENCHES, name))
    throw new Error(`there is no bench "${name}"; there are: ${Object.keys(BENCHES).join(', ')}`);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`bench: ${name} …\n`);
  figures.push(...(await bench()));
}
console.log('| what | ours | limit | ratio | goal |\n|---|---|---|---|---|');
for (const { what, ours, limit, ratio, goal } of figures) {
  const isMet = goal[0] === '≥' ? ratio >= goal[1] : ratio <= goal[1];
  console.log(`| ${what} | ${ours} | ${limit} | ${ratio.toFixed(2)} | ${goal.join(' ')} ${isMet ? 'met' : 'MISSED'} |`);
}

function run(file: string, ...args: string[]): string {
  return execFileSync(file, args, { encoding: 'utf8' });
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
