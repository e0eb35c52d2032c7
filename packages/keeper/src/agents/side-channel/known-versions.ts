/** The versions of agents in terminals whose side channel was tested. It is pure. Keeps the version part of RUN-47. */
import type { ChannelAgent } from '@spool/protocol';

interface KnownAgent {
  readonly name: string;
  /** The side channel, in words. */
  readonly channel: string;
  /** The first and the last version of each range, inclusive. */
  readonly versions: readonly (readonly [first: string, last: string])[];
}

const KNOWN: Readonly<Record<ChannelAgent, KnownAgent>> = {
  claude: { name: 'Claude Code', channel: 'with hooks', versions: [['2.1.325', '2.1.327']] },
  gemini: { name: 'Gemini', channel: 'with a chat file that Spool reads', versions: [['0.61.0', '0.61.0']] },
  grok: { name: 'Grok', channel: 'with a leader that Spool starts', versions: [['1.0.41', '1.0.41']] },
  opencode: { name: 'OpenCode', channel: 'with a port that Spool connects to', versions: [['1.18.33', '1.18.34']] },
  codex: { name: 'Codex', channel: 'with a server of its own', versions: [['0.166.0', '0.169.0']] },
};

/** Returns null for a version that is known to work; otherwise the reason for the refusal. */
export function versionFault(agent: ChannelAgent, version: string): string | null {
  const { name, channel, versions } = KNOWN[agent];
  if (versions.some(([first, last]) => compare(version, first) >= 0 && compare(version, last) <= 0)) return null;
  const known = versions.map(([first, last]) => `${first} to ${last}`).join(', ');
  return `${name} ${version} is not known to work ${channel} (known: ${known || 'none'})`;
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (const [at, number] of left!.entries()) if (number !== right![at]) return number - right![at]!;
  return 0;
}
