/**
 * Starts the sessions for the pictures of the page: recordings of real agents, played up to a question, an editor, a monitor of
 * processes, builds and a task with a dev server. They are real sessions of a real daemon: only their programs are made up.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client, RunOptions } from '@spool/client';
import type { TestDaemon } from '@spool/testkit';

const ROOT = resolve(import.meta.dirname, '..');
const RECORDINGS = join(ROOT, 'tests', 'fixtures', 'terminal');
const SIZE = { cols: 100, rows: 30 };
const READY_MS = 60_000;

const TESTS = `i=0; while :; do i=$((i+1)); printf '\\e[32m ✓\\e[0m src/cart/part-%03d.test.ts \\e[2m(%d tests) %d ms\\e[0m\\n' $i $((RANDOM % 9 + 1)) $((RANDOM % 90)); sleep 1.7; done`;
const VITE = `printf '\\n  \\e[32;1mVITE\\e[0m v7.1.2  ready in 312 ms\\n\\n  \\e[32m➜\\e[0m  Local:   \\e[36mhttp://localhost:5173/\\e[0m\\n  \\e[2m➜  press h + enter to show help\\e[0m\\n'; exec sleep 1000`;
const DEPLOY = `printf '\\e[1mshop\\e[0m → production\\n\\n  20 migrations\\n   3 services\\n\\n'; read -r -p 'Apply 20 migrations to production? [y/n] ' answer; echo "$answer"; exec sleep 1000`;
const BUILD = `for i in $(seq 1 64); do printf '\\e[2m[%d/150]\\e[0m Building CXX object src/part-%03d.o\\n' $i $i; done; while :; do i=$((i+1)); [ $i -gt 149 ] && i=64; printf '\\e[2m[%d/150]\\e[0m Building CXX object src/part-%03d.o\\n' $i $i; sleep 2; done`;

export interface Stage {
  readonly client: Client;
  /** The ids, by name. */
  readonly ids: ReadonlyMap<string, string>;
}

export async function setStage(daemon: TestDaemon): Promise<Stage> {
  const client = await daemon.client();
  const cwd = join(daemon.home, 'shop');
  makeProject(cwd);
  const programs = join(daemon.home, 'bin');
  mkdirSync(programs);
  const env = { PATH: `${programs}:${process.env['PATH']}`, HOME: daemon.home };
  const ids = new Map<string, string>();
  const run = async (name: string, command: readonly string[], more: Partial<RunOptions> = {}): Promise<void> => {
    const { id } = await client.run({ command, name, size: SIZE, cwd, env, ...more });
    ids.set(name, id);
  };
  const program = (name: string, script: string): readonly [string] => {
    writeFileSync(join(programs, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
    return [name];
  };
  const agent = (name: string, recording: string, moment: string): readonly [string] =>
    program(
      name,
      `head -c ${offsetOf(recording, moment)} ${RECORDINGS}/${recording}; stty raw -echo; exec cat > /dev/null`,
    );

  await run('lint', program('oxlint', 'echo "Found 0 warnings and 0 errors."'), { labels: { area: 'web' } });
  await run(
    'type check',
    program('tsc', `printf 'src/cart.ts(3,5): error TS2322: Type string is not assignable to type number.\\n'; exit 2`),
    {
      isTask: true,
    },
  );
  await run('claude', agent('claude', 'claude/tui-full-xterm.pty', 'idle-after-tool'));
  await run('codex', agent('codex', 'codex/tui-session-full.pty', 'permission-command'));
  await run('gemini', agent('gemini', 'gemini/tui-full-xterm.pty', 'idle-after-tool'));
  await run('opencode', agent('opencode', 'opencode/tui-session.pty', 'idle-after-hello'));
  await run('processes', ['htop', '-d', '30']);
  await run('editor', ['vim', '-n', '-c', 'set number', 'src/cart.ts']);
  await run('native build', program('ninja', BUILD), { isTask: true });
  await run('unit tests', [...program('vitest', TESTS), '--watch'], { isTask: true });
  await run('dev server', program('vite', VITE), { isTask: true, labels: { area: 'web' } });
  await run('deploy', [...program('deploy', DEPLOY), 'production']);
  const scripted = `${process.execPath} ${ROOT}/packages/testkit/programs/scripted-agent.mjs ${daemon.home}/agent.ndjson`;
  for (const [name, prompt] of [
    ['reviewer', 'show'],
    ['migrator', 'ask 2'],
  ] as const) {
    const flags = ['--agent', 'claude', '-d', '--name', name, '--cwd', cwd, '--program', scripted];
    ids.set(name, (await daemon.json<{ id: string }>('run', ...flags, '--', prompt)).id);
  }
  for (const name of ['codex', 'deploy', 'migrator'])
    await client.waitUntil(ids.get(name)!, 'blocked', { timeoutMs: READY_MS });
  return { client, ids };
}

/** Creates a repository that contains a change. */
function makeProject(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const cart = (sum: string): string =>
    `import type { Item } from './item.ts';\n\n/** What the customer pays. */\nexport function total(items: readonly Item[]): number {\n${sum}}\n`;
  file('README.md', '# Shop\n\nA small shop.\n');
  file('package.json', '{\n  "name": "shop",\n  "type": "module"\n}\n');
  file('src/item.ts', 'export interface Item {\n  readonly price: number;\n  readonly count: number;\n}\n');
  file('src/cart.ts', cart('  return items.reduce((sum, item) => sum - item.price, 0);\n'));
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=shop', '-c', 'user.email=shop@example.com', ...args]);
  git('init', '-q', '-b', 'fix/total');
  git('add', '.');
  git('commit', '-qm', 'A small shop');
  file(
    'src/cart.ts',
    cart(
      '  // Each item counts as often as it is in the cart.\n  return items.reduce((sum, { price, count }) => sum + price * count, 0);\n',
    ),
  );
  file(
    'src/cart.test.ts',
    "import { total } from './cart.ts';\n\ntest('adds', () => expect(total([{ price: 2, count: 3 }])).toBe(6));\n",
  );
}

function offsetOf(recording: string, moment: string): number {
  const { events } = JSON.parse(readFileSync(`${RECORDINGS}/${recording}.json`, 'utf8')) as {
    events: readonly (readonly unknown[])[];
  };
  const mark = events.find(([, type, label]) => type === 'm' && label === moment);
  if (mark === undefined) throw new Error(`${recording} has no moment ${moment}`);
  return mark[3] as number;
}
