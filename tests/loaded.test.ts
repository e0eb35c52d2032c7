/**
 * Compares the code that is loaded before the first output with committed tables: a guard that does not depend on the clock. Growth of more
 * than 5 % fails until the table is changed on purpose: `npm run golden`, in the commit that has the reason.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERBS } from '../packages/cli/src/command-line/verb-table.ts';

const DIST = resolve(import.meta.dirname, '../dist');
const HOOK = resolve(import.meta.dirname, 'support/loaded-hook.cjs');
const IS_UPDATING = process.env['UPDATE'] === '1';
const GROWTH_MAX = 1.05;

interface LoadedCode {
  readonly chunks: readonly string[];
  /** The bytes of JavaScript that are evaluated before the first byte of output. */
  readonly bytes: number;
  /** Node's own modules that a bare Node does not load. */
  readonly builtins: readonly string[];
}

/** The arguments of a verb that needs some. `sleeper` is a session that runs. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  run: ['-d', '--', 'true'],
  attach: ['ended'],
  logs: ['ended'],
  screen: ['sleeper'],
  replay: ['sleeper'],
  export: ['ended', '--text'],
  send: ['sleeper', 'x'],
  paste: ['sleeper', 'x'],
  prompt: ['sleeper', 'x', '--force'],
  keys: ['sleeper', 'Enter'],
  wait: ['sleeper', '--timeout', '1ms'],
  task: ['list'],
  stop: ['ended'],
  kill: ['ended'],
  rm: ['missing'],
  rename: ['sleeper', 'sleeper'],
  update: ['sleeper', '--label', 'a=b'],
  resume: ['sleeper'],
  approve: ['sleeper'],
  deny: ['sleeper'],
  answer: ['sleeper', 'Yes'],
  queue: ['sleeper'],
  interrupt: ['sleeper'],
  explain: ['sleeper'],
  summary: ['sleeper'],
  inspect: ['sleeper'],
  events: ['ended'],
  driver: ['--help'],
  token: ['list'],
  share: ['list'],
  daemon: ['status'],
  context: ['ls'],
  node: ['list'],
  config: ['show'],
  policy: ['show'],
  notify: ['test'],
  completions: ['bash'],
  'shell-integration': ['bash'],
};

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['sleep', '1000'], name: 'sleeper' });
  await (await client.run({ command: ['true'], name: 'ended' })).wait();
});
afterAll(() => daemon[Symbol.asyncDispose]());

test.each(Object.keys(VERBS))('[SPEED-1] `%s` loads no more than the table says', (verb) => {
  compare('verbs', verb, loadedBy([verb, ...(WORDS[verb] ?? [])]));
});

test('[SPEED-1] no verb that asks one thing loads the code for terminals, or what Node has for networks', () => {
  const verbs = table()['verbs'] as unknown as Record<string, LoadedCode>;
  for (const verb of [
    'ls',
    'send',
    'keys',
    'wait',
    'inspect',
    'stop',
    'kill',
    'rm',
    'rename',
    'screen',
    'explain',
    'update',
    'token',
  ]) {
    const { chunks, builtins } = verbs[verb]!;
    expect([
      verb,
      chunks.filter((name) => ['vt', 'model', 'terminals', 'client', 'verb-table'].includes(name)),
    ]).toEqual([verb, []]);
    expect([verb, builtins.filter((name) => ['net', 'tty', 'stream', 'child_process'].includes(name))]).toEqual([
      verb,
      [],
    ]);
  }
});

test('[SPEED-3] the processes of the daemon at rest are no larger than the table says', async () => {
  const { holder, keeper } = await (await daemon.client()).status();
  for (const [name, pid, program] of [
    ['holder', holder.pid, 'holder.mjs'],
    ['keeper', keeper.pid, 'keeper.mjs'],
  ] as const) {
    const threads = (): number => readdirSync(`/proc/${pid}/task`).length;
    const limit = (table().daemon as Record<string, { threads: number }> | undefined)?.[name]?.threads ?? 0;
    // Threads that did their work end or rest; those of libuv's pool stay.
    if (!IS_UPDATING) await until(`${name} has at most ${limit} threads`, () => threads() <= limit);
    const bytes = statSync(join(DIST, program)).size;
    compare('daemon', name, { bytes, threads: threads(), openFiles: readdirSync(`/proc/${pid}/fd`).length });
  }
});

test('[SPEED-4] the page loads no more before its first picture, and no more later, than the table says', () => {
  const web = join(DIST, 'web');
  const html = readFileSync(join(web, 'index.html'), 'utf8');
  const initial = [...html.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  const all = reachable(web, initial);
  const packed = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(web, path))).length, 0);
  compare('page', 'initial', { bytes: packed(['index.html', ...initial]) });
  compare('page', 'lazy', { bytes: packed(all.filter((path) => !initial.includes(path))) });
});

/** Follows what scripts name, statically or on demand. */
function reachable(web: string, from: readonly string[]): string[] {
  const found = new Set(from);
  for (const path of found) {
    if (!path.endsWith('.js')) continue;
    for (const [, name] of readFileSync(join(web, path), 'utf8').matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g))
      if (existsSync(join(web, dirname(path), name!))) found.add(join(dirname(path), name!));
  }
  return [...found];
}

function loadedBy(words: readonly string[]): LoadedCode {
  const to = `${daemon.home}/loaded.json`;
  rmSync(to, { force: true });
  const out = openSync(`${daemon.home}/printed`, 'w');
  try {
    spawnSync(process.execPath, ['--require', HOOK, `${DIST}/spool.cjs`, ...words], {
      env: { ...daemon.env, SPOOL_LOADED_TO: to },
      stdio: ['ignore', out, out],
      timeout: 30_000,
    });
  } finally {
    closeSync(out);
  }
  const { files, builtins } = JSON.parse(readFileSync(to, 'utf8')) as { files: string[]; builtins: string[] };
  const chunks = files.map((file) =>
    basename(file)
      .replace(/-[\w-]{8}\.cjs$/, '')
      .replace(/\.cjs$/, ''),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  // A command that takes a second reads all chunks, by `node:module` and `node:url` (REL-5): on a busy machine that may be any.
  const isByChunks = builtins.includes('module');
  const own = builtins.filter((name) => !isByChunks || (name !== 'module' && name !== 'url'));
  return { chunks: chunks.sort(), bytes, builtins: own.sort() };
}

type Row = Readonly<Record<string, number | readonly string[]>>;
const TABLE = resolve(import.meta.dirname, 'golden/loaded.json');

function table(): Record<string, Record<string, Row>> {
  try {
    return JSON.parse(readFileSync(TABLE, 'utf8')) as Record<string, Record<string, Row>>;
  } catch {
    return {};
  }
}

/** Lists must be the same, numbers at most 5 % more. */
function compare(part: string, name: string, found: object): void {
  const rows = table();
  if (IS_UPDATING) {
    const all = { ...rows, [part]: { ...rows[part], [name]: found } };
    writeFileSync(TABLE, `${JSON.stringify(all, null, 2)}\n`);
    return;
  }
  const row = rows[part]?.[name];
  expect(row, `${part} ${name} is in ${TABLE}; npm run golden adds it`).toBeDefined();
  for (const [key, value] of Object.entries(found as Row)) {
    if (typeof value === 'number')
      expect(value, `${key} of ${name}: ${value}, in the table ${String(row![key])}`).toBeLessThanOrEqual(
        Math.ceil((row![key] as number) * GROWTH_MAX),
      );
    else expect({ [key]: value }).toEqual({ [key]: row![key] });
  }
}
