/**
 * Runs a test body in its own pid and mount namespace. Its kills, pauses and sweeps cannot hit a process outside, and no process
 * of it outlives the test. A body is a file whose default export is an async function; its input and its result travel as JSON.
 *
 *     // tests/bodies/holder-killed.ts
 *     export default async function (input: { sessions: number }): Promise<string[]> { … }
 *     // tests/survival.test.ts
 *     testNeeding(NAMESPACES_MISSING)('[LIFE-1] …', async () => {
 *       expect(await inNamespace(new URL('bodies/holder-killed.ts', import.meta.url), { sessions: 3 })).toEqual([]);
 *     });
 *
 * The inside is like a container: pid 1 is a shell that reaps orphans, its session id reads 0, and /proc shows only the
 * namespace. The body may start a process with a pid of its choice (`startWithPid`).
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { RunResult } from './daemon.ts';

/** The time limit, less than that of a system test, so that this file's error is reported. */
const WITHIN_MS = 110_000;

const UNSHARE = ['-pmf', '--mount-proc', '--kill-child', ...(process.getuid!() === 0 ? [] : ['-U', '--map-root-user'])];

/**
 * The command of pid 1, without `exec`: the shell stays as pid 1 and reaps orphans; without that, no exit code of an orphan is
 * known.
 */
const INIT = ['sh', '-c', '"$@"; exit $?', 'init'];

/** The variable that is set inside. */
const INSIDE = 'SPOOL_TEST_NAMESPACE';

/** The reason why namespaces are not available here, as a sentence; null if they are. */
export const NAMESPACES_MISSING: string | null = whyMissing();

function whyMissing(): string | null {
  const { status, stderr, error } = spawnSync('unshare', [...UNSHARE, 'true'], { encoding: 'utf8' });
  if (status === 0) return null;
  const reason = error ? error.message : stderr.trim();
  return `This test needs a pid namespace of its own, and unshare cannot make one: ${reason}. Run it as root, or allow user namespaces.`;
}

/** Runs a command inside, as from a script. Throws if namespaces are not available. */
export async function runInNamespace(
  command: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly withinMs?: number } = {},
): Promise<RunResult> {
  if (NAMESPACES_MISSING !== null) throw new Error(NAMESPACES_MISSING);
  const { env = process.env, withinMs = WITHIN_MS } = options;
  const child = spawn('unshare', [...UNSHARE, '--', ...INIT, ...command], {
    env: { ...env, [INSIDE]: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // The group is killed too: --kill-child does not reach a pid 1 that unshare has just forked.
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', end);
  const timer = setTimeout(end, withinMs);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  clearTimeout(timer);
  process.off('exit', end);
  if (code === null) throw new Error(`${command.join(' ')} did not end within ${withinMs} ms\n${stdout}${stderr}`);
  return { code, stdout, stderr };
}

/** Runs the default export of `script` inside. Throws its error, with its output. */
export async function inNamespace<Result>(
  script: string | URL,
  input: unknown = null,
  options: { readonly withinMs?: number } = {},
): Promise<Result> {
  const folder = mkdtempSync(`${tmpdir()}/spool-namespace-`);
  const result = `${folder}/result.json`;
  try {
    writeFileSync(`${folder}/input.json`, JSON.stringify(input));
    const main = fileURLToPath(new URL('namespace-main.ts', import.meta.url));
    const body = script instanceof URL ? script.href : new URL(script, 'file:').href;
    const { code, stdout, stderr } = await runInNamespace([process.execPath, main, folder, body], options);
    if (code !== 0) throw new Error(`${body} ended with ${code} in its namespace:\n${stdout}${stderr}`);
    return JSON.parse(readFileSync(result, 'utf8')) as Result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a command in the background with exactly this pid; only inside. Throws if the pid is in use. */
export function startWithPid(pid: number, command: readonly string[]): void {
  if (process.env[INSIDE] === undefined) throw new Error('startWithPid may be called in a namespace of its own only');
  const script = `for try in 1 2 3 4 5; do
    echo ${pid - 1} > /proc/sys/kernel/ns_last_pid
    "$@" </dev/null >/dev/null 2>&1 &
    [ $! -eq ${pid} ] && exit 0
    kill -9 $!
  done
  exit 1`;
  const { status } = spawnSync('sh', ['-c', script, 'sh', ...command]);
  if (status !== 0) throw new Error(`no process could be started with pid ${pid}`);
}
