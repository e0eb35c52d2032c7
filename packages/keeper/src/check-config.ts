/**
 * Reports as JSON the faults in the user's rules and milestones, the result of the rules for the saved cases, the session folders
 * without a record and, on request, the agents in PATH. It is a separate program for `spool doctor`, which may not import the code that reads them and must
 * not need a daemon.
 */
import type { CheckedConfig } from '@spool/protocol';
import { listRecords, readRecord } from '@spool/store';
import { foundAgents } from './agents/found-agents.ts';
import { checkCases } from './screens/worker/rule-cases.ts';
import { checkRuleFiles } from './screens/worker/rule-files.ts';

const [configFolder, sessions, more] = process.argv.slice(2);
if (configFolder === undefined) {
  process.stderr.write('Run `spool doctor`: it checks your rules and milestones too.\n');
  process.exit(2);
}
const ids = sessions === undefined ? [] : await listRecords(sessions).catch(() => []); // the folder does not exist yet
const withoutRecord = ids.map((id) => `${sessions}/${id}`).filter((folder) => readRecord(folder) === null);
const place = { env: process.env as Record<string, string>, cwd: process.cwd() };
const found: CheckedConfig = {
  ...checkRuleFiles(configFolder),
  cases: checkCases(configFolder),
  withoutRecord,
  agents: more === 'agents' ? await foundAgents(place) : [],
};
process.stdout.write(`${JSON.stringify(found)}\n`);
