/**
 * Reports as JSON the faults in the user's rules and milestones, the result of the rules for the saved cases, and the session
 * folders without a record. It is a separate program for `spool doctor`, which may not import the code that reads them and must
 * not need a daemon.
 */
import type { CheckedConfig } from '@spool/protocol';
import { listRecords, readRecord } from '@spool/store';
import { checkCases } from './screens/worker/rule-cases.ts';
import { checkRuleFiles } from './screens/worker/rule-files.ts';

const [configFolder, sessions] = process.argv.slice(2);
if (configFolder === undefined) {
  process.stderr.write('Run `spool doctor`: it checks your rules and milestones too.\n');
  process.exit(2);
}
const ids = sessions === undefined ? [] : await listRecords(sessions).catch(() => []); // the folder does not exist yet
const withoutRecord = ids.map((id) => `${sessions}/${id}`).filter((folder) => readRecord(folder) === null);
const found: CheckedConfig = { ...checkRuleFiles(configFolder), cases: checkCases(configFolder), withoutRecord };
process.stdout.write(`${JSON.stringify(found)}\n`);
