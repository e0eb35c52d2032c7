/**
 * Ends the daemons that a test has left, after the tests of a file. A test that hits its time limit is abandoned in the middle,
 * so that its resources are not disposed. A daemon is found by `TestDaemon`'s own list.
 */
import { afterAll } from 'vitest';

afterAll(async () => {
  for (const daemon of globalThis[Symbol.for('spool.testDaemons')] ?? []) await daemon[Symbol.asyncDispose]();
});
