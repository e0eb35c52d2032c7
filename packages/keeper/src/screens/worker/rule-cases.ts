/** Applies the present rules, built-in and the user's, to the saved cases in `rules/cases` of the config folder [STATE-9]. */
import type { CheckedCase } from '@spool/protocol';
import { parseCase, type RuleCase, type RuleSet, runCase } from '@spool/status';
import { jsonFiles, RuleFiles, textOfFile } from './rule-files.ts';

/** The maximum of cases; each takes about a millisecond. */
const CASES_MAX = 500;

export function checkCases(configFolder: string): CheckedCase[] {
  const names = jsonFiles(`${configFolder}/rules/cases`, CASES_MAX);
  if (names.length === 0) return [];
  const files = new RuleFiles(configFolder, () => undefined); // `checkRuleFiles` reports faults in rules
  files.refresh();
  return names.map((name) => checkCase(`${configFolder}/rules/cases/${name}`, files.rules));
}

function checkCase(file: string, rules: readonly RuleSet[]): CheckedCase {
  const read = readCase(file);
  if (typeof read === 'string')
    return { file, isRight: null, should: null, reads: null, rule: null, source: null, why: read, note: '' };
  const { should, note } = read;
  const { state, rule, source, why } = runCase(rules, read);
  return { file, isRight: state === should, should, reads: state, rule, source, why, note };
}

/** Returns the case, or the fault of the file. */
function readCase(file: string): RuleCase | string {
  let text: string;
  try {
    text = textOfFile(file);
  } catch (error) {
    return `${file} cannot be used: ${(error as Error).message}`;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `${file}: is not JSON (${(error as Error).message})`;
  }
  const result = parseCase(file, json);
  return 'error' in result ? result.error : result.found;
}
