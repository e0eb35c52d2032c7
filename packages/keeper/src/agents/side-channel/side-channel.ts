/**
 * Gives an agent in a terminal its side channel: Codex its own app-server (decision 170), Claude Code its hooks (decision 230), Gemini the
 * id of its chat (decision 235), OpenCode a port with a password (decision 232), Grok a leader (decision 233).
 * Plans it before the session starts, reports whether it works, and removes its socket when the session has ended. Keeps RUN-27,
 * RUN-28 and RUN-47, CHAN-1, CHAN-2 and CHAN-32. `native/beside` starts the server and the terminal program.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { lstat, mkdir, readlink, rm, unlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { programPath } from '@spool/native/program-path';
import { COOKIE } from '@spool/store';
import {
  type AgentServerPlan,
  CHANNEL_FOLDER,
  CHANNEL_LINES,
  CHANNEL_RELAY,
  type ChannelAgent,
  type Home,
  type RelayTarget,
  type RunRequest,
  type SideChannel,
  SOCKET_PATH_BYTES_MAX,
} from '@spool/protocol';
import { claudeArgumentsFault } from './claude-arguments.ts';
import { prepareClaudeHooks } from './claude-hooks.ts';
import { readCodexArguments } from './codex-arguments.ts';
import { geminiArgumentsFault } from './gemini-arguments.ts';
import { prepareGeminiChat } from './gemini-chat.ts';
import { grokArgumentsFault } from './grok-arguments.ts';
import { versionFault } from './known-versions.ts';
import { opencodeArgumentsFault } from './opencode-arguments.ts';
import { findProgram, ProgramVersions } from './program-version.ts';

const CHANNEL_AGENTS: readonly ChannelAgent[] = ['claude', 'codex', 'gemini', 'grok', 'opencode'];
const SOCKET = 'codex.sock';
const READY = 'R';
const OUTCOME_CHARACTERS_MAX = 400;

export interface SideChannelOptions {
  home(): Pick<Home, 'runs' | 'sessions'>;
  /** Returns whether the user's configuration allows the side channel. */
  isWanted(): boolean;
  /** The program of hooks; another one in tests. */
  readonly hook?: string;
}

type ChannelPlan = Omit<AgentServerPlan, 'agent'>;

export class SideChannels {
  readonly #options: SideChannelOptions;
  readonly #versions: Readonly<Record<ChannelAgent, ProgramVersions>> = {
    claude: new ProgramVersions('claude', /^(\d+\.\d+\.\d+) \(Claude Code\)$/m),
    codex: new ProgramVersions('codex', /^codex-cli (\d+\.\d+\.\d+)$/m),
    grok: new ProgramVersions('grok', /^grok (\d+\.\d+\.\d+)\b/m),
    opencode: new ProgramVersions('opencode', /^(\d+\.\d+\.\d+)$/m, /^opencode-(?:ai|linux-\w+(?:-\w+)*)$/),
    gemini: new ProgramVersions('gemini', /^(\d+\.\d+\.\d+)$/m, /^@google\/gemini-cli$/),
  };

  readonly #plans: Readonly<Record<ChannelAgent, (run: RunRequest) => Promise<ChannelPlan>>> = {
    claude: (run) => this.#planClaude(run),
    codex: (run) => this.#planCodex(run),
    gemini: (run) => this.#planGemini(run),
    grok: (run) => this.#planGrok(run),
    opencode: (run) => this.#planOpenCode(run),
  };

  readonly #secrets = new Map<string, Readonly<Record<string, string>>>();

  constructor(options: SideChannelOptions) {
    this.#options = options;
  }

  /**
   * Returns undefined for a session that is not a known agent in a terminal. Never rejects: a session without a plan runs as typed.
   */
  async plan(run: RunRequest): Promise<AgentServerPlan | undefined> {
    const agent = agentInTerminal(run);
    if (agent === undefined) return undefined;
    try {
      if (run.sideChannel === false) return { agent, why: 'it was started with --no-side-channel' };
      if (!this.#options.isWanted()) return { agent, why: '`sideChannel` is false in config.json' };
      return { agent, ...(await this.#plans[agent](run)) };
    } catch (error) {
      return { agent, why: (error as Error).message };
    }
  }

  async #planClaude(run: RunRequest): Promise<ChannelPlan> {
    const fault = claudeArgumentsFault(run.command.slice(1));
    if (fault !== null) return { why: fault };
    const found = await this.#find('claude', run);
    if ('why' in found) return found;
    const { hook = programPath('spool-hook') } = this.#options;
    return { version: found.version, hooked: await prepareClaudeHooks(this.#folder(run), hook) };
  }

  async #planGemini(run: RunRequest): Promise<ChannelPlan> {
    const fault = geminiArgumentsFault(run.command.slice(1));
    if (fault !== null) return { why: fault };
    const found = await this.#find('gemini', run);
    if ('why' in found) return found;
    return { version: found.version, hooked: await prepareGeminiChat(this.#folder(run), run.env) };
  }

  async #planOpenCode(run: RunRequest): Promise<ChannelPlan> {
    const fault = opencodeArgumentsFault(run.command.slice(1), run.env);
    if (fault !== null) return { why: fault };
    const found = await this.#find('opencode', run);
    if ('why' in found) return found;
    const port = await freePort();
    const password = randomBytes(32).toString('base64url');
    await this.#prepareRelay(run, { agent: 'opencode', port, password });
    this.#secrets.set(run.id, { OPENCODE_SERVER_PASSWORD: password });
    return { version: found.version, isRelayed: true, hooked: ['--port', String(port), '--hostname', '127.0.0.1'] };
  }

  /**
   * Returns the secret variables of a planned session; a second call returns none. They are in no record: only the agent's
   * environment has them.
   */
  takeSecrets(id: string): Readonly<Record<string, string>> {
    const secrets = this.#secrets.get(id) ?? {};
    this.#secrets.delete(id);
    return secrets;
  }

  #folder({ id }: RunRequest): string {
    return `${this.#options.home().sessions}/${id}/${CHANNEL_FOLDER}`;
  }

  /** Makes the folder of a channel whose driver connects to the agent's server. */
  async #prepareRelay(run: RunRequest, target: RelayTarget): Promise<void> {
    const folder = this.#folder(run);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${folder}/${CHANNEL_LINES}`, '', { flag: 'a', mode: 0o600 });
    await writeFile(`${folder}/${CHANNEL_RELAY}`, JSON.stringify(target), { mode: 0o600 });
  }

  /** Finds the program, and returns its file and version if that version is known to work. */
  async #find(
    agent: ChannelAgent,
    run: RunRequest,
  ): Promise<{ file: string; version: string } | (ChannelPlan & { why: string })> {
    const [program = ''] = run.command;
    const file = await findProgram(program, run);
    if (file === null) return { why: `${program} was not found` };
    const answer = await this.#versions[agent].ask(file, run);
    if ('why' in answer) return answer;
    const { version } = answer;
    const fault = versionFault(agent, version);
    return fault === null ? { file, version } : { version, why: fault };
  }

  async #planGrok(run: RunRequest): Promise<ChannelPlan> {
    const [program = '', ...words] = run.command;
    const fault = grokArgumentsFault(words);
    if (fault !== null) return { why: fault };
    const found = await this.#find('grok', run);
    if ('why' in found) return found;
    const { file, version } = found;
    const socket = socketPath(this.#options.home().runs, run.id, 'grok.sock');
    if (socket === null) return { version, why: 'the path of its socket would be too long' };
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    const outcome = outcomePath(socket);
    await this.#prepareRelay(run, { agent: 'grok', socket, outcome, file, env: clientVariables(run.env) });
    const leader = ['--leader-socket', socket];
    return {
      version,
      socket,
      isRelayed: true,
      launch: {
        file,
        server: [
          program,
          'agent',
          ...leader,
          'leader',
          '--no-exit-on-disconnect',
          '--relay-on-demand',
          '--no-auto-update',
        ],
        extra: ['--leader', ...leader],
        outcome,
      },
    };
  }

  async #planCodex(run: RunRequest): Promise<ChannelPlan> {
    const [program = '', ...words] = run.command;
    const read = readCodexArguments(words);
    if ('why' in read) return read;
    const found = await this.#find('codex', run);
    if ('why' in found) return found;
    const { file, version } = found;
    const socket = socketPath(this.#options.home().runs, run.id);
    if (socket === null) return { version, why: 'the path of its socket would be too long' };
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 }); // it exists already if a keeper died after this line
    const address = `unix://${socket}`;
    await this.#prepareRelay(run, { agent: 'codex', socket, outcome: outcomePath(socket) });
    return {
      version,
      socket,
      isRelayed: true,
      launch: {
        file,
        server: [program, 'app-server', ...read.forServer, '--listen', address],
        extra: ['--remote', address],
        outcome: outcomePath(socket),
      },
    };
  }
}

/** Variables that the second client of Grok needs to find its files. */
const CLIENT_VARIABLES: readonly string[] = [
  'HOME',
  'PATH',
  'USER',
  'LANG',
  'TMPDIR',
  'GROK_HOME',
  'XDG_CONFIG_HOME',
  COOKIE, // if it starts a leader, that belongs to the session
];

function clientVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(CLIENT_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Returns a port of the loopback that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Decides by the name that the user has typed: npm's `codex` leads to a file of another name. */
function agentInTerminal({ command, size, agent }: RunRequest): ChannelAgent | undefined {
  if (size === undefined || agent !== undefined) return undefined;
  const name = basename(command[0] ?? '');
  return CHANNEL_AGENTS.find((known) => known === name);
}

/**
 * Returns the path of the socket. The last folder for sockets comes first: it is in the state folder, and outlives the login that
 * started the daemon.
 */
export function socketPath(runs: readonly string[], id: string, name = SOCKET): string | null {
  const paths = runs.toReversed().map((run) => `${run}/${id}/${name}`);
  return paths.find((path) => Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) ?? null;
}

/** Returns the current state; null for a session that cannot have a side channel. */
export function sideChannelOf({ agentServer }: RunRequest): SideChannel | null {
  if (!agentServer) return null;
  const { agent, version = null, socket = null, why = null } = agentServer;
  const hasEvents = channelDriver(agentServer) !== null;
  if (socket === null) return { agent, version, socket, hasEvents, why };
  const outcome = readOutcome(socket);
  if (outcome === READY) return { agent, version, socket, hasEvents, why: null };
  const reason = outcome === null ? 'its server is being started' : `its server could not be started: ${outcome}`;
  return { agent, version, socket: null, hasEvents: false, why: reason };
}

/** Returns the name of the driver that reads the side channel; null if no events are recorded. */
export function channelDriver(plan: AgentServerPlan | undefined): ChannelAgent | null {
  return plan?.hooked === undefined && plan?.isRelayed !== true ? null : plan.agent;
}

const outcomePath = (socket: string): string => `${dirname(socket)}/outcome`;

function readOutcome(socket: string): string | null {
  try {
    const text = readFileSync(outcomePath(socket), 'utf8').slice(0, OUTCOME_CHARACTERS_MAX).trim();
    return text === '' ? null : text;
  } catch {
    return null; // the file does not exist yet
  }
}

/**
 * Returns the plan for the record of an ended session: without a socket, and with the reason if there was none. Removes the folder
 * of the socket in the background; returns undefined if the record does not change.
 */
export function settleSideChannel(run: RunRequest): AgentServerPlan | undefined {
  const { agentServer } = run;
  if (agentServer?.socket === undefined) return undefined;
  const { agent, version, why } = sideChannelOf(run)!;
  void removeSocket(agentServer.socket).catch(() => {}); // an empty folder that remains does no harm
  const { isRelayed } = agentServer;
  return { agent, version: version ?? undefined, ...(isRelayed && { isRelayed }), why: why ?? 'the session has ended' };
}

/** Removes the socket. Codex creates it in a folder in /tmp that all its servers share, and leaves a link to it here. */
async function removeSocket(socket: string): Promise<void> {
  const target = await readlink(socket).catch(() => null);
  if (target?.startsWith('/') && (await isOwn(target, 'socket'))) {
    await unlink(target);
    if (await isOwn(`${target}.lock`, 'empty file')) await unlink(`${target}.lock`);
  }
  await rm(dirname(socket), { recursive: true, force: true });
}

async function isOwn(path: string, kind: 'socket' | 'empty file'): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null || found.uid !== process.getuid!()) return false;
  return kind === 'socket' ? found.isSocket() : found.isFile() && found.size === 0;
}
