/** Test files of a worker share their process: fake timers end with the test that asked for them, so that no later file waits for ever. */
import { afterEach, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());
