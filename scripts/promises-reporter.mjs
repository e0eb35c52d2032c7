/**
 * Reports, after a run of all tests, the promises of SPEC.md that no test has proved. A skipped test proves nothing, whatever its
 * title is.
 *
 * In CI, where all requirements of the tests are installed, such a promise fails the run. A test that fails there is tried once
 * more. The first error is printed here in any case: a failure that a test meets from time to time will also happen to a user.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { env, stdout } from 'node:process';

const SPEC = join(resolve(import.meta.dirname, '..'), 'SPEC.md');

/** Promises that are proved by downloaded programs, which may not be available: the run continues, and reports that. */
const NEEDS_DOWNLOAD = new Set(['MCP-9', 'REL-4']);

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

/** Returns the promises without a test that passed, each with the reason why its tests were skipped. */
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

/** Returns the promises of a title: `[LOG-1, LOG-2] …` names two. */
function promisesOf(title) {
  return [...title.matchAll(/\[([A-Z]+-\d+(?:, *[A-Z]+-\d+)*)\]/g)].flatMap(([, list]) => list.split(/, */));
}
