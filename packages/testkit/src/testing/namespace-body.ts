/** Reports the environment of a body, for namespace.test.ts. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { startWithPid } from '@spool/testkit';

export default async function look(input: { readonly pid: number }): Promise<object> {
  startWithPid(input.pid, ['sleep', '1000']);
  const orphan = spawnSync('sh', ['-c', 'sleep 0 & echo $!'], { encoding: 'utf8' }).stdout.trim();
  while (readdirSync('/proc').includes(orphan)) await new Promise((resolve) => setTimeout(resolve, 5)); // until it is reaped
  return {
    chosen: readFileSync(`/proc/${input.pid}/cmdline`, 'utf8').split('\0')[0],
    init: readFileSync('/proc/1/cmdline', 'utf8').split('\0')[0],
    sessionOfInit: readFileSync('/proc/1/stat', 'utf8').split(' ')[5],
  };
}
