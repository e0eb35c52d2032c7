/**
 * Reports which agents are installed, whether their versions were tested, and which get a side channel, for `spool doctor`. Keeps
 * INST-4.
 */
import { PROGRAMS, untested } from '@spool/drivers/versions';
import type { FoundAgent } from '@spool/protocol';
import { printable } from '../output/printable.ts';
import type { DoctorFinding } from '../verbs/doctor.ts';

/** The names that programs report themselves, where these differ from their file. */
const OWN_NAMES: Readonly<Record<string, string>> = { gemini: 'gemini-cli', opencode: 'OpenCode' };

const NO_LIST = 'no list of tested versions';

/** `isWanted`: whether the configuration allows side channels. */
export function agentChecks(agents: readonly FoundAgent[], isWanted: boolean): DoctorFinding[] {
  if (agents.length === 0) return [{ check: 'agent programs', level: 'ok', says: 'none in PATH' }];
  return agents.map((agent) => agentCheck(agent, isWanted));
}

function agentCheck({ name, file, version, why, channelFault }: FoundAgent, isWanted: boolean): DoctorFinding {
  const check = `agent ${name}`;
  if (version === null) return { check, level: 'warn', says: printable(`${file}: ${why}`) };
  const own = OWN_NAMES[name] ?? name;
  const tested = PROGRAMS.find((program) => program.name === own)?.tested;
  const isTested = tested !== undefined && untested({ name: own, version }) === null;
  const untestedText = tested ? `not a tested version (tested: ${[...new Set(tested)].join(' to ')})` : NO_LIST;
  const known = isTested ? 'a tested version' : untestedText;
  const fault = isWanted ? channelFault : '`sideChannel` is false in config.json';
  const channel = fault === null ? 'side channel: yes' : `side channel: no (${fault})`;
  const says = printable(`${version} in ${file}, ${known}; ${channel}`);
  return { check, level: isTested || tested === undefined ? 'ok' : 'warn', says };
}
