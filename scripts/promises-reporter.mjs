/**
 * After a run of all tests: which promises of SPEC.md no test has proved. One that was skipped proves nothing, whatever its
 * title says.
 *
 * In CI, where everything that the tests need is installed, such a promise fails the run. A test that fails
 * there is tried once more. The first error is printed here all the same: what a test meets now and then, a user will meet too.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { env, stdout } from 'node:process';

const SPEC = join(resolve(import.meta.dirname, '..'), 'SPEC.md');

/** Proved by programs that are downloaded, and may not be had: the run goes on, and says so. */
const NEEDS_DOWNLOAD = new Set(['MCP-9']);

export default class PromisesReporter {
  onTestRunEnd(testModules) {
    const tests = testModules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({ title: test.fullName, ...test.result() })),
    );
    for (const { title, state, errors = [] } of tests)
      if (state === 'passed' && errors.length > 0)
        stdout.write(
          `Passed at its second try: ${title}\n  at first: ${errors.map(({ stack, message }) => stack ?? message).join('\n')}\n`,
        );
    const unproved = unprovedPromises(readFileSync(SPEC, 'utf8'), tests);
    for (const { id, reasons } of unproved)
      stdout.write(`${id} was not proved in this run: ${reasons.join(' ') || 'no test of it ran.'}\n`);
    const isOwed = ({ id }) => !NEEDS_DOWNLOAD.has(id);
    if (env.SPOOL_TESTS_NEED !== undefined && unproved.some(isOwed)) process.exitCode = 1;
  }
}

/** Promises without a test that passed, each with why its tests were skipped. */
export function unprovedPromises(spec, tests) {
  const ids = [...spec.matchAll(/^\s*- \*\*([A-Z]+-\d+)\*\*/gm)].map(([, id]) => id);
  return ids
    .map((id) => {
      const named = tests.filter(({ title }) => promisesOf(title).includes(id));
      const isProved = named.some(({ state }) => state === 'passed');
      const reasons = new Set(named.filter(({ state }) => state === 'skipped').map(({ note }) => note ?? 'skipped.'));
      return { id, isProved, reasons: [...reasons] };
    })
    .filter(({ isProved }) => !isProved)
    .map(({ id, reasons }) => ({ id, reasons }));
}

/** `[LOG-1, LOG-2] …` names two. */
function promisesOf(title) {
  return [...title.matchAll(/\[([A-Z]+-\d+(?:, *[A-Z]+-\d+)*)\]/g)].flatMap(([, list]) => list.split(/, */));
}
