/**
 * `npm run defences [-- WORDS]`: takes each defence out, one at a time, in a copy of the repository, and shows that its test
 * fails. With words, it takes out only the defences whose attack or file contains them.
 */
import { fileURLToPath } from 'node:url';
import { DEFENCES } from './all-defences.ts';
import type { Defence } from './defence.ts';
import { judge, NOTICED } from './judge.ts';
import { type TestOutcome, TreeCopy } from './tree-copy.ts';

const words = process.argv.slice(2);
const chosen = DEFENCES.filter(({ attack, file }) => words.every((word) => `${attack} ${file}`.includes(word)));
using tree = new TreeCopy(fileURLToPath(new URL('../../..', import.meta.url)));
const passing = new Map<string, TestOutcome>();
let unnoticed = 0;
for (const defence of chosen) {
  const verdict = await judgeBoth(defence).catch((error: unknown) => `FAULT ${(error as Error).message}`);
  if (verdict !== NOTICED) unnoticed++;
  process.stdout.write(`${verdict.padEnd(10)} ${defence.attack} (${defence.test.file})\n`);
}
process.stdout.write(`${chosen.length - unnoticed} of ${chosen.length} were noticed\n`);
process.exitCode = unnoticed === 0 ? 0 : 1;

/** Also with the defence: a test that fails in any case notices nothing. */
async function judgeBoth(defence: Defence): Promise<string> {
  const key = JSON.stringify(defence.test);
  if (!passing.has(key)) passing.set(key, await tree.run(defence.test));
  if (passing.get(key) !== 'passed') return `ALSO WITH IT: ${passing.get(key)}`;
  return await judge(tree, defence);
}
