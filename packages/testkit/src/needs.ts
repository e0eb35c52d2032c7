/**
 * Defines tests that need something which is not available everywhere: a program, root, a namespace. If it is missing the test is
 * skipped with a sentence, never silently. A program that CI installs (`.ci/run`) must not be missing there: then the test fails.
 *
 *     testNeeding(missingProgram('vim'))('[ATT-4] vim: …', async () => { … });
 */
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'vitest';

/** The names of required programs: `.ci/run` lists those that it has installed. */
const OWED: ReadonlySet<string> = new Set((process.env['SPOOL_TESTS_NEED'] ?? '').split(' '));

const owedSentences = new Set<string>();

/** Returns the reason why a test that needs these programs cannot run, as a sentence; null if they exist. */
export function missingProgram(...names: readonly string[]): string | null {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  const sentence = `It runs where ${missing.join(' and ')} is installed.`;
  if (missing.some((name) => OWED.has(name))) owedSentences.add(sentence);
  return sentence;
}

export const NOT_ROOT: string | null = process.getuid!() === 0 ? null : 'It runs as root.';

/** Returns `test`, but skipped with the first of these sentences, if there is one. */
export function testNeeding(
  ...missing: readonly (string | null)[]
): (
  title: string,
  body: (context: TestContext) => Promise<void>,
  limits?: number | { readonly retry: number },
) => void {
  const sentence = missing.find((reason) => reason !== null) ?? null;
  return (title, body, limits) =>
    test(title, typeof limits === 'number' ? { timeout: limits } : { ...limits }, async (context) => {
      if (sentence !== null && owedSentences.has(sentence)) throw new Error(`${sentence} Here it should be.`);
      context.skip(sentence !== null, sentence ?? '');
      await body(context);
    });
}

function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${name}`));
}
