/**
 * Reports as JSON what is wrong with the user's rules and milestones, how the rules read the saved cases, and which
 * session folders have no record. It is a separate program for `spool doctor`, which may not import the code that reads them and must not need
 * a daemon.
 */
import { listRecords, readRecord } from '@spool/core';
import { checkCases } from './screens/worker/rule-cases.ts';
import { checkRuleFiles } from './screens/worker/rule-files.ts';

const [configFolder, sessions] = process.argv.slice(2);
if (configFolder === undefined) {
  process.stderr.write('Run `spool doctor`: it checks your rules and milestones too.\n');
  process.exit(2);
}
const ids = sessions === undefined ? [] : await listRecords(sessions).catch(() => []); // none yet
const withoutRecord = ids.map((id) => `${sessions}/${id}`).filter((folder) => readRecord(folder) === null);
const found = { ...checkRuleFiles(configFolder), cases: checkCases(configFolder), withoutRecord };
process.stdout.write(`${JSON.stringify(found)}\n`);
