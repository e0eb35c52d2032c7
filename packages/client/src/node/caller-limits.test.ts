import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { callerLimits } from './caller-limits.ts';

const module = new URL('./caller-limits.ts', import.meta.url).href;
const script = `import('${module}').then(({ callerLimits }) => console.log(JSON.stringify(callerLimits())))`;

/** Returns the limits in a Node whose parent is a shell with these limits. */
function limitsUnder(shell: string): unknown {
  return JSON.parse(
    execFileSync('/bin/sh', ['-c', `${shell}; "$0" -e "$1"; true`, process.execPath, script], { encoding: 'utf8' }),
  );
}

test.each([
  ['ulimit -Sn 777; umask 027', { umask: 0o27, nofileSoft: 777 }],
  ['ulimit -Sn 1024; umask 0', { umask: 0, nofileSoft: 1024 }],
  ['ulimit -n 300; umask 0777', { umask: 0o777, nofileSoft: 300 }],
])("the limits are the calling shell's, not those that Node gave itself: %s", (shell, expected) => {
  expect(limitsUnder(shell)).toMatchObject(expected);
});

test('[RUN-4] all limits of the calling shell are told, hard and soft, and how nice it is', () => {
  const shell = 'ulimit -Sn 777; ulimit -Hn 888; ulimit -t 99; ulimit -c 0; ulimit -f 2048; ulimit -Ss 4096';
  const hardStack = callerLimits().limits.stack![1];
  expect(limitsUnder(shell)).toMatchObject({
    limits: {
      nofile: [777, 888],
      cpu: [99, 99],
      core: [0, 0],
      fsize: [2048 * 512, 2048 * 512],
      stack: [4096 * 1024, hardStack],
    },
    nice: getPriority(),
  });
});

test('they are always numbers that the kernel would take', () => {
  const { umask, nofileSoft } = callerLimits();
  expect([Number.isInteger(umask), umask >= 0, umask <= 0o777]).toEqual([true, true, true]);
  expect([Number.isSafeInteger(nofileSoft), nofileSoft >= 3]).toEqual([true, true]);
});
