/**
 * `npm run bench` measures how far the program is from the limit of the machine. Every figure is a ratio of two things measured
 * in the same run, a few seconds apart and in turn, so that a noisy machine affects both. `npm run bench -- ingest echo` runs
 * some of them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ScreenModel, SeenReader } from '@spool/screen';
import { BUILT_IN_RULES, StatusReducer } from '@spool/status';
import { program, SPOOL, TestDaemon } from '@spool/testkit';
import { bridge, driverMemory, streamingAgents } from './agents.ts';
import { busyScreens, manyLoggers, quietSessions } from './busy-sessions.ts';
import { DOORS } from './gateway.ts';
import { echoOfANode, fleetOfLightNodes } from './fleet.ts';
import { hops } from './hops.ts';
import { endedSessions, historyReaders } from './scale-lists.ts';
import type { Figure } from './figure.ts';
import { pageAgentBenches } from './page-agent.ts';
import { pageBenches } from './page.ts';
import { isInstalled, keyMicroseconds, PEERS, shown } from './peers.ts';
import { quick } from './quick.ts';
import { hundredAtRest } from './rest.ts';

const MIB = 1024 * 1024;
const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  /** Measures 32 MiB of plain lines as `logs` reads them, against reading all of them by the model of the screen. */
  async logs() {
    const line = 'the quick brown fox jumps over the lazy dog, and does so again and again\r\n';
    const chunk = Buffer.from(line.repeat(64 * 1024).slice(0, MIB));
    const seconds = (options: ConstructorParameters<typeof SeenReader>[2]): number => {
      using reader = new SeenReader(PTY, () => {}, options);
      const before = process.cpuUsage();
      for (let at = 0; at < 32; at++) reader.write(chunk, at);
      reader.end();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    };
    const rounds = [0, 1, 2].map(() => [seconds({}), seconds({ plain: null })] as const);
    const a = median(rounds.map(([ours]) => ours));
    const b = median(rounds.map(([, model]) => model));
    return [
      {
        what: 'plain lines as `logs` reads them, CPU for 32 MiB',
        ours: `${a.toFixed(2)} s`,
        limit: `${b.toFixed(2)} s by the model`,
        ratio: a / b,
        goal: ['≤', 0.25],
      },
    ];
  },

  /** Measures 256 MiB through a PTY into the log, against a C program that reads the same PTY and discards the bytes. */
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

  /** Measures one byte and its echo through an SDK watcher, against a C program that writes and reads the same PTY. */
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

  /** Measures `spool ls` against an empty Node program. */
  async start() {
    await using daemon = new TestDaemon();
    await daemon.client();
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < 30; round++) {
      limit.push(timed(() => run(process.execPath, '-e', '0')));
      ours.push(timed(() => execFileSync(SPOOL, ['ls'], { env: daemon.env, stdio: 'pipe' })));
    }
    const [a, b] = [median(ours), median(limit)];
    return [
      {
        what: 'start of `spool ls`',
        ours: `${a.toFixed(0)} ms`,
        limit: `${b.toFixed(0)} ms`,
        ratio: a / b,
        goal: ['≤', 1.3],
      },
    ];
  },

  /** Measures the producer's time with twenty watchers that never read, against no watcher. */
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

const ATTACHED: Record<string, () => Promise<Figure[]>> = {
  /** Measures the time until the end of 256 MiB is on the attached terminal: the kernel alone, ours, and the peers. */
  async flood() {
    const bytes = 256 * MIB;
    const mark = 'THE-END-OF-IT';
    const command = `sleep 0.3; ${program('verified-source')} ${bytes}; echo; echo ${mark.slice(0, 4)}''${mark.slice(4)}; sleep 30`;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const kernel: number[] = [];
    const ours: number[] = [];
    const peers: Record<string, number[]> = {};
    for (let round = 0; round < 3; round++) {
      kernel.push(
        JSON.parse(run(program('limit'), 'drain', program('verified-source'), String(bytes))).seconds as number,
      );
      const session = await client.run({ command: ['sh', '-c', command], size: PTY, env });
      ours.push(shown(mark, [SPOOL, 'attach', session.id], daemon.env) - 0.3);
      await client.remove(session.id, { force: true });
      for (const [name, start] of Object.entries(PEERS)) {
        if (!isInstalled(name)) continue;
        const peer = start(command);
        (peers[name] ??= []).push(shown(mark, peer.attach, process.env) - 0.3);
        peer.stop();
      }
    }
    const seconds = (value: number): string => `${value.toFixed(2)} s`;
    const [a, b] = [median(ours), median(kernel)];
    return [
      {
        what: 'flood until its end is on the attached terminal, against the kernel alone',
        ours: seconds(a),
        limit: seconds(b),
        ratio: a / b,
        goal: ['≤', 1.5],
      },
      ...Object.entries(peers).map(([name, values]): Figure => ({
        what: `the same, ${name}'s time against ours`,
        ours: seconds(a),
        limit: seconds(median(values)),
        ratio: median(values) / a,
        goal: ['≥', name === 'tmux' ? 3 : 2],
      })),
    ];
  },

  /** Measures a key through `attach`, typed and shown on a real terminal: as fast as a program types, and as a user does. */
  async keys() {
    const speeds = [
      { name: 'a key through attach', keys: 400, pauseUs: 2_000 },
      { name: 'the same, 20 ms between keys', keys: 150, pauseUs: 20_000 },
    ];
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: [program('limit'), 'mirror'], size: PTY, env });
    const figures: Figure[] = [];
    for (const { name: what, keys, pauseUs } of speeds) {
      const p50 = (attach: readonly string[], environment: Record<string, string | undefined>): number =>
        keyMicroseconds(keys, attach, environment, pauseUs);
      const ours: number[] = [];
      const peers: Record<string, number[]> = {};
      for (let round = 0; round < 3; round++) {
        ours.push(p50([SPOOL, 'attach', session.id], daemon.env));
        for (const [name, start] of Object.entries(PEERS)) {
          if (!isInstalled(name)) continue;
          const peer = start(`${program('limit')} mirror`);
          (peers[name] ??= []).push(p50(peer.attach, process.env));
          peer.stop();
        }
      }
      const a = median(ours);
      for (const [name, values] of Object.entries(peers)) {
        const b = median(values);
        figures.push({
          what: `${what}, p50, against ${name}`,
          ours: `${a.toFixed(0)} µs`,
          limit: `${b.toFixed(0)} µs`,
          ratio: a / b,
          goal: name === 'dtach' ? ['≤', 1.5] : ['≤', 3],
        });
      }
    }
    return figures;
  },

  /** Measures the time of an attach, and the bytes sent, with a long history against a short one. */
  async attach() {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const measure = async (bytes: number): Promise<{ ms: number; size: number }> => {
      const command = [
        'sh',
        '-c',
        `yes 'a line of an ordinary log, of an ordinary length' | head -c ${bytes}; echo ready; sleep 1000`,
      ];
      const session = await client.run({ command, size: PTY, env });
      for await (const item of session.watch({ from: 0 }))
        if (item.type === 'output' && Buffer.from(item.bytes).includes('ready')) break;
      const times: number[] = [];
      let size = 0;
      for (let round = 0; round < 20; round++) {
        const startedAt = performance.now();
        const viewer = client.attach(session.id);
        for await (const item of viewer) {
          if (item.type !== 'snapshot') continue;
          size = item.bytes.length;
          break;
        }
        times.push(performance.now() - startedAt);
      }
      await client.remove(session.id, { force: true });
      return { ms: median(times), size };
    };
    const short = await measure(1000);
    const long = await measure(100 * MIB);
    return [
      {
        what: 'attach, 100 MiB of history against 1 kB',
        ours: `${long.ms.toFixed(1)} ms`,
        limit: `${short.ms.toFixed(1)} ms`,
        ratio: long.ms / short.ms,
        goal: ['≤', 2],
      },
      {
        what: 'attach, server part in ms',
        ours: `${long.ms.toFixed(1)} ms`,
        limit: '5 ms',
        ratio: long.ms / 5,
        goal: ['≤', 1],
      },
      { what: 'snapshot size', ours: `${long.size} B`, limit: '16 KiB', ratio: long.size / 16384, goal: ['≤', 1] },
    ];
  },

  /** Measures the memory of each idle session over all our processes. */
  async memory() {
    const count = 200;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const start = (): Promise<unknown> => client.run({ command: ['cat'], size: PTY, env });
    for (let n = 0; n < 20; n++) await start();
    const { holder, keeper } = await client.status();
    const kib = (): number =>
      [holder.pid, keeper.pid].reduce(
        (sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]),
        0,
      );
    const before = kib();
    for (let n = 0; n < count; n++) await start();
    const each = (kib() - before) / count;
    return [
      {
        what: 'memory of an idle session',
        ours: `${each.toFixed(0)} KiB`,
        limit: '64 KiB',
        ratio: each / 64,
        goal: ['≤', 1],
      },
    ];
  },

  /**
   * Measures the cost of the status of ten sessions while a dot blinks in each without any other change: the time of one sample,
   * multiplied by the rate for a session that always changes.
   */
  async detection() {
    const looks = 2000;
    const perSecond = (10 * 1000) / 150;
    const recording = new URL('../../../tests/fixtures/terminal/claude/tui-full-xterm.pty', import.meta.url);
    const model = new ScreenModel({ cols: 120, rows: 40 });
    model.write(readFileSync(recording).subarray(0, 20_000));
    const reducer = new StatusReducer({ rules: BUILT_IN_RULES, command: ['claude'], startedAt: 0 });
    const look = (at: number): void => {
      model.write(Buffer.from(at % 2 === 0 ? '\x1b7\x1b[1;1H●\x1b8' : '\x1b7\x1b[1;1H \x1b8'));
      const { row, col, isVisible } = model.cursor;
      reducer.output(9, at * 150, at);
      reducer.screen(
        {
          lines: model.plainLines(),
          cursor: { row, col },
          isCursorVisible: isVisible,
          isAlternate: model.isAlternate,
          title: model.modes.title,
        },
        at * 150,
        at,
      );
    };
    for (let at = 0; at < looks; at++) look(at);
    const before = process.cpuUsage();
    for (let at = looks; at < 2 * looks; at++) look(at);
    const { user, system } = process.cpuUsage(before);
    const part = ((user + system) / 1e6 / looks) * perSecond * 100;
    model.dispose();
    return [
      {
        what: 'status of ten sessions that blink without a pause, share of a core',
        ours: `${part.toFixed(2)} %`,
        limit: '1 %',
        ratio: part,
        goal: ['≤', 1],
      },
    ];
  },
};

/** Agents without a terminal: `npm run bench -- agents`. */
const AGENT_COSTS: readonly (() => Promise<Figure[]>)[] = [driverMemory, bridge, streamingAgents];
/** Many sessions at once. Each part is independent: `npm run bench -- scale`. */
const SCALE: readonly (() => Promise<Figure[]>)[] = [
  busyScreens,
  manyLoggers,
  quietSessions,
  endedSessions,
  historyReaders,
];

Object.assign(BENCHES, ATTACHED, {
  scale: async () => await inTurn(SCALE),
  page: pageBenches,
  'page-agent': pageAgentBenches,
  doors: async () => await inTurn(DOORS),
  agents: async () => await inTurn(AGENT_COSTS),
  rest: hundredAtRest,
  hops,
  fleet: async () => await inTurn([echoOfANode, fleetOfLightNodes]),
});
/** Benchmarks outside of the table: `npm run bench -- hops`. */
const ON_REQUEST: ReadonlySet<string> = new Set(['hops', 'rest']);
const wanted = process.argv.slice(2);
if (wanted[0] === 'quick') {
  await quick({ writes: wanted.includes('--write') });
  process.exit();
}
for (const name of wanted)
  if (!Object.hasOwn(BENCHES, name))
    throw new Error(`there is no bench "${name}"; there are: ${Object.keys(BENCHES).join(', ')}`);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 ? !wanted.includes(name) : ON_REQUEST.has(name)) continue;
  process.stderr.write(`bench: ${name} …\n`);
  figures.push(...(await bench()));
}
console.log('| what | ours | limit | ratio | goal |\n|---|---|---|---|---|');
for (const { what, ours, limit, ratio, goal } of figures) {
  const isMet = goal[0] === '≥' ? ratio >= goal[1] : ratio <= goal[1];
  console.log(`| ${what} | ${ours} | ${limit} | ${ratio.toFixed(2)} | ${goal.join(' ')} ${isMet ? 'met' : 'MISSED'} |`);
}

async function inTurn(parts: readonly (() => Promise<Figure[]>)[]): Promise<Figure[]> {
  const found: Figure[] = [];
  for (const part of parts) found.push(...(await part()));
  return found;
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
