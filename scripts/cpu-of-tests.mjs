/**
 * Measures the CPU time of each test file and of each test, with all processes that it starts, also daemons and browsers:
 * `SPOOL_TEST_CPU=FILE npm test -- tests/attach.test.ts` appends a line of JSON for each. It needs root and a cgroup (version 1) of
 * cpuacct, and ends no process.
 *
 * A worker moves itself into a cgroup before it loads a test file, and its children stay in that cgroup when they outlive it.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { env, pid } from 'node:process';
import { afterAll, afterEach, expect } from 'vitest';

const CGROUPS = '/sys/fs/cgroup/cpuacct';

const file = basename(expect.getState().testPath ?? 'unknown');
const group = join(CGROUPS, `spool-tests-${pid}-${file}`);
mkdirSync(group, { recursive: true });
writeFileSync(join(group, 'cgroup.procs'), `${pid}`);

const startedAt = seconds();
let last = startedAt;

afterEach(({ task }) => {
  const now = seconds();
  report({ file, test: task.name, seconds: now - last });
  last = now;
});

afterAll(() => report({ file, seconds: seconds() - startedAt }));

function seconds() {
  return Number(readFileSync(join(group, 'cpuacct.usage'), 'utf8')) / 1e9;
}

/** @param {object} line */
function report(line) {
  appendFileSync(env.SPOOL_TEST_CPU ?? '', `${JSON.stringify(line)}\n`);
}
