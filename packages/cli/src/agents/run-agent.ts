/**
 * `spool run --agent NAME "prompt"`: an agent without a terminal, as typed events. With --detach the agent stays and takes prompts;
 * otherwise it ends after its first turn, and its output is printed.
 */
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import {
  agentEnvironment,
  type AgentEventItem,
  type AgentHandle,
  callerLimits,
  type Client,
  type Content,
} from '@spool/client/node';
import { SpoolError } from '@spool/protocol';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { print, printJson, writeText } from '../output/stdio.ts';
import { jsonText } from '../output/json-text.ts';

export interface RunAgentFlags {
  readonly agent: string;
  readonly detach: boolean;
  readonly json: boolean;
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly timeout?: number | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly resume?: string | undefined;
  readonly budgetUsd?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly image: readonly string[];
  readonly program?: string | undefined;
}

const MIMES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** The size limit of an image, which a command contains in base64. */
const IMAGE_BYTES_MAX = 400 * 1024;

export async function runAgent(
  client: Client,
  flags: RunAgentFlags,
  {
    text,
    env,
    keptEnv,
    labels,
  }: {
    readonly text: string;
    readonly env: Record<string, string>;
    /** The names of the variables that the user set, which a resumed agent gets again. */
    readonly keptEnv: readonly string[];
    readonly labels: Record<string, string> | undefined;
  },
): Promise<number> {
  const budgetUsd = flags.budgetUsd === undefined ? undefined : Number(flags.budgetUsd);
  if (budgetUsd !== undefined && !(budgetUsd > 0))
    throw new UsageError(`--budget-usd ${JSON.stringify(flags.budgetUsd)} is not an amount; use 2.50`, 'run');
  if (text === '' && !flags.detach) throw new UsageError('--agent needs a prompt, or --detach', 'run');
  const prompt = text === '' && flags.image.length === 0 ? undefined : await readContent(text, flags.image);
  const resumed = flags.resume === undefined ? null : await sessionOf(client, flags.resume, flags.agent);
  if (resumed !== null) {
    const own = (['model', 'mode', 'budgetUsd', 'maxTurns', 'program', 'cwd'] as const).find(
      (flag) => flags[flag] !== undefined,
    );
    if (own !== undefined)
      throw new UsageError(
        `--resume ${flags.resume} keeps the settings of that session; leave out --${kebab(own)}`,
        'run',
      );
    const place = { keptEnv, env: client.isRemote ? env : { ...agentEnvironment(flags.agent), ...env } };
    const { name, timeout: timeoutMs } = flags;
    return await reportStarted(client, await client.resumeAgent(resumed, { prompt, name, timeoutMs, ...place }), flags);
  }
  const agent = await client.agent(flags.agent, {
    prompt,
    model: flags.model,
    mode: flags.mode,
    resume: flags.resume,
    budgetUsd,
    maxTurns: flags.maxTurns,
    program: flags.program === undefined ? undefined : flags.program.split(' '),
    // For another machine, the folder and the keys of that machine are used.
    cwd: client.isRemote ? flags.cwd : resolve(flags.cwd ?? process.cwd()),
    env: client.isRemote ? env : { ...agentEnvironment(flags.agent), ...env },
    keptEnv,
    name: flags.name,
    labels,
    timeoutMs: flags.timeout,
    ...callerLimits(),
  });
  return await reportStarted(client, agent, flags);
}

/** Prints the id, or the whole output of its first turn. */
export async function reportStarted(
  client: Client,
  agent: AgentHandle,
  { detach, json }: { readonly detach: boolean; readonly json: boolean },
): Promise<number> {
  if (!detach) return await follow(client, agent, json);
  if (json) printJson(agent.info);
  else print(agent.id);
  return 0;
}

/** Returns the session of Spool that has this agent; null if the reference is the agent's own id. */
async function sessionOf(client: Client, reference: string, agent: string): Promise<string | null> {
  try {
    const { id, name, driver } = await client.get(reference);
    if (driver?.name === agent || (driver?.name === 'acp' && agent === 'opencode')) return id;
    throw new UsageError(`--resume ${reference}: session ${name} is not an agent ${agent}`, 'run');
  } catch (error) {
    if (SpoolError.is(error, 'SESSION_UNKNOWN') || SpoolError.is(error, 'SESSION_NONE')) return null;
    throw error;
  }
}

const kebab = (flag: string): string => flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Follows the agent until its first turn, and then the agent, has ended. */
async function follow(client: Client, agent: AgentHandle, asJson: boolean): Promise<number> {
  let outcome: string | null = null;
  const onItem = async (item: AgentEventItem): Promise<boolean> => {
    if (item.type !== 'event') return false;
    if (asJson) await writeText(`${jsonText(item.event)}\n`);
    if (item.event.kind !== 'turn.ended' || outcome !== null) return false;
    ({ outcome } = item.event);
    await agent.close();
    return false;
  };
  if (asJson) {
    printJson({ type: 'started', id: agent.id, name: agent.info.name, session: agent.info });
    await using events = client.watchEvents(agent.id);
    for await (const item of events) await onItem(item);
  } else {
    const { printTranscript } = await import('./transcript-output.ts');
    await printTranscript(client, agent.info, { isFollowing: true, onItem });
  }
  return outcome === 'completed' ? 0 : EXIT.failed;
}

async function readContent(text: string, images: readonly string[]): Promise<readonly Content[]> {
  const content: Content[] = text === '' ? [] : [{ type: 'text', text }];
  for (const file of images) {
    const mime = MIMES[extname(file).toLowerCase()];
    if (mime === undefined) throw new UsageError(`--image ${file}: use a PNG, JPEG, GIF or WebP file`, 'run');
    const bytes = await readFile(file);
    if (bytes.length > IMAGE_BYTES_MAX)
      throw new UsageError(`--image ${file} has ${bytes.length} bytes; at most ${IMAGE_BYTES_MAX} are possible`, 'run');
    content.push({ type: 'image', mime, data: bytes.toString('base64') });
  }
  return content;
}
