/**
 * `npm run marks [FOLDER]` prints figures per agent and a confusion table, for held-out recordings and for those that the rules
 * were tuned on; by all sources and by the screen alone.
 */
import { pathToFileURL } from 'node:url';
import type { StatusState } from '@spool/protocol';
import { type Mark, markedRecordings, marksOf, reworded, RULES_FOR_ANY } from './marks.ts';
import { percent, SCREEN_ALONE } from './measurement.ts';

const STATES: readonly StatusState[] = ['working', 'blocked', 'idle'];
const [folder] = process.argv.slice(2);
const all = markedRecordings(folder === undefined ? undefined : pathToFileURL(`${folder}/`));
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const isWrong = ({ truth, found, words }: Mark): boolean => truth !== found || words !== '';

for (const isHeldOut of [true, false]) {
  const recordings = all.filter((recording) => recording.isHeldOut === isHeldOut);
  if (recordings.length === 0) continue;
  for (const withholds of [undefined, SCREEN_ALONE]) {
    const results = recordings.map((recording) => marksOf(recording, withholds));
    const marks = results.flatMap((result) => result.marks);
    print(`${isHeldOut ? 'Held out' : 'Tuned on'}, ${withholds ? 'by the screen alone' : 'all sources'}`, marks);
    const idle = results.flatMap(({ idleInDialog }) => idleInDialog);
    write(`  idle while a dialog was up: ${idle.length}${idle.map((line) => `\n    ${line}`).join('')}\n`);
  }
  const working = recordings
    .flatMap((recording) => marksOf(reworded(recording)).marks)
    .filter(({ truth }) => truth === 'working');
  const right = working.filter(({ found }) => found === 'working').length;
  write(
    `  hints reworded, spinners changed: ${right} of ${working.length} marks of work read working (${percent(right / working.length)})\n`,
  );
  const unknown = recordings.map((recording) => marksOf(recording, SCREEN_ALONE, RULES_FOR_ANY));
  write('  read as an unknown program, by the screen alone and without the rules of its agent:');
  confusion(unknown.flatMap((result) => result.marks));
  write(`  idle while a dialog was up: ${unknown.flatMap(({ idleInDialog }) => idleInDialog).length}\n`);
}

function print(title: string, marks: readonly Mark[]): void {
  const right = marks.filter((mark) => !isWrong(mark)).length;
  write(`${title}: ${right} of ${marks.length} marks right (${percent(right / marks.length)})`);
  for (const agent of new Set(marks.map((mark) => mark.agent))) {
    const own = marks.filter((mark) => mark.agent === agent);
    const dialogs = own.filter(({ truth }) => truth === 'blocked');
    const told = dialogs.filter(({ found, words }) => found === 'blocked' && words === '').length;
    const good = own.filter((mark) => !isWrong(mark)).length;
    write(
      `  ${agent.padEnd(9)} ${good} of ${own.length} right; dialogs told in their own words: ${told} of ${dialogs.length}`,
    );
  }
  confusion(marks);
  for (const { recording, ms, label, found, by, truth, words } of marks.filter(isWrong))
    write(`  wrong: ${recording} ${ms} ms ${label}: ${found} (${by}), ${truth === found ? words : `not ${truth}`}`);
}

function confusion(marks: readonly Mark[]): void {
  write(`  ${'truth'.padEnd(9)}${STATES.map((state) => `read ${state}`.padStart(14)).join('')}${'other'.padStart(8)}`);
  for (const truth of STATES) {
    const own = marks.filter((mark) => mark.truth === truth);
    const counts = STATES.map((state) => own.filter(({ found }) => found === state).length);
    const other = own.length - counts.reduce((one, more) => one + more, 0);
    write(
      `  ${truth.padEnd(9)}${counts.map((count) => String(count).padStart(14)).join('')}${String(other).padStart(8)}`,
    );
  }
}
