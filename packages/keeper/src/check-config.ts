/**
 * Reports as JSON what is wrong with the user's rules and milestones, and which session folders have no
 * record. It is a separate program for `spool doctor`, which may not import the code that reads them and must not need
 * a daemon.
 */
import { listRecords, readRecord } from '@spool/core';
import { checkRuleFiles } from './screens/worker/rule-files.ts';

const [configFolder, sessions] = process.argv.slice(2);
if (configFolder === undefined) {
  process.stderr.write('Run `spool doctor`: it checks your rules and milestones too.\n');
  process.exit(2);
}
const ids = sessions === undefined ? [] : await listRecords(sessions).catch(() => []); // none yet
const withoutRecord = ids.map((id) => `${sessions}/${id}`).filter((folder) => readRecord(folder) === null);
process.stdout.write(`${JSON.stringify({ ...checkRuleFiles(configFolder), withoutRecord })}\n`);
