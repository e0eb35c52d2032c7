/**
 * Resumes an agent that has ended, by the id of the agent's own session: another process, in another session of Spool with the
 * same name, folder and settings (decision 120). This is never done automatically. Keeps EVT-40.
 */
import { isHeadless, type SessionInfo, SpoolError } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';
import type { Client } from '../client.ts';
import type { RunOptions } from '../options.ts';
import { type AgentOptions, AGENTS, firstCommands } from './launch.ts';

/** The size of the last part of the events log, which contains the last record. */
const LAST_BYTES = 1024 * 1024;

export type ResumeOptions = Pick<AgentOptions, 'prompt' | 'env' | 'keptEnv' | 'name' | 'timeoutMs' | 'retainMs' | 'id'>;

/** Returns the `run` that resumes the agent. */
export async function resumedRun(
  client: Client,
  info: SessionInfo,
  { prompt, env, keptEnv, name = info.name, timeoutMs, retainMs }: ResumeOptions,
): Promise<RunOptions> {
  const { driver } = info;
  if (!driver || !isHeadless(info)) throw new SpoolError('NOT_AN_AGENT', { session: info.name });
  if (info.state === 'running') throw new SpoolError('SESSION_RUNNING', { session: info.name });
  const agentSession = await ownSession(client, info);
  if (agentSession === null) throw new SpoolError('AGENT_NOT_RESUMABLE', { session: info.name });
  const launch = AGENTS[driver.name];
  const flag = launch?.options.find(([, option]) => option === 'resume')?.[0];
  const command = flag === undefined ? info.command : [...without(info.command, flag), flag, agentSession];
  return {
    command,
    size: null,
    cwd: info.cwd,
    env,
    keptEnv,
    name,
    labels: info.labels,
    timeoutMs,
    retainMs,
    agent: {
      name: driver.name,
      commands: firstCommands({ prompt }, () => client.newId()),
      options: { ...driver.options, ...(flag === undefined && { resume: agentSession }) },
      resumes: { agentSession, session: info.id },
      ...(launch?.bridge && { bridge: launch.bridge }),
    },
  };
}

/** The words that continue the agent's own session in its terminal; its id follows. */
const IN_TERMINAL: Readonly<Record<string, readonly string[]>> = {
  claude: ['--resume'],
  codex: ['resume'],
  opencode: ['--session'],
};

/**
 * Returns the command that continues an agent in its terminal. Without a session to continue, it is the command of the session. A
 * prompt in the command is left out, because the agent has already received it.
 */
export async function continuedCommand(client: Client, info: SessionInfo): Promise<readonly string[]> {
  const words = IN_TERMINAL[info.driver?.name ?? ''];
  const own = words === undefined ? null : await ownSession(client, info);
  if (words === undefined || own === null) return info.command;
  const [program = '', ...rest] = info.command;
  // A word that is not a flag may be a prompt or the value of a flag; with such a word, no flags are kept.
  const flags = rest.every((word) => word.startsWith('-')) ? rest : [];
  return [program, ...flags, ...words, own];
}

/** Returns the agent session that the driver reported at the end; otherwise, the last one that the agent reported. */
async function ownSession(client: Client, { id, driver }: SessionInfo): Promise<string | null> {
  const { firstOffset, offset } = driver!;
  let own: string | null = null;
  for (const from of [Math.max(firstOffset, offset - LAST_BYTES), firstOffset]) {
    await using events = client.watchEvents(id, { from });
    for await (const item of events) {
      if (item.type !== 'event') continue;
      if (item.event.kind === 'session.ended') return item.event.agentSession ?? null;
      own = ownIn(item.event) ?? own;
    }
    if (from === firstOffset) break;
  }
  return own;
}

function ownIn(event: AgentEvent): string | undefined {
  return 'agentSession' in event ? event.agentSession : undefined;
}

function without(command: readonly string[], flag: string): readonly string[] {
  const at = command.indexOf(flag);
  return at === -1 ? command : [...command.slice(0, at), ...command.slice(at + 2)];
}
