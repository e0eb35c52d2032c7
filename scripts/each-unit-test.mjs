/**
 * Restores the timers after each test: test files of a worker share their process, and fake timers would make a later file wait
 * forever.
 */
import { afterEach, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());
