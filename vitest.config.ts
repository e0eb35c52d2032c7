/**
 * Defines the projects: tests beside the sources, and tests of real daemons.
 *
 * - `unit`: fast, in parallel. Files share their workers, because a fresh worker for each took a third of the time.
 * - `unit-alone`: the addon, whose tests check for remaining fds and children: a process for each file.
 * - `unit-long`: recordings replayed read by read, random accidents by the thousand, and starts of a real daemon.
 * - `system`: real daemons, after the others. Each test has its own daemon and folder and often waits for it, so files run side
 *   by side, in workers that they share; tests that examine all processes of the machine, or kill holders, do so in a pid namespace.
 *
 * `npm run check` runs the first two, `npm test` all; `npx vitest run --project system tests/attach.test.ts` runs one file.
 */
import { availableParallelism } from 'node:os';
import { defineConfig, type TestUserConfig } from 'vitest/config';
import LongestFirst from './scripts/longest-first.ts';

/** Tests about the sources themselves, which are in `tests` too, but need no daemon. */
const ABOUT_SOURCES = [
  'tests/boundaries.test.ts',
  'tests/defences.test.ts',
  'tests/doc-blocks.test.ts',
  'tests/names.test.ts',
  'tests/reference.test.ts',
  'tests/spec.test.ts',
  'tests/texts.test.ts',
];

const ALONE = ['packages/native/src/**/*.test.ts'];

/**
 * Tests of attached terminals that plain keys or plain output pass, which run on both ways through the client [ATT-14]. In other tests of
 * them, all bytes take the long way anyway.
 */
const ATTACHED = [
  'tests/attach.test.ts',
  'tests/attach-screen.test.ts',
  'tests/live-history.test.ts',
  'tests/mouse-and-paste.test.ts',
];

const LONG = [
  'packages/client/src/node/connect.test.ts',
  'packages/store/src/log/kill.test.ts',
  'packages/status/src/sources/dialog.test.ts',
  'packages/status/src/marks.test.ts',
  'packages/status/src/marks-unseen.test.ts',
  'packages/status/src/measure.test.ts',
  'packages/status/src/mended-marks.test.ts',
  'packages/drivers/src/recordings.test.ts',
  'packages/vt/src/viewer/robustness.test.ts',
];

/** The time limit of a unit test, only for tests that hang: a test must pass beside busy processes. */
const UNIT_MS_MAX = 120_000;
const SYSTEM_MS_MAX = 240_000;

/**
 * The number of workers: by default vitest leaves a core to the user, so on two cores all files would run one after the other.
 */
const UNIT_WORKERS = Math.max(2, availableParallelism() - 1);
/** The number of workers for system tests, which wait for daemons and agents: with three, two cores had nothing to do for an eighth of the time. */
const SYSTEM_WORKERS = 4;

/**
 * The retries in CI: a test that failed once is tried again, and its line reports that, because the run decides on a landing. On
 * a developer's machine a test fails at once.
 */
const RETRIES = process.env['CI'] === 'true' ? 1 : 0;

/**
 * The faked timers. Test files of a worker share their modules. A module that requested its next turn by a fake `setImmediate`
 * would wait forever in later files.
 */
const FAKE_TIMERS: TestUserConfig['fakeTimers'] = {
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
};

/** The setup file that measures the CPU time of each test: only used on request. */
const CPU = process.env['SPOOL_TEST_CPU'] === undefined ? [] : ['scripts/cpu-of-tests.mjs'];

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
  | 'isolate'
> = {
  fakeTimers: FAKE_TIMERS,
  globalSetup: ['scripts/before-unit-tests.mjs'],
  setupFiles: [...CPU, 'scripts/each-unit-test.mjs'],
  maxWorkers: UNIT_WORKERS,
  pool: 'forks',
  retry: RETRIES,
  testTimeout: UNIT_MS_MAX,
  hookTimeout: UNIT_MS_MAX,
  sequence: { groupOrder: 0 },
};

const SYSTEM: typeof UNIT = {
  globalSetup: ['scripts/before-system-tests.mjs'],
  setupFiles: [...CPU, 'scripts/each-system-test.mjs'],
  maxWorkers: SYSTEM_WORKERS,
  pool: 'forks',
  retry: RETRIES,
  testTimeout: SYSTEM_MS_MAX,
  hookTimeout: SYSTEM_MS_MAX,
  sequence: { groupOrder: 1 },
  isolate: false,
};

export default defineConfig({
  test: {
    reporters: ['verbose'],
    sequence: { sequencer: LongestFirst },
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
      { extends: true, test: { ...SYSTEM, name: 'system', include: ['tests/**/*.test.ts'], exclude: ABOUT_SOURCES } },
      {
        extends: true,
        test: { ...SYSTEM, name: 'attach-long-way', include: ATTACHED, env: { SPOOL_ATTACH_PUMP: 'off' } },
      },
    ],
  },
});
