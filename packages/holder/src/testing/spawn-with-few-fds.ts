/**
 * Starts a child with 0, 1, 2, … spare fds, under a low limit (`ulimit -n`), and prints for each try whether the child is held
 * and how many children really exist.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { FdWatch } from '@spool/native/fd-watch';
import { ChildTable } from '../child-table.ts';

const TRIES = 14;

const table = new ChildTable(
  new FdWatch(),
  () => {},
  () => '',
);
const run = { command: ['sleep', '1000'], cwd: '/', env: { PATH: '/usr/bin:/bin' }, size: { cols: 80, rows: 24 } };
const tries: { held: number; children: number }[] = [];
for (let spare = 0; spare < TRIES; spare++) {
  const fds = takeAllFds();
  for (const fd of fds.splice(0, spare)) closeSync(fd);
  try {
    table.spawn({ ...run, id: `session${spare}` }, Date.now());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
  for (const fd of fds) closeSync(fd);
  tries.push({ held: table.size, children: children().length });
}
for (const pid of children()) process.kill(pid, 'SIGKILL');
table[Symbol.dispose]();
process.stdout.write(JSON.stringify(tries));
process.exit(0);

function takeAllFds(): number[] {
  const fds: number[] = [];
  try {
    for (;;) fds.push(openSync('/dev/null', 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
    return fds;
  }
}

function children(): number[] {
  const listed = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}
