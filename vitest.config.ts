/**
 * Two projects: `unit` (beside the sources: fast, parallel) and `system` (real daemons: one file at a time, after the
 * unit tests). `npm run check` runs the first, `npm test` both; `npx vitest run --project system tests/attach.test.ts` one file.
 */
import { defineConfig } from 'vitest/config';

/** Tests about the sources themselves lie in `tests` too, but need no daemon. */
const ABOUT_SOURCES = ['tests/boundaries.test.ts', 'tests/spec.test.ts'];

export default defineConfig({
  test: {
    reporters: ['verbose'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          globalSetup: ['scripts/before-unit-tests.mjs'],
          include: ['packages/*/{src,test}/**/*.test.ts', ...ABOUT_SOURCES],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          globalSetup: ['scripts/before-system-tests.mjs'],
          include: ['tests/**/*.test.ts'],
          exclude: ABOUT_SOURCES,
          fileParallelism: false,
          pool: 'forks',
          retry: 0,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
