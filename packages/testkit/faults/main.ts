/** `npm run faults [-- --seed N --seconds N]` runs the fault campaign; prints the tried faults and the losses. */
import { parseArgs } from 'node:util';
import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import type { CampaignReport } from './campaign.ts';

const SECONDS_DEFAULT = 180;
/** The longest campaign: ten minutes, including set-up and checks. */
const SECONDS_MAX = 480;
const AROUND_MS = 120_000;

const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string' } } });
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
const seconds = Math.min(SECONDS_MAX, Number(values.seconds ?? SECONDS_DEFAULT));
if (!Number.isInteger(seed) || !(seconds > 0)) {
  process.stderr.write('--seed is a whole number, and --seconds is more than 0\n');
  process.exit(2);
}
if (NAMESPACES_MISSING !== null || process.getuid!() !== 0) {
  process.stderr.write(`${NAMESPACES_MISSING ?? 'The campaign mounts a small disk: run it as root.'}\n`);
  process.exit(1);
}
process.stdout.write(`seed ${seed}, ${seconds} s\n`);
const script = new URL('campaign.ts', import.meta.url);
const report = await inNamespace<CampaignReport>(script, { seed, seconds }, { withinMs: seconds * 1000 + AROUND_MS });
process.stdout.write(`${describe(report)}\n`);
process.exit(report.lost.length === 0 ? 0 : 1);

function describe({ sessions, agents, tried, notTried, lost, linesTwice }: CampaignReport): string {
  const lines = Object.entries(tried).map(([name, times]) => `tried      ${name}: ${times}`);
  for (const [name, why] of Object.entries(notTried)) lines.push(`not tried  ${name}: ${why}`);
  lines.push(`sessions   ${sessions} at once; agents that were started, one after the other: ${agents}`);
  if (linesTwice > 0) lines.push(`twice      ${linesTwice} lines: a keeper died between a terminal and its journal`);
  if (lost.length === 0) lines.push('lost       nothing');
  for (const what of lost) lines.push(`lost       ${what}`);
  return lines.join('\n');
}
