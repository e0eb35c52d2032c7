/**
 * Gives Codex in a terminal its own app-server: plans it before the session starts, reports whether it runs, and removes its
 * socket when the session has ended. Keeps RUN-27, RUN-28 and RUN-47 (decision 170). `native/beside` starts the server and the
 * terminal program.
 */
import { readFileSync } from 'node:fs';
import { lstat, mkdir, readlink, rm, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  type AgentServerPlan,
  type Home,
  type RunRequest,
  type SideChannel,
  SOCKET_PATH_BYTES_MAX,
} from '@spool/protocol';
import { readCodexArguments, versionFault } from './codex-arguments.ts';
import { CodexVersions, findProgram } from './codex-version.ts';

const SOCKET = 'codex.sock';
const READY = 'R';
const OUTCOME_CHARACTERS_MAX = 400;

export interface SideChannelOptions {
  home(): Pick<Home, 'runs'>;
  /** Returns whether the user's configuration allows the side channel. */
  isWanted(): boolean;
}

export class SideChannels {
  readonly #options: SideChannelOptions;
  readonly #versions = new CodexVersions();

  constructor(options: SideChannelOptions) {
    this.#options = options;
  }

  /** Returns undefined for a session that is not Codex in a terminal. Never rejects: without a plan Codex runs as typed. */
  async plan(run: RunRequest): Promise<AgentServerPlan | undefined> {
    if (!isCodexInTerminal(run)) return undefined;
    try {
      return { agent: 'codex', ...(await this.#planCodex(run)) };
    } catch (error) {
      return { agent: 'codex', why: (error as Error).message };
    }
  }

  async #planCodex(run: RunRequest): Promise<Omit<AgentServerPlan, 'agent'>> {
    if (run.sideChannel === false) return { why: 'it was started with --no-side-channel' };
    if (!this.#options.isWanted()) return { why: '`sideChannel` is false in config.json' };
    const [program = '', ...words] = run.command;
    const read = readCodexArguments(words);
    if ('why' in read) return read;
    const file = await findProgram(program, run);
    if (file === null) return { why: `${program} was not found` };
    const answer = await this.#versions.ask(file, run);
    if ('why' in answer) return answer;
    const { version } = answer;
    const fault = versionFault(version);
    if (fault !== null) return { version, why: fault };
    const socket = socketPath(this.#options.home().runs, run.id);
    if (socket === null) return { version, why: 'the path of its socket would be too long' };
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 }); // it exists already if a keeper died after this line
    const address = `unix://${socket}`;
    return {
      version,
      socket,
      launch: {
        file,
        server: [program, 'app-server', ...read.forServer, '--listen', address],
        extra: ['--remote', address],
        outcome: outcomePath(socket),
      },
    };
  }
}

/** Decides by the name that the user has typed: npm's `codex` leads to a file of another name. */
function isCodexInTerminal({ command, size, agent }: RunRequest): boolean {
  return size !== undefined && agent === undefined && basename(command[0] ?? '') === 'codex';
}

/**
 * Returns the path of the socket. The last folder for sockets comes first: it is in the state folder, and outlives the login that
 * started the daemon.
 */
export function socketPath(runs: readonly string[], id: string): string | null {
  const paths = runs.toReversed().map((run) => `${run}/${id}/${SOCKET}`);
  return paths.find((path) => Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) ?? null;
}

/** Returns the current state; null for a session that cannot have a side channel. */
export function sideChannelOf({ agentServer }: RunRequest): SideChannel | null {
  if (!agentServer) return null;
  const { agent, version = null, socket = null, why = null } = agentServer;
  if (socket === null) return { agent, version, socket, why };
  const outcome = readOutcome(socket);
  if (outcome === READY) return { agent, version, socket, why: null };
  const reason = outcome === null ? 'its server is being started' : `its server could not be started: ${outcome}`;
  return { agent, version, socket: null, why: reason };
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
 * Returns the plan for the record of an ended session: without a socket, and with the reason if there was none. Removes the
 * folder of the socket in the background; undefined: the record does not change.
 */
export function settleSideChannel(run: RunRequest): AgentServerPlan | undefined {
  const { agentServer } = run;
  if (agentServer?.socket === undefined) return undefined;
  const { agent, version, why } = sideChannelOf(run)!;
  void removeSocket(agentServer.socket).catch(() => {}); // an empty folder that remains does no harm
  return { agent, version: version ?? undefined, why: why ?? 'the session has ended' };
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
