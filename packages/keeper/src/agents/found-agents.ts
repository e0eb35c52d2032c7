/** Finds the agents in PATH, with their versions and whether each gets a side channel, for `spool doctor`. Keeps INST-4. */
import type { ChannelAgent, FoundAgent } from '@spool/protocol';
import { versionFault } from './side-channel/known-versions.ts';
import { findProgram, ProgramVersions } from './side-channel/program-version.ts';

/** The programs of the agents that Spool knows. */
const PROGRAMS = ['claude', 'codex', 'gemini', 'opencode', 'grok', 'qwen'] as const;
const CHANNEL_AGENTS: ReadonlySet<string> = new Set<ChannelAgent>(['claude', 'codex', 'gemini', 'grok', 'opencode']);
const VERSION = /\b(\d+\.\d+\.\d+(?:-[\w.]+)?)/;

interface SearchPlace {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** Runs `--version` of each program that is found, all at once. Some agents write their own caches when they are asked. */
export async function foundAgents(place: SearchPlace): Promise<FoundAgent[]> {
  const found = await Promise.all(PROGRAMS.map((name) => foundAgent(name, place)));
  return found.filter((agent) => agent !== null);
}

async function foundAgent(name: (typeof PROGRAMS)[number], place: SearchPlace): Promise<FoundAgent | null> {
  const file = await findProgram(name, place);
  if (file === null) return null;
  const answer = await new ProgramVersions(name, VERSION).ask(file, place);
  if ('why' in answer) return { name, file, version: null, why: answer.why, channelFault: answer.why };
  const { version } = answer;
  return { name, file, version, why: null, channelFault: channelFault(name, version) };
}

function channelFault(name: string, version: string): string | null {
  return CHANNEL_AGENTS.has(name) ? versionFault(name as ChannelAgent, version) : 'Spool has none for this agent';
}
