/**
 * Runs all checks: format, lint, unused code and types side by side, then the tests.
 *
 * - `npm run check`: with the unit tests except the long ones, under a minute on two cores.
 * - `npm test`: with all tests (`--all`). Arguments after `--` go to vitest, and then only the tests are run: `npm test --
 *   tests/attach.test.ts`.
 * - `SPOOL_UNDER_TEST=tarball npm test`: some system tests, with the packages of a release as npm installs them.
 *
 * The tests run even when a check before them failed, and vitest's summary comes last; a failed check is named after it.
 */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { argv, env, execPath, exit, stdout } from 'node:process';

const ROOT = resolve(import.meta.dirname, '..');
const module = (path) => join(ROOT, 'node_modules', path);

const CHECKS = [
  { name: 'format', args: [module('oxfmt/bin/oxfmt'), '--check', '.'], mend: 'npm run format' },
  { name: 'lint', args: [module('oxlint/bin/oxlint'), '--quiet', '.'], mend: 'mend what is named above' },
  {
    name: 'unused',
    args: [module('knip/bin/knip.js'), '--no-config-hints', '--no-progress'],
    mend: 'delete what is named above, or its `export`',
  },
  { name: 'types', args: [join(ROOT, 'scripts/typecheck.mjs')], mend: 'mend what is named above' },
];

/** The system tests of an installation by npm: each process of the daemon, each client, a restart, the loss of the installation. */
const OF_TARBALLS = ['agent-runs', 'attach', 'daemon-restart', 'exits', 'gateway', 'mcp', 'survival', 'tasks'].map(
  (name) => `tests/${name}.test.ts`,
);

const isAll = argv[2] === '--all';
const asked = argv.slice(isAll ? 3 : 2);
const forVitest =
  env.SPOOL_UNDER_TEST === 'tarball' && asked.length === 0 ? ['--project', 'system', ...OF_TARBALLS] : asked;
const failed = forVitest.length > 0 ? [] : await runChecks();
const projects = isAll ? [] : ['--project', 'unit', '--project', 'unit-alone'];
/** The reporter of proved promises: only used when all tests run. */
const reporters =
  isAll && forVitest.length === 0
    ? ['--reporter=verbose', `--reporter=${join(ROOT, 'scripts/promises-reporter.mjs')}`]
    : [];
const colour = stdout.isTTY ? [] : ['--no-color']; // vitest would colour a file too
// Rounds of property tests, in percent.
env.SPOOL_TEST_ROUNDS ??= isAll ? '100' : '10';
// All tests together check 200 offsets of each recording, a check 10: two minutes less.
env.SPOOL_FIDELITY_ROUNDS ??= isAll ? '4' : '0.2';
const tests = await run(
  [module('vitest/vitest.mjs'), 'run', ...colour, ...reporters, ...projects, ...forVitest],
  'inherit',
);
for (const { name, mend } of failed) stdout.write(`${name}: failed (${mend})\n`);
exit(failed.length > 0 ? 1 : tests.code);

async function runChecks() {
  const results = await Promise.all(
    CHECKS.map(async (check) => {
      const startedAt = performance.now();
      const { code, output } = await run(check.args, 'pipe');
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      stdout.write(code === 0 ? `${check.name}: ok, ${seconds} s\n` : `${output}${check.name}: failed, ${seconds} s\n`);
      return { ...check, code };
    }),
  );
  return results.filter(({ code }) => code !== 0);
}

function run(args, output) {
  return new Promise((done, fail) => {
    const child = spawn(execPath, args, { cwd: ROOT, stdio: ['ignore', output, output] });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more) => (text += more));
    child.stderr?.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, output: text }));
  });
}
