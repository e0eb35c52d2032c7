/**
 * The known versions of each agent's program, as data: the versions that were run or recorded, and their differences. Another
 * version works as far as it can: it is treated like the nearest known one, an event reports this once, and an unknown line is an
 * event of kind `raw`. Keeps DRV-15.
 */

/** The differences between versions. */
export type Difference =
  /** The answer to `session/load` comes before the history; the list of commands ends it. */
  | 'history-after-load'
  /** The approval policy `on-failure`. */
  | 'on-failure';

export interface KnownProgram {
  /** The name that the program reports. */
  readonly name: string;
  /** The oldest and the newest version that was run or recorded. */
  readonly tested: readonly [oldest: string, newest: string];
  /** `from` and `before` are versions; without them, it is from the first or up to the last. */
  readonly differences: readonly { readonly what: Difference; readonly from?: string; readonly before?: string }[];
}

export const PROGRAMS: readonly KnownProgram[] = [
  { name: 'claude', tested: ['2.1.239', '2.1.326'], differences: [] },
  { name: 'codex', tested: ['0.140.0', '0.169.0'], differences: [{ what: 'on-failure', before: '0.143.0' }] },
  { name: 'gemini-cli', tested: ['0.61.0', '0.61.0'], differences: [{ what: 'history-after-load' }] },
  { name: 'OpenCode', tested: ['1.18.11', '1.18.33'], differences: [] },
  { name: '@agentclientprotocol/claude-agent-acp', tested: ['0.99.1', '0.99.1'], differences: [] },
];

export interface ProgramVersion {
  readonly name: string;
  readonly version: string;
}

/** Returns whether this version has the difference. A program that is not in the list has no differences. */
export function isKnownTo(program: ProgramVersion, what: Difference): boolean {
  const known = PROGRAMS.find(({ name }) => name === program.name);
  return (known?.differences ?? []).some(
    ({ what: own, from, before }) =>
      own === what &&
      (from === undefined || compareVersions(program.version, from) >= 0) &&
      (before === undefined || compareVersions(program.version, before) < 0),
  );
}

/** Returns a sentence about an untested version; null for a tested one, and for programs without a list. */
export function untested({ name, version }: ProgramVersion): string | null {
  const known = PROGRAMS.find((program) => program.name === name);
  if (!known) return null;
  const [oldest, newest] = known.tested;
  const age =
    compareVersions(version, newest) > 0 ? 'newer' : compareVersions(version, oldest) < 0 ? 'older' : undefined;
  if (age === undefined) return null;
  const tested = oldest === newest ? oldest : `${oldest} to ${newest}`;
  return `${name} ${version} is ${age} than what Spool was tested with (${tested}). What it does not know is shown as unknown.`;
}

/** Compares numbers by value; a version with a suffix (`-beta.1`) is before the one without. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at++) {
    const difference = (first.numbers[at] ?? 0) - (second.numbers[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  if (first.suffix === second.suffix) return 0;
  if (first.suffix === '' || second.suffix === '') return first.suffix === '' ? 1 : -1;
  return first.suffix < second.suffix ? -1 : 1;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [, numbers = '', suffix = ''] = /^[^\d]*(\d+(?:\.\d+)*)[-+]?(.*)$/.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), suffix };
}
