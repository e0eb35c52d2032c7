/** A session starts background sessions of the real Claude, and is stopped. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAlive, program, seen, TestDaemon, until } from '@spool/testkit';

export interface BackgroundWorkers {
  /** Pids of the service and its descendants, before and after. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly printed: string;
}

const KEY = 'not-a-real-key';

export default async function ({ claude }: { claude: string }): Promise<BackgroundWorkers> {
  const home = mkdtempSync(`${tmpdir()}/spool-claude-`);
  const project = `${home}/project`;
  mkdirSync(project);
  const settings = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true } },
  };
  writeFileSync(`${home}/.claude.json`, JSON.stringify(settings));
  const env = {
    PATH: process.env.PATH!,
    HOME: home,
    TMPDIR: home,
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080',
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  try {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = `"${claude}" --bg "say hello"; echo backgrounded; exec cat`;
    const command = [program('offline'), 'sh', '-c', script];
    const { id } = await client.run({ command, size: { cols: 100, rows: 30 }, env, cwd: project, name: 'first' });
    await seen(client, id, 'backgrounded');
    const workers = (): number[] => processesOf(id).filter((pid) => /daemon run|--bg-/.test(commandOf(pid)));
    await until('a worker runs', () => workers().some((pid) => commandOf(pid).includes('--bg-pty-host')));
    const before = workers();
    const { stdout } = await daemon.spool(['stop', 'first']);
    const after = before.filter(isAlive);
    for (const pid of workers()) process.kill(pid, 'SIGKILL');
    await until('nothing of it is left', () => processesOf(id).length === 0, 60_000);
    return { before, after, printed: stdout };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function processesOf(session: string): number[] {
  const isOf = (pid: string): boolean => read(`/proc/${pid}/environ`).includes(`SPOOL_SESSION=${session}`);
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isOf(pid) && isAlive(Number(pid)))
    .map(Number);
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // gone meanwhile
  }
}
