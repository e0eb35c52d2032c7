/** Starts in a session the service that an agent shares between its terminals, uses it in another one, and ends the first. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAlive, program, seen, TestDaemon, until } from '@spool/testkit';
import { TestGateway } from '../support/gateway.ts';

export type WayToEnd = 'REST' | 'stop' | 'kill' | 'rm' | 'crash' | 'timeout' | 'daemon stop' | 'with services';

export interface AfterEnd {
  /**
   * Whether these run: the service, the updater, the command of the other session, and the remaining process of the first
   * session.
   */
  readonly service: boolean;
  readonly updater: boolean;
  readonly command: boolean;
  readonly orphan: boolean;
  readonly other: string;
  readonly printed: string;
  /** The services in the JSON of the ended session. */
  readonly left: readonly string[];
}

export default async function ({
  way,
  agent,
}: {
  way: WayToEnd;
  agent: 'codex' | 'claude' | 'unknown';
}): Promise<AfterEnd> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = mkdtempSync(`${tmpdir()}/spool-service-`);
  const binary = `${folder}/${agent}`;
  copyFileSync(program('shared-service'), binary);
  const env = { PATH: process.env.PATH! };
  const [service, updater] = COMMANDS[agent];
  const starts = `"${binary}" start ${folder}/s ${service} && "${binary}" start ${folder}/u ${updater}`;
  const orphan = `(setsid sh -c 'echo $$ > ${folder}/orphan; exec sleep 7000' </dev/null >/dev/null 2>&1 &)`;
  const script = `${starts}; ${orphan}; echo $$ > ${folder}/leader; echo started; exec cat`;
  const a = await client.run({
    command: ['sh', '-c', script],
    env,
    name: 'a',
    timeoutMs: way === 'timeout' ? 3000 : undefined,
  });
  await seen(client, a.id, 'started');
  // The command of the other session runs below the service; with an unknown one it has that session's cookie.
  const cookie = agent === 'unknown' ? 'SPOOL_SESSION=$SPOOL_SESSION' : '';
  const command = `${cookie} sh -c 'echo \\$\\$ > ${folder}/command; exec sleep 7000'`;
  const asks = `"${binary}" ask ${folder}/s "${command}"; echo asked; exec cat`;
  const b = await client.run({ command: ['sh', '-c', asks], env, name: 'b' });
  await seen(client, b.id, 'asked');
  const pidIn = (name: string): number => Number(readFileSync(`${folder}/${name}`, 'utf8'));
  await until('all of them run', () => ['orphan', 'command', 'leader'].every((name) => has(() => pidIn(name) > 0)));
  const pids = { command: pidIn('command'), service: pidOf(`${binary} ${service}`), orphan: pidIn('orphan') };
  const updaterPid = pidOf(`${binary} ${updater}`);
  const ended = await end(daemon, way, pidIn('leader'));
  if (way !== 'daemon stop')
    await until('the session has ended', async () =>
      (await client.list()).every(({ name, state }) => name !== 'a' || state !== 'running'),
    );
  // Services have been spared by now: the tree of the session is gone.
  await until('its orphan is gone', () => way === 'crash' || !isAlive(pids.orphan));
  const other = way === 'daemon stop' ? 'ended' : (await client.get('b')).state;
  const found = {
    service: isAlive(pids.service),
    updater: isAlive(updaterPid),
    command: isAlive(pids.command),
    orphan: isAlive(pids.orphan),
  };
  for (const pid of [pids.command, pids.orphan, pids.service, updaterPid])
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  return { ...found, other, printed: ended.stdout, left: leftIn(ended.json) };
}

const COMMANDS = {
  codex: ['app-server --listen unix:// --managed-daemon', 'app-server daemon pid-update-loop'],
  claude: ['daemon run --origin transient', 'bg-pty-host --bg-pty-host /x 200 50'],
  unknown: ['serve --all', 'update --loop'],
} as const;

async function end(daemon: TestDaemon, way: WayToEnd, leader: number): Promise<{ stdout: string; json: string }> {
  if (way === 'crash') {
    process.kill(leader, 'SIGKILL');
    return { stdout: '', json: '{}' };
  }
  if (way === 'timeout') {
    await until(
      'it has timed out',
      async () => (await daemon.json<{ state: string }>('inspect', 'a')).state !== 'running',
    );
    await until('its tree is gone', async () => 'leftRunning' in (await daemon.json<object>('inspect', 'a')));
    return { stdout: '', json: JSON.stringify(await daemon.json('inspect', 'a')) };
  }
  if (way === 'REST') {
    const gateway = await TestGateway.start(daemon);
    const { token } = await gateway.token('operator');
    const { text } = await gateway.ask('/api/sessions/a/stop', { token, method: 'POST', body: {} });
    return { stdout: '', json: text };
  }
  const args = {
    stop: ['stop', 'a'],
    kill: ['kill', 'a'],
    rm: ['rm', '--force', 'a'],
    'daemon stop': ['daemon', 'stop', '--force'],
    'with services': ['stop', 'a', '--with-services'],
  }[way];
  const { stdout } = await daemon.spool(args);
  const again = way === 'stop' || way === 'kill' ? (await daemon.spool([way, 'a', '--json'])).stdout : '{}';
  return { stdout, json: again };
}

function leftIn(json: string): string[] {
  const { leftRunning = [] } = JSON.parse(json) as { leftRunning?: { service: string }[] };
  return leftRunning.map(({ service }) => service);
}

function pidOf(command: string): number {
  const found = readdirSync('/proc').find(
    (pid) =>
      /^\d+$/.test(pid) &&
      has(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command),
  );
  return Number(found);
}

function has(claim: () => boolean): boolean {
  try {
    return claim();
  } catch {
    return false; // the file is not there yet
  }
}
