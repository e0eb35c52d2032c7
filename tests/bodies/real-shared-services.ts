/**
 * Runs two real Codex in two sessions that share one service, which the first one has started. The first one ends in one way
 * after the other while the second one runs a command. It must run in a pid namespace, in a network that contains only a scripted
 * model.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { isAlive, program, TestDaemon, until } from '@spool/testkit';

const MODEL = fileURLToPath(new URL('../../packages/testkit/programs/scripted-model.mjs', import.meta.url));
const WAYS = ['stop', 'kill', 'crash', 'rm'] as const;
const SIZE = { cols: 120, rows: 40 };
const SCREEN_MS_MAX = 30_000;

export interface SharedRounds {
  readonly rounds: number;
  /** The number of rounds of each way. */
  readonly ways: Readonly<Record<string, number>>;
  /** Sentences about damage that the end of one session caused in the other. */
  readonly harm: readonly string[];
  readonly printed: string;
}

export default async function ({
  codex,
  rounds,
  isOwn,
}: {
  codex: string;
  rounds: number;
  isOwn: boolean;
}): Promise<SharedRounds> {
  const home = mkdtempSync(`${tmpdir()}/spool-codex-`);
  const project = `${home}/project`;
  mkdirSync(`${home}/.codex`);
  mkdirSync(project);
  writeFileSync(`${home}/.codex/config.toml`, SETTINGS(project));
  const model = spawn(program('offline'), [process.execPath, MODEL, 'sleep', '100000'], { stdio: 'ignore' });
  await until('there is a network of its own', () => netOf(model.pid!) !== netOf(process.pid));
  // The name of the program decides whether a session gets a server, so the way into the network is inside of it.
  mkdirSync(`${home}/bin`);
  writeFileSync(`${home}/bin/codex`, `#!/bin/sh\nexec nsenter --net=/proc/${model.pid}/ns/net ${codex} "$@"\n`);
  chmodSync(`${home}/bin/codex`, 0o755);
  const harm: string[] = [];
  const ways: Record<string, number> = {};
  let printed = '';
  try {
    await using daemon = new TestDaemon();
    const stage = { daemon, client: await daemon.client(), home, project, isOwn };
    for (let round = 0; round < rounds; round++) {
      const way = WAYS[round % WAYS.length]!;
      ways[way] = (ways[way] ?? 0) + 1;
      const found = await playRound(stage, way, round);
      harm.push(...found.harm.map((each) => `round ${round}, ${way}: ${each}`));
      printed += found.printed;
    }
    for (const pid of services(home)) process.kill(pid, 'SIGKILL');
  } finally {
    model.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  }
  return { rounds, ways, harm, printed };
}

interface Stage {
  readonly daemon: TestDaemon;
  readonly client: Client;
  readonly home: string;
  readonly project: string;
  readonly isOwn: boolean;
}

async function playRound(
  stage: Stage,
  way: (typeof WAYS)[number],
  round: number,
): Promise<{ harm: string[]; printed: string }> {
  const { daemon, client, home, project, isOwn } = stage;
  // So that the first session of this round starts it.
  for (const pid of services(home)) process.kill(pid, 'SIGKILL');
  await until('no service runs', () => services(home).length === 0);
  const first = await start(stage, `a${round}`);
  if (!isOwn) await until('the first session has started the service', () => services(home).length >= 2, SCREEN_MS_MAX);
  const second = await start(stage, `b${round}`);
  const command = `echo $$ > ${project}/pid${round}; while [ ! -e ${project}/go${round} ]; do sleep 0.05; done; echo done > ${project}/done${round}`;
  await client.write(second, `please run ${command}`);
  await sees(client, second, 'please run echo');
  // Codex takes an Enter right after fast input for a part of it: pressed again, it is a separate key.
  const isRunning = async (): Promise<boolean> => {
    if (pidIn(`${project}/pid${round}`) > 0) return true;
    await client.write(second, '\r');
    await new Promise((resolve) => setTimeout(resolve, 300));
    return false;
  };
  await until('its command runs', isRunning, SCREEN_MS_MAX).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${(await client.screen(second)).content}`, { cause: error });
  });
  const running = pidIn(`${project}/pid${round}`);
  // Codex may start its service twice, and end one of them at once: by now that is over.
  const [before, ending] = isOwn ? [serversOf(second), serversOf(first)] : [services(home), []];
  const commands = new Map(
    before.map((pid) => [pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]),
  );
  const cookies = before.map((pid) => /SPOOL_SESSION=(\w+)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1]);
  const { pid: leader } = await client.get(first);
  let printed = '';
  if (way === 'crash') process.kill(leader, 'SIGKILL');
  else
    printed = (await daemon.spool({ stop: ['stop', first], kill: ['kill', first], rm: ['rm', '--force', first] }[way]))
      .stdout;
  await until('it has ended', async () =>
    (await client.list()).every(({ id, state }) => id !== first || state !== 'running'),
  );
  const harm: string[] = [];
  if (before.length === 0) harm.push('no server was found');
  if (isOwn && ending.length === 0) harm.push('the ended session had no server of its own');
  if (isOwn && services(home).length > 0) harm.push('a shared service was started');
  if (cookies.some((cookie) => cookie !== (isOwn ? second : first)))
    harm.push(`the services have the cookies ${cookies.join(', ')}`);
  if (!isAlive(running)) harm.push('the command of the other session is gone');
  for (const pid of before)
    if (!isAlive(pid))
      harm.push(`service ${pid} of ${before.join(', ')} is gone (${commands.get(pid)}), after: ${printed}`);
  await until('its own server is gone', () => !ending.some(isAlive)).catch((error: Error) => harm.push(error.message));
  writeFileSync(`${project}/go${round}`, '');
  // The model repeats the output of a tool: the turn of the other session ends, and so does its command.
  await sees(client, second, 'The tool said').catch((error: Error) => harm.push(error.message));
  await until('the command ends', () => existsSync(`${project}/done${round}`)).catch((error: Error) =>
    harm.push(error.message),
  );
  if (/Reconnecting/i.test((await client.screen(second)).content)) harm.push('the other session has lost its server');
  await client.remove(second, { force: true });
  return { harm, printed };
}

async function start({ client, home, project, isOwn }: Stage, name: string): Promise<string> {
  const env = {
    PATH: `${home}/bin:${process.env.PATH}`,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    SCRIPTED_KEY: 'not-a-real-key',
    TERM: 'xterm-256color',
  };
  const { id } = await client.run({ command: ['codex'], size: SIZE, env, cwd: project, name, sideChannel: isOwn });
  await sees(client, id, 'Ask Codex to do anything');
  return id;
}

async function sees(client: Client, id: string, text: string): Promise<void> {
  let screen = '';
  const isSeen = async (): Promise<boolean> => (screen = (await client.screen(id)).content).includes(text);
  await until(`"${text}" is on the screen`, isSeen, SCREEN_MS_MAX).catch((error: Error) => {
    throw new Error(`${error.message}\n${screen}`, { cause: error });
  });
}

/** Returns the processes of Codex that were started for all terminals. */
function services(home: string): number[] {
  // Codex asks its own program for its help once, which ends by itself.
  return processesWith(
    (command) => command.startsWith(`${home}/.codex/packages/`) && /--managed-daemon|pid-update-loop\0$/.test(command),
  );
}

/** The server that Spool has started for this session. */
function serversOf(session: string): number[] {
  return processesWith((command) => /\0app-server\0/.test(command) && command.endsWith(`/${session}/codex.sock\0`));
}

function processesWith(isMeant: (command: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return isMeant(command) && !command.includes('spool-beside') && isAlive(pid);
      } catch {
        return false; // gone meanwhile
      }
    });
}

function pidIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0; // not there yet
  }
}

function netOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return readlinkSync('/proc/self/ns/net');
  }
}

const SETTINGS = (project: string): string =>
  [
    'model = "scripted"',
    'model_provider = "scripted"',
    'check_for_update_on_startup = false',
    'approval_policy = "on-request"',
    'sandbox_mode = "danger-full-access"',
    '[features]',
    'plugins = false',
    'apps = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.scripted]',
    'name = "scripted"',
    'base_url = "http://127.0.0.1:8080/v1"',
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    `[projects."${project}"]`,
    'trust_level = "trusted"',
  ].join('\n');
