/**
 * Waits until what the tests of a file need is there, and ends the daemons that a test has left, after the tests of the file. A test that hits its time limit is abandoned in the middle,
 * so that its resources are not disposed. A daemon is found by `TestDaemon`'s own list.
 */
import { afterAll, expect } from 'vitest';
import { awaited } from './awaited.mjs';

await awaited(expect.getState().testPath ?? '');

afterAll(async () => {
  for (const daemon of globalThis[Symbol.for('spool.testDaemons')] ?? []) await daemon[Symbol.asyncDispose]();
});
