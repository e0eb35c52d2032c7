/**
 * The start of each agent without a terminal: its program and flags, as data. None of the flags skips permissions: a person or
 * the policy answers the requests that the agent makes by its own settings. Keeps DRV-14: an agent that cannot be limited is not
 * started.
 */
import { type AgentCommandLine, type AgentRun, type AgentStartOptions, SpoolError } from '@spool/protocol';
import type { Content } from '@spool/protocol/agent';
import type { RunOptions } from '../options.ts';

type CommonRunOptions = Pick<RunOptions, 'cwd' | 'env' | 'keptEnv' | 'name' | 'labels' | 'timeoutMs' | 'retainMs'>;

export interface AgentOptions extends CommonRunOptions, Pick<RunOptions, 'id'> {
  /** The first prompt: text, or text and images. */
  readonly prompt?: string | readonly Content[] | undefined;
  readonly model?: string | undefined;
  /** The agent's own permission or collaboration mode. */
  readonly mode?: string | undefined;
  /** The id of the agent's own session to resume. */
  readonly resume?: string | undefined;
  /** The cost at which the agent stops, if it reports the cost. */
  readonly budgetUsd?: number | undefined;
  /** The number of model requests in a turn at which the agent stops, if it counts them. */
  readonly maxTurns?: number | undefined;
  /** The program (default: the agent's own name, looked up in PATH). */
  readonly program?: readonly string[] | undefined;
}

type AgentFlag = readonly [flag: string, option: 'model' | 'mode' | 'resume' | 'budgetUsd' | 'maxTurns'];

interface Launch {
  readonly program: readonly string[];
  readonly flags: readonly string[];
  /** The options that are flags of the program; the others are commands of the driver, or impossible. */
  readonly options: readonly AgentFlag[];
  readonly env: Readonly<Record<string, string>>;
  /** The bridge, for an agent that serves HTTP (decision 115). */
  readonly bridge?: 'http';
}

export const AGENTS: Readonly<Record<string, Launch>> = {
  claude: {
    program: ['claude'],
    // The program is started as by Anthropic's own SDK: many turns on stdin, and permissions as questions on the wire.
    flags: [
      '--output-format',
      'stream-json',
      '--input-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--permission-prompt-tool',
      'stdio',
    ],
    options: [
      ['--model', 'model'],
      ['--permission-mode', 'mode'],
      ['--resume', 'resume'],
      ['--max-budget-usd', 'budgetUsd'],
      ['--max-turns', 'maxTurns'],
    ],
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' },
  },
  codex: { program: ['codex'], flags: ['app-server'], options: [], env: {} },
  gemini: { program: ['gemini'], flags: ['--acp'], options: [['--model', 'model']], env: {} },
  grok: { program: ['grok'], flags: ['agent', '--no-leader', 'stdio'], options: [], env: {} },
  // The server is only for us, whatever the user's settings are.
  opencode: {
    program: ['opencode'],
    flags: ['serve', '--hostname', '127.0.0.1', '--port', '0', '--no-mdns'],
    options: [],
    env: {},
    bridge: 'http',
  },
  acp: { program: [], flags: [], options: [], env: {} },
};

/** Returns the `run` of an agent. */
export function agentRun(
  name: string,
  options: AgentOptions,
  randomId: () => string,
): CommonRunOptions & { readonly command: readonly string[]; readonly size: null; readonly agent: AgentRun } {
  const launch = Object.hasOwn(AGENTS, name) ? AGENTS[name]! : undefined;
  if (!launch) throw new SpoolError('AGENT_UNKNOWN', { agent: name, known: Object.keys(AGENTS).join(', ') });
  const program = options.program ?? launch.program;
  if (program.length === 0) throw new SpoolError('ARGUMENT_INVALID', { argument: 'program', reason: 'it is required' });
  const flags = launch.options.flatMap(([flag, option]) =>
    options[option] === undefined ? [] : [flag, String(options[option])],
  );
  return {
    command: [...program, ...launch.flags, ...flags],
    size: null,
    agent: {
      name,
      commands: firstCommands(options, randomId),
      options: startOptions(name, launch, options),
      ...(options.resume !== undefined && { resumes: { agentSession: options.resume } }),
      ...(launch.bridge && { bridge: launch.bridge }),
    },
    cwd: options.cwd,
    env: options.env && { ...launch.env, ...options.env },
    keptEnv: options.keptEnv,
    name: options.name,
    labels: options.labels,
    timeoutMs: options.timeoutMs,
    retainMs: options.retainMs,
  };
}

/** Returns the variables that the agent needs beside the caller's. */
export function agentEnvironment(name: string): Readonly<Record<string, string>> {
  return Object.hasOwn(AGENTS, name) ? AGENTS[name]!.env : {};
}

/**
 * Returns the options that are not flags of the program: the driver sends them. An agent that does not support a limit would
 * silently ignore it.
 */
function startOptions(agent: string, { options: flags }: Launch, options: AgentOptions): AgentStartOptions {
  const isFlag = (wanted: AgentFlag[1]): boolean => flags.some(([, option]) => option === wanted);
  for (const limit of ['budgetUsd', 'maxTurns'] as const)
    if (options[limit] !== undefined && !isFlag(limit))
      throw new SpoolError('ARGUMENT_INVALID', { argument: limit, reason: `${agent} cannot be limited by it` });
  const { model, mode, resume } = options;
  return {
    ...(model !== undefined && !isFlag('model') && { model }),
    ...(mode !== undefined && !isFlag('mode') && { mode }),
    ...(resume !== undefined && !isFlag('resume') && { resume }),
  };
}

export function firstCommands({ prompt }: Pick<AgentOptions, 'prompt'>, randomId: () => string): AgentCommandLine[] {
  if (prompt === undefined) return [];
  const id = randomId();
  return [{ id, command: { do: 'prompt', clientId: id, content: contentOf(prompt) } }];
}

export function contentOf(prompt: string | readonly Content[]): readonly Content[] {
  return typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
}
