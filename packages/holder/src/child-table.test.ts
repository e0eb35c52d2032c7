import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('[LIFE-8] a start without enough fds never leaves a child that no process holds', () => {
  const script = fileURLToPath(new URL('testing/spawn-with-few-fds.ts', import.meta.url));
  const printed = execFileSync('sh', ['-c', 'ulimit -n 80; exec "$0" "$1"', process.execPath, script], {
    encoding: 'utf8',
  });
  const tries = JSON.parse(printed) as { held: number; children: number }[];
  expect(tries.filter(({ held, children }) => held !== children)).toEqual([]);
  // The first tries fail and the last succeed: the test covers both sides of the limit.
  expect(tries[0]).toEqual({ held: 0, children: 0 });
  expect(tries.at(-1)!.held).toBeGreaterThan(0);
});
