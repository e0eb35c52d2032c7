/**
 * Tests beside the sources, and tests of real daemons:
 *
 * - `unit`: fast, in parallel. Files share their workers, for a fresh one each took a third of the time.
 * - `unit-alone`: the addon, which looks for fds and children that were left behind: a process for each file.
 * - `unit-long`: recordings replayed read by read, accidents by the thousand, and starts of a real daemon.
 * - `system`: real daemons, after the others. Each test has a daemon and a folder of its own and mostly waits for it, so files
 *   run side by side; what looks at all processes of the machine, or kills holders, does so in a pid namespace.
 *
 * `npm run check` runs the first two, `npm test` all; `npx vitest run --project system tests/attach.test.ts` runs one file.
 */
import { availableParallelism } from 'node:os';
import { defineConfig, type TestUserConfig } from 'vitest/config';

/** Tests about the sources themselves lie in `tests` too, but need no daemon. */
const ABOUT_SOURCES = [
  'tests/boundaries.test.ts',
  'tests/reference.test.ts',
  'tests/spec.test.ts',
  'tests/texts.test.ts',
];

const ALONE = ['packages/native/src/**/*.test.ts'];

const LONG = [
  'packages/client/src/node/connect.test.ts',
  'packages/core/src/log/kill.test.ts',
  'packages/core/src/status/sources/dialog.test.ts',
  'packages/core/src/status/marks.test.ts',
  'packages/core/src/status/marks-unseen.test.ts',
  'packages/core/src/status/measure.test.ts',
  'packages/core/src/status/mended-marks.test.ts',
  'packages/drivers/src/recordings.test.ts',
  'packages/vt/src/viewer/robustness.test.ts',
];

/** A test must pass beside busy processes: the limit is for what hangs, not for what is slow. */
const UNIT_MS_MAX = 120_000;
const SYSTEM_MS_MAX = 240_000;

/** By itself vitest leaves a core to the user, so on two cores everything would run one after the other. */
const UNIT_WORKERS = Math.max(2, availableParallelism() - 1);
/** One file after the other took 24 minutes on two cores, of which 8.5 were work. */
const SYSTEM_WORKERS = 3;

/** In CI a test that failed once is tried again, and its line says so: the run decides on a landing. At a desk it fails at once. */
const RETRIES = process.env['CI'] === 'true' ? 1 : 0;

/**
 * Test files of a worker share their modules. A module that asked for its next turn by a fake `setImmediate` would wait for ever
 * in the files after.
 */
const FAKE_TIMERS: TestUserConfig['fakeTimers'] = {
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
};

const UNIT: Pick<
  TestUserConfig,
  | 'fakeTimers'
  | 'globalSetup'
  | 'setupFiles'
  | 'maxWorkers'
  | 'pool'
  | 'retry'
  | 'testTimeout'
  | 'hookTimeout'
  | 'sequence'
> = {
  fakeTimers: FAKE_TIMERS,
  globalSetup: ['scripts/before-unit-tests.mjs'],
  setupFiles: ['scripts/each-unit-test.mjs'],
  maxWorkers: UNIT_WORKERS,
  pool: 'forks',
  retry: RETRIES,
  testTimeout: UNIT_MS_MAX,
  hookTimeout: UNIT_MS_MAX,
  sequence: { groupOrder: 0 },
};

export default defineConfig({
  test: {
    reporters: ['verbose'],
    projects: [
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit',
          include: ['packages/*/{src,test}/**/*.test.ts', ...ABOUT_SOURCES],
          exclude: [...ALONE, ...LONG],
          isolate: false,
        },
      },
      { extends: true, test: { ...UNIT, name: 'unit-alone', include: ALONE } },
      { extends: true, test: { ...UNIT, name: 'unit-long', include: LONG, isolate: false } },
      {
        extends: true,
        test: {
          name: 'system',
          globalSetup: ['scripts/before-system-tests.mjs'],
          include: ['tests/**/*.test.ts'],
          exclude: ABOUT_SOURCES,
          maxWorkers: SYSTEM_WORKERS,
          pool: 'forks',
          retry: RETRIES,
          testTimeout: SYSTEM_MS_MAX,
          hookTimeout: SYSTEM_MS_MAX,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
