/**
 * Runs the lines that the policy allows, in namespaces with a read-only file system, and reads their system calls: they write no
 * file and execute only the programs that the line names, with exactly the words that the policy read. Git also runs in a writable
 * folder.
 *
 * `SPOOL_POLICY_LINES` sets how many lines are generated, `SPOOL_POLICY_RUNS` how many of those that are allowed run (a number, or `all`).
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { missingProgram, NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { afterAll, beforeAll, expect } from 'vitest';
import { readLiteralLine } from '../packages/drivers/src/policy/literal-line.ts';
import { makePolicyFiles } from '../packages/drivers/src/policy/policy-files.ts';
import { decidePermission } from '../packages/drivers/src/policy/request.ts';
import { EVERYTHING_KNOWN, LineMaker } from '../packages/drivers/src/policy/testing/generated-lines.ts';

const GENERATED = Number(process.env['SPOOL_POLICY_LINES'] ?? 10_000);
const RUNS = process.env['SPOOL_POLICY_RUNS'] ?? '400';
const RUN_MAX = RUNS === 'all' ? Number.POSITIVE_INFINITY : Number(RUNS);
/** In one sandbox: their traces are read at once. */
const BATCH_LINES = 250;
/** A line takes 20 to 200 ms, so thousands take minutes. */
const TIME_MS_MAX = 60 * 60_000;
const SEED = Number(process.env['SPOOL_POLICY_SEED'] ?? 19);

/** Runs each line of a list under strace; only the folder for the traces is writable. */
const RUNNER = String.raw`
set -u
cd "$1"
mount --make-rprivate /
mount -t tmpfs none traces
writable=
if [ "$3" = writable ]; then
  writable=$PWD/work
  mkdir traces/work
  cp -a work/. traces/work
  mount --bind traces/work work
fi
while read -r _ where _; do
  case $where in "$PWD"/traces | "$writable") ;; *) mount -o remount,bind,ro "$(printf %b "$where")" 2>/dev/null ;; esac
done < /proc/self/mounts
if { [ -z "$writable" ] && touch work/probe 2>/dev/null; } || touch /probe 2>/dev/null; then echo 'the sandbox is writable' >&2; exit 3; fi
cd work
at=0
while IFS= read -r -d '' line; do
  timeout 20 strace -f -qq -s 4096 -e signal=none -e trace="$2" -o "../traces/$at" bash -c "$line" < /dev/null > /dev/null 2>&1
  printf '%s\0' "$(cat "../traces/$at")"
  rm "../traces/$at"
  at=$((at + 1))
done < ../lines
`;

const CALLS = [
  'execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat',
  'truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat,mknod,mknodat,setxattr,connect,kill,tkill,settimeofday,clock_settime',
].join(',');

let folder: string;
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(`${tmpdir()}/spool-test-`));
  fs.mkdirSync(`${folder}/work/src`, { recursive: true });
  fs.mkdirSync(`${folder}/traces`);
  for (const [name, text] of [
    ['a.txt', 'needle\na b\n1,2,3\n'],
    ['b.txt', 'x\nneedle\n'],
    ['src/c.txt', 'c\n'],
    ['d e.txt', 'd\n'],
  ] as const)
    fs.writeFileSync(`${folder}/work/${name}`, text);
  for (const words of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-qm', 'first'],
    ['commit', '-qm', 'second', '--allow-empty'],
  ])
    expect(spawnSync('git', words, { cwd: `${folder}/work`, env: environment() }).status).toBe(0);
  // A change for diff and status.
  fs.appendFileSync(`${folder}/work/b.txt`, 'changed\n');
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function environment(): Record<string, string> {
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  return { PATH: process.env['PATH'] ?? '', HOME: `${folder}/home`, GIT_CONFIG_NOSYSTEM: '1', ...who };
}

/** The traces of these lines, in order. */
function traced(lines: readonly string[], folderIs: 'read-only' | 'writable' = 'read-only'): string[] {
  const traces: string[] = [];
  for (let at = 0; at < lines.length; at += BATCH_LINES) {
    const batch = lines.slice(at, at + BATCH_LINES);
    fs.writeFileSync(`${folder}/lines`, batch.map((line) => `${line}\0`).join(''));
    const { stdout, stderr, status } = spawnSync(
      'unshare',
      ['-mnipf', '--mount-proc', '--kill-child', 'bash', '-c', RUNNER, 'runner', folder, CALLS, folderIs],
      { encoding: 'utf8', env: environment(), maxBuffer: 512 * 1024 * 1024 },
    );
    expect([status, stderr]).toEqual([0, '']);
    const read = stdout.split('\0').slice(0, -1);
    expect(read.length).toBe(batch.length);
    traces.push(...read);
  }
  return traces;
}

/** Returns the calls of a trace. Strace prints a call in two parts if another process makes one meanwhile. */
function wholeCalls(trace: string): string[] {
  const begun = new Map<string, string>();
  const calls = trace.split('\n').flatMap((line) => {
    const [, pid = '', begin] = /^(\d+) .*?( <unfinished \.\.\.>)?$/.exec(line) ?? [];
    if (begin !== undefined) {
      begun.set(pid, line.slice(0, -begin.length));
      return [];
    }
    const rest = /<\.\.\. \w+ resumed>(.*)$/.exec(line)?.[1];
    if (rest === undefined) return [line];
    const call = `${begun.get(pid) ?? ''}${rest}`;
    begun.delete(pid);
    return [call];
  });
  return [...calls, ...begun.values()];
}

/** Returns the actions of a line beyond reading, by its trace. */
function effects(line: string, trace: string): string[] {
  const read = readLiteralLine(line);
  const expected = 'commands' in read ? read.commands.map(({ words }) => JSON.stringify(words)) : [];
  const calls = wholeCalls(trace).slice(1); // the first is bash itself
  return calls.flatMap((call) => {
    const [, name = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(call) ?? [];
    if (name === '') return [];
    if (name === 'execve') {
      if (/ = -1 /.test(rest)) return [];
      const words = /^"[^"]*", (\[.*\]), 0x/.exec(rest)?.[1] ?? '';
      return expected.includes(JSON.stringify(JSON.parse(words))) ? [] : [call];
    }
    if (name === 'openat' || name === 'open') {
      const isWriting = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/.test(rest);
      const isHarmless =
        /"\/dev\/(null|tty)"/.test(rest) ||
        // Git refreshes its known file times, if it can; here it cannot.
        (/\.git\/index\.lock"/.test(rest) && / = -1 EROFS/.test(rest));
      return isWriting && !isHarmless ? [call] : [];
    }
    // Names of users are looked up in a cache that does not exist.
    if (name === 'connect' && /nscd\/socket/.test(rest)) return [];
    return [call];
  });
}

/** Lines that are allowed, those first that have a program with an option that no line before had. */
function allowedLines(): readonly string[] {
  const files = makePolicyFiles(fs, `${folder}/home`);
  const maker = new LineMaker(SEED);
  const first: string[] = [];
  const others = new Set<string>();
  const seen = new Set<string>();
  for (let left = GENERATED; left > 0; left--) {
    const line = maker.next();
    const ask = { tool: 'Bash', input: { command: line }, cwd: `${folder}/work` };
    if (decidePermission(EVERYTHING_KNOWN, ask, files).decision !== 'allow') continue;
    const read = readLiteralLine(line);
    const news = ('commands' in read ? read.commands : [])
      .flatMap(({ words }) =>
        words.filter((word) => word.startsWith('-')).map((word) => `${words[0]} ${words[1]} ${word}`),
      )
      .filter((each) => !seen.has(each));
    for (const each of news) seen.add(each);
    if (news.length > 0) first.push(line);
    else others.add(line);
  }
  return [...new Set([...first, ...others])];
}

testNeeding(missingProgram('strace', 'unshare'), NOT_ROOT)(
  '[POL-2] what is allowed writes nothing and runs nothing else',
  async () => {
    const lines = allowedLines().slice(0, RUN_MAX);
    expect(lines.length).toBeGreaterThanOrEqual(Math.min(RUN_MAX, GENERATED / 5));
    const traces = traced(lines);
    const found = lines.flatMap((line, at) => effects(line, traces[at]!).map((effect) => `${line}: ${effect}`));
    expect(found).toEqual([]);
    // The lines were really run.
    expect(traces.filter((trace) => /execve\(.*= 0/.test(trace)).length).toBe(lines.length);
  },
  TIME_MS_MAX,
);

testNeeding(missingProgram('strace', 'unshare'), NOT_ROOT)(
  '[POL-2] git writes nothing but its own index where it can write',
  async () => {
    const lines = allowedLines()
      .filter((line) => line.startsWith('git '))
      .slice(0, RUN_MAX / 4);
    expect(lines.length).toBeGreaterThan(50);
    const traces = traced(lines, 'writable');
    const found = lines.flatMap((line, at) =>
      effects(line, traces[at]!)
        .filter((effect) => !isIndexRefresh(effect))
        .map((effect) => `${line}: ${effect}`),
    );
    expect(found).toEqual([]);
    expect(traces.some((trace) => /rename\(.*index\.lock/.test(trace))).toBe(true);
  },
  TIME_MS_MAX,
);

/** Git keeps times of files there. It writes another file and puts that in place. */
function isIndexRefresh(effect: string): boolean {
  const files = [...effect.matchAll(/"([^"]*)"/g)].map(([, file]) => file!);
  const isKnown = /^\d+ +(openat|open|unlink|rename|chmod)\(/.test(effect);
  return isKnown && files.length > 0 && files.every((file) => /\/\.git\/index(\.lock)?$/.test(file));
}

testNeeding(missingProgram('strace', 'unshare'), NOT_ROOT)(
  'the sandbox finds what writes or runs something',
  async () => {
    const bad = [
      'sort -o made a.txt',
      "find . -exec touch made ';'",
      'touch made',
      'git branch new',
      'echo x > made',
      'mkdir y',
    ];
    const traces = traced(bad);
    expect(bad.filter((line, at) => effects(line, traces[at]!).length === 0)).toEqual([]);
  },
);
