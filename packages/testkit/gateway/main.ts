/**
 * `npm run doors [-- --seed N --seconds N]` runs the campaign against the gateway, plain and with TLS; prints the visits and
 * their cost.
 */
import { parseArgs } from 'node:util';
import { campaignAtGateway, type GatewayCampaignReport } from './campaign.ts';

const SECONDS_DEFAULT = 600;
const MEMORY_GROWTH_MAX = 512 * 1024 * 1024;

const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string' } } });
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
const seconds = Number(values.seconds ?? SECONDS_DEFAULT);
if (!Number.isInteger(seed) || !(seconds > 0)) {
  process.stderr.write('--seed is a whole number, and --seconds is more than 0\n');
  process.exit(2);
}
let isWell = true;
for (const isTls of [false, true]) {
  process.stdout.write(`seed ${seed}, ${seconds / 2} s ${isTls ? 'with' : 'without'} TLS\n`);
  const report = await campaignAtGateway({ seed, seconds: seconds / 2, isTls });
  process.stdout.write(`${describe(report)}\n`);
  const { pids, owner, memoryBytes, notMade } = report;
  const isBounded = memoryBytes.most - memoryBytes.first < MEMORY_GROWTH_MAX;
  isWell &&= pids.length === 1 && owner.failures.length === 0 && notMade.length === 0 && isBounded;
}
process.exit(isWell ? 0 : 1);

function describe({ acts, pids, memoryBytes, owner, faults, logins, notMade }: GatewayCampaignReport): string {
  const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  return [
    ...Object.entries(acts).map(([name, times]) => `tried     ${name}: ${times}`),
    `gateway   ${pids.length === 1 ? 'one process' : `${pids.length} processes, ${pids.length - 1} died`}, faults of connections: ${faults}`,
    `logins    ${logins}`,
    `memory    ${mib(memoryBytes.first)} MiB at first, ${mib(memoryBytes.most)} MiB at most`,
    `owner     served ${owner.served} times, the slowest in ${owner.slowestMs} ms, failures: ${owner.failures.length}`,
    ...new Set(owner.failures.map((failure) => `failure   ${failure}`)),
    ...new Set(notMade.map((what) => `not made  ${what}`)),
  ].join('\n');
}
