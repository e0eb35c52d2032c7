/**
 * `npm run bench -- hops`: where the time of a key through `attach` is spent, system call by system call, as `perf trace` sees them
 * (it adds a few µs to each). The table is for the reader; the figures to compare are those of `keys`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { program, SPOOL, TestDaemon } from '@spool/testkit';
import type { Figure } from './figure.ts';

const KEYS = 400;
const PAUSE_US = 2000;
/** The system calls that move bytes; waits (epoll, select) are the time between them. */
const CALLS = 'read,write,writev,pwrite64,pread64,splice,recvmsg,recvfrom,sendmsg,sendto';
const LINE = /^\s*([\d.]+) \(\s*[\d.]*\s*(?:ms)?\s*\): ([^/]+)\/(\d+) (\w+)\(/;

interface Call {
  readonly at: number;
  readonly what: string;
  readonly isKey: boolean;
}

export async function hops(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const size = { cols: 80, rows: 24 };
  const session = await client.run({
    command: [program('limit'), 'mirror'],
    size,
    env: { PATH: process.env.PATH! },
  });
  const { keeper } = await client.status();
  const typist = spawn(program('limit'), ['type', String(KEYS), String(PAUSE_US), SPOOL, 'attach', session.id], {
    env: { ...daemon.env, TERM: 'xterm-256color' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(typist, 'exit');
  const attach = await childOf(typist.pid!);
  const names = new Map([
    [typist.pid!, 'typist'],
    [attach, 'client'],
    [keeper.pid, 'keeper'],
    [(await client.get(session.id)).pid, 'child'],
  ]);
  const perf = spawn('perf', ['trace', '-e', CALLS, '-p', [...names.keys()].join(',')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  perf.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await ended;
  perf.kill('SIGINT');
  await once(perf, 'close');
  print(text.split('\n').flatMap((line) => callOf(line, names)));
  return [];
}

/** The process that the typist has made its terminal's: known once it runs Node. */
async function childOf(parent: number): Promise<number> {
  for (;;) {
    const [first] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    if (first && !readFileSync(`/proc/${first}/comm`, 'utf8').startsWith('limit')) return Number(first);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function callOf(line: string, names: ReadonlyMap<number, string>): Call[] {
  const [, at, , tid, call] = LINE.exec(line) ?? [];
  const name = names.get(Number(tid));
  if (name === undefined) return []; // another thread
  return [{ at: Number(at) * 1000, what: `${name} ${call}`, isKey: name === 'typist' && call === 'write' }];
}

/** The calls of one key, of the shape that most keys have: the median of each moment. */
function print(calls: readonly Call[]): void {
  const keys: Call[][] = [];
  for (const call of calls.toSorted((a, b) => a.at - b.at)) {
    if (call.isKey) keys.push([]);
    keys.at(-1)?.push(call);
  }
  const shapes = Map.groupBy(keys.slice(KEYS / 4), (key) => key.map(({ what }) => what).join(' → '));
  const [shape, alike] = [...shapes].toSorted((a, b) => b[1].length - a[1].length)[0] ?? ['', []];
  console.log(`${alike.length} of ${keys.length} keys; µs since the key was typed, and since the call before`);
  let before = 0;
  for (const [index, what] of shape.split(' → ').entries()) {
    const times = alike.map((key) => key[index]!.at - key[0]!.at).toSorted((a, b) => a - b);
    const at = times[times.length >> 1] ?? 0;
    console.log(`${at.toFixed(0).padStart(6)} ${(at - before).toFixed(0).padStart(5)}  ${what}`);
    before = at;
  }
}
