/**
 * Says what is wrong with the rules and milestones that the user has put into a config folder, as JSON: a program of its own for
 * `spool doctor`, which may not import what reads them, and must not need a daemon for it.
 */
import { checkRuleFiles } from './screens/rule-files.ts';

const [configFolder] = process.argv.slice(2);
if (configFolder === undefined) {
  process.stderr.write('Run `spool doctor`: it checks your rules and milestones too.\n');
  process.exit(2);
}
process.stdout.write(`${JSON.stringify(checkRuleFiles(configFolder))}\n`);
