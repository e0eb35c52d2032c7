/**
 * Orders the test files of a project: those that take longest first, so that no worker is left alone with one at the end. Where vitest has
 * no times of an earlier run, as in CI, it would order them by their size.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The system tests that take more than half a minute, the longest first. */
const LONGEST = [
  'agent-kills',
  'page-fidelity',
  'faults',
  'prompt-input-line',
  'moved-installation',
  'agent-hangs',
  'prompt-at-once',
  'agents-state',
  'page-people',
  'network-cuts',
  'request-interleavings',
  'exits',
  'window',
  'opencode',
  'agents',
  'page-cuts',
  'agent-runs',
  'page',
  'release', // it waits for the compiler that `.ci/run` fetches
].map((name) => `tests/${name}.test.ts`);

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at === -1 ? LONGEST.length : at;
    };
    const sorted = await super.sort(files);
    // The groups and projects stay as they are: only files of the same project change places.
    const projects = Map.groupBy(sorted, ({ project }) => project);
    return [...projects.values()].flatMap((of) => of.toSorted((a, b) => rank(a) - rank(b)));
  }
}
