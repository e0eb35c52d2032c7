/**
 * `npm run record -- SET FOLDER [NAME…]` records a set of real agents (`sets.ts`) into a folder, in the form of
 * `tests/fixtures/marks`. `node scripts/agents.mjs claude@2.1.300` downloads a version that a set needs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { RecordedAgentRun } from './agent-run.ts';
import { SETS } from './sets.ts';

const [set = '', folder = '', ...names] = process.argv.slice(2);
const recordings = SETS[set];
if (recordings === undefined || folder === '') {
  process.stderr.write(`record: use npm run record -- SET FOLDER [NAME…]; sets are ${Object.keys(SETS).join(', ')}\n`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
let failures = 0;
for (const [name, { scenes, ...options }] of Object.entries(recordings)) {
  if (names.length > 0 && !names.includes(name)) continue;
  using run = new RecordedAgentRun(options);
  let failure = '';
  try {
    for (const scene of scenes) await scene(run);
  } catch (error) {
    failure = (error as Error).message;
    failures++;
  }
  const { json, pty, marks } = run.recording(true);
  writeFileSync(`${folder}/${name}.json.gz`, json);
  writeFileSync(`${folder}/${name}.pty.gz`, pty);
  process.stdout.write(`${name}: ${marks} marks, ${run.terminal.ms} ms, ${json.length + pty.length} bytes\n`);
  if (failure !== '') process.stdout.write(`${name}: STOPPED: ${failure}\n`);
}
process.exit(failures > 0 ? 1 : 0);
