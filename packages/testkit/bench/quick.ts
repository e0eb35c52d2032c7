/**
 * `npm run bench -- quick`: start, first output, echo and flood in less than 90 s, against bare Node, dtach, tmux and the committed
 * figures. Before every release, and after every piece of work on these paths; `--write` commits the new figures to
 * docs/performance.json, from which the first table of docs/performance.md is made.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { program, SPOOL, TestDaemon } from '@spool/testkit';
import { isInstalled, keyMicroseconds, PEERS, shown } from './peers.ts';
import { privateMegabytes, wakeUps } from './rest.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const JSON_FILE = `${ROOT}docs/performance.json`;
const PAGE = `${ROOT}docs/performance.md`;
const MIB = 1024 * 1024;
const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

/** A figure that can be compared: a ratio, or CPU seconds. */
interface Measurement {
  readonly what: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 's CPU' | 'MB' | 'a second';
  /** The maximum; null means that there is no goal, only the comparison. */
  readonly goal: number | null;
  /** The two sides of a ratio. */
  readonly from?: string;
}

interface Baseline {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly figures: readonly Measurement[];
}

export async function quick({ writes }: { readonly writes: boolean }): Promise<void> {
  const figures: Measurement[] = [];
  for (const part of [starts, firstOutput, keys, flood, rest]) {
    process.stderr.write(`bench: ${part.name} …\n`);
    figures.push(...(await part()));
  }
  const before = committed();
  console.log(`against ${before === null ? 'nothing committed' : `${before.commit} of ${before.date}`}`);
  console.log(table(figures, before));
  if (!writes) return;
  const commit = execFileSync('git', ['-C', ROOT, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const node = execFileSync(process.execPath, ['--version'], { encoding: 'utf8' }).trim();
  const kernel = execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim().split('-')[0];
  const all: Baseline = { commit, date, machine: `Linux ${kernel}, Node ${node}`, figures };
  writeFileSync(JSON_FILE, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), all));
}

/** Verbs that ask one thing, against a Node that does nothing: wall time, and CPU time of all processes of the command. */
async function starts(): Promise<Measurement[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['sleep', '1000'], name: 'sleeper', size: PTY, env });
  await (await client.run({ command: ['true'], name: 'ended', env })).wait();
  const asking = ['ls', 'send sleeper x', 'keys sleeper a', 'inspect sleeper', 'wait ended'];
  const commands: Record<string, string> = { bare: `${process.execPath} -e 0` };
  for (const words of asking) commands[words.split(' ')[0]!] = `${SPOOL} ${words}`;
  const wall: Record<string, number[]> = {};
  const cpu: Record<string, number> = {};
  for (const command of Object.values(commands)) timed(command, daemon.env); // stores its code
  for (let round = 0; round < 25; round++)
    for (const [name, command] of Object.entries(commands)) (wall[name] ??= []).push(timed(command, daemon.env));
  for (const [name, command] of Object.entries(commands)) cpu[name] = cpuSeconds(command, 20, daemon.env);
  const ms = (name: string): number => median(wall[name]!);
  return Object.keys(commands)
    .filter((name) => name !== 'bare')
    .flatMap((name): Measurement[] => [
      {
        what: `\`spool ${name}\` against bare Node`,
        value: ms(name) / ms('bare'),
        unit: '×',
        goal: 1.3,
        from: `${ms(name).toFixed(1)} and ${ms('bare').toFixed(1)} ms`,
      },
      { what: `\`spool ${name}\` against bare Node, CPU`, value: cpu[name]! / cpu['bare']!, unit: '×', goal: null },
    ]);
}

/** `run` until its first byte is on a terminal that answers no question, with a daemon that is up. */
async function firstOutput(): Promise<Measurement[]> {
  await using daemon = new TestDaemon();
  await daemon.client();
  const mark = 'FIRST-OUT';
  const words = ['sh', '-c', `printf FIRST-; printf 'OUT\\n'`];
  const times = Array.from({ length: 9 }, () => shown(mark, [SPOOL, 'run', '--', ...words], daemon.env) * 1000);
  return [{ what: '`spool run` to its first output', value: median(times), unit: 'ms', goal: 60 }];
}

async function keys(): Promise<Measurement[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: [program('limit'), 'mirror'], size: PTY, env });
  const ours: number[] = [];
  const dtach: number[] = [];
  for (let round = 0; round < 3; round++) {
    ours.push(keyMicroseconds(300, [SPOOL, 'attach', session.id], daemon.env));
    if (isInstalled('dtach'))
      dtach.push(against('dtach', `${program('limit')} mirror`, (attach) => keyMicroseconds(300, attach, process.env)));
  }
  if (dtach.length === 0) return [];
  const [a, b] = [median(ours), median(dtach)];
  const from = `${a.toFixed(0)} and ${b.toFixed(0)} µs`;
  return [{ what: 'a key through `attach`, p50, against dtach', value: a / b, unit: '×', goal: 1.5, from }];
}

/** 64 MiB until their end is on the attached terminal. */
async function flood(): Promise<Measurement[]> {
  const mark = 'THE-END-OF-IT';
  const command = `sleep 0.3; ${program('verified-source')} ${64 * MIB}; echo; echo ${mark.slice(0, 4)}''${mark.slice(4)}; sleep 30`;
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { holder, keeper } = await client.status();
  const ours: number[] = [];
  const peers: Record<'dtach' | 'tmux', number[]> = { dtach: [], tmux: [] };
  const before = processSeconds(holder.pid) + processSeconds(keeper.pid);
  for (let round = 0; round < 3; round++) {
    const session = await client.run({ command: ['sh', '-c', command], size: PTY, env });
    ours.push(shown(mark, [SPOOL, 'attach', session.id], daemon.env) - 0.3);
    await client.remove(session.id, { force: true });
    for (const name of ['dtach', 'tmux'] as const)
      if (isInstalled(name))
        peers[name].push(against(name, command, (attach) => shown(mark, attach, process.env)) - 0.3);
  }
  const used = processSeconds(holder.pid) + processSeconds(keeper.pid) - before;
  const a = median(ours);
  const goals = { dtach: 1, tmux: 1 / 2.5 };
  return [
    ...(['dtach', 'tmux'] as const)
      .filter((name) => peers[name].length > 0)
      .map((name): Measurement => {
        const b = median(peers[name]);
        const from = `${a.toFixed(2)} and ${b.toFixed(2)} s`;
        return {
          what: `a flood of 64 MiB through \`attach\`, against ${name}`,
          value: a / b,
          unit: '×',
          goal: goals[name],
          from,
        };
      }),
    { what: 'the daemon for such a flood', value: used / 3, unit: 's CPU', goal: null },
  ];
}

/** A daemon with three sleeping sessions and a gateway: private memory, and wake-ups of all its threads. */
async function rest(): Promise<Measurement[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let at = 0; at < 3; at++) await client.run({ command: ['sleep', '1000'], size: PTY, env });
  const { holder, keeper } = await client.status();
  const gateway = await client.doors.start({ port: 0 });
  const pids = { holder: holder.pid, keeper: keeper.pid, gateway: gateway.pid };
  await sleep(REST_MS);
  const before = wakeUps(Object.values(pids));
  await sleep(REST_MS);
  const perSecond = ((wakeUps(Object.values(pids)) - before) * 1000) / REST_MS;
  const goals: Readonly<Record<string, number | null>> = { holder: null, keeper: 35, gateway: 30 };
  const sizes = Object.entries(pids).map(([name, pid]) => ({ name, megabytes: privateMegabytes(pid) }));
  return [
    ...sizes.map(({ name, megabytes }): Measurement => ({
      what: `private memory of the ${name}, three sleeping sessions`,
      value: megabytes,
      unit: 'MB',
      goal: goals[name] ?? null,
    })),
    {
      what: 'the same, all processes',
      value: sizes.reduce((sum, { megabytes }) => sum + megabytes, 0),
      unit: 'MB',
      goal: 75,
    },
    { what: 'wake-ups of all processes at rest', value: perSecond, unit: 'a second', goal: 2 },
  ];
}

const REST_MS = 15_000;

function against(name: 'dtach' | 'tmux', command: string, measure: (attach: readonly string[]) => number): number {
  const peer = PEERS[name](command);
  try {
    return measure(peer.attach);
  } finally {
    peer.stop();
  }
}

function table(figures: readonly Measurement[], before: Baseline | null): string {
  const lines = figures.map(({ what, value, unit, goal, from }) => {
    const was = before?.figures.find((each) => each.what === what);
    const show = (number: number): string => `${number.toFixed(digits(unit))} ${unit}`;
    const met = goal === null ? '' : `≤ ${show(goal)} ${value <= goal ? 'met' : 'MISSED'}`;
    return `| ${what} | ${show(value)}${from === undefined ? '' : ` (${from})`} | ${was === undefined ? '' : show(was.value)} | ${met} |`;
  });
  return ['| what | now | committed | goal |', '|---|---|---|---|', ...lines].join('\n');
}

const BEGIN = '<!-- quick: made from performance.json by `npm run bench -- quick --write` -->';
const END = '<!-- end of quick -->';

/** The page with the table of these figures in its place. */
function withTable(page: string, all: Baseline): string {
  const lines = all.figures.map(({ what, value, unit, goal, from }) => {
    const shownValue = `${value.toFixed(digits(unit))} ${unit}`;
    const met = goal === null ? '' : `≤ ${goal.toFixed(digits(unit))} ${unit}, ${value <= goal ? 'met' : 'MISSED'}`;
    return `| ${what} | ${shownValue} | ${from ?? ''} | ${met} |`;
  });
  const made = [
    BEGIN,
    '',
    `Commit ${all.commit}, ${all.date}, ${all.machine}.`,
    '',
    '| what | ours | measured | goal |',
    '|---|---|---|---|',
    ...lines,
    '',
    END,
  ];
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to === -1) throw new Error(`${PAGE} has no place for the table: ${BEGIN} … ${END}`);
  return `${page.slice(0, from)}${made.join('\n')}${page.slice(to + END.length)}`;
}

function digits(unit: Measurement['unit']): number {
  return { '×': 2, ms: 0, 's CPU': 2, MB: 1, 'a second': 1 }[unit];
}

function committed(): Baseline | null {
  try {
    return JSON.parse(readFileSync(JSON_FILE, 'utf8')) as Baseline;
  } catch {
    return null;
  }
}

function timed(command: string, environment: Readonly<Record<string, string | undefined>>): number {
  const [file, ...args] = command.split(' ');
  const startedAt = performance.now();
  execFileSync(file!, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  return performance.now() - startedAt;
}

/** CPU seconds of one run, by the shell that has waited for all of them. */
function cpuSeconds(command: string, runs: number, environment: Readonly<Record<string, string | undefined>>): number {
  const script = `i=0; while [ $i -lt ${runs} ]; do ${command} >/dev/null; i=$((i+1)); done; times`;
  const out = execFileSync('sh', ['-c', script], { env: environment, encoding: 'utf8' }).trim().split('\n');
  const seconds = [...out[1]!.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return seconds.reduce((sum, each) => sum + each, 0) / runs;
}

function processSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
