import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AgentDriver } from './agent-driver.ts';
import type { DriverDeath, DrivenAgent } from './driver-host.ts';
import type { DriverHosts } from './driver-hosts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Creates a driver whose starts are recorded. `die` ends the latest one, and waits until the next has started. */
function setUp(channel?: string): {
  driver: AgentDriver;
  starts: { isAlone: boolean; isFromStart: boolean; isLineByLine: boolean }[];
  die(...causes: DriverDeath['cause'][]): void;
} {
  const starts: { isAlone: boolean; isFromStart: boolean; isLineByLine: boolean }[] = [];
  let running: DrivenAgent | undefined;
  const drive = (hosted: DrivenAgent, isAlone: boolean) => {
    running = hosted;
    const { isFromStart, isLineByLine } = hosted.order;
    starts.push({ isAlone, isFromStart, isLineByLine });
    return () => {};
  };
  const driver = new AgentDriver({
    hosts: { drive } as unknown as DriverHosts,
    name: 'claude',
    session: 's',
    ...(channel !== undefined && { channel }),
    serve: () => () => {},
    onGivenUp: () => {},
    warn: () => {},
  });
  driver.start();
  const die = (...causes: DriverDeath['cause'][]): void => {
    for (const cause of causes) {
      running!.onGone({ how: 'a test', cause });
      vi.runAllTimers();
    }
  };
  return { driver, starts, die };
}

const SHARED = { isAlone: false, isFromStart: false, isLineByLine: false };

test('[DRV-44] a driver on whose line its process has ended is started alone, line by line, and stays alone', () => {
  const { driver, starts, die } = setUp();
  die('in-step');
  driver.progressed();
  die('beside');
  expect(starts).toEqual([SHARED, { ...SHARED, isAlone: true, isLineByLine: true }, { ...SHARED, isAlone: true }]);
});

test('[DRV-43] the end of a process for another reason is no crash of a driver, however often it happens', () => {
  const { driver, starts, die } = setUp();
  die(...Array<'beside'>(20).fill('beside'));
  expect(starts).toEqual(Array.from({ length: 21 }, () => SHARED));
  expect(driver.isGivenUp).toBe(false);
});

test('[DRV-43] a driver that fails alone shares its next process, and is given up after five times', () => {
  const { driver, starts, die } = setUp();
  die('failed', 'failed', 'failed', 'failed', 'failed');
  expect(starts.map(({ isAlone }) => isAlone)).toEqual(Array(5).fill(false));
  expect(driver.isGivenUp).toBe(true);
});

test('[DRV-44] when processes end soon and nobody knows why, each driver is started alone: the one that is the reason is found', () => {
  const { driver, starts, die } = setUp();
  die('at-start', 'at-start', 'in-step');
  expect(starts.map(({ isAlone }) => isAlone)).toEqual([false, false, true, true]);
  die('in-step', 'in-step');
  expect(driver.isGivenUp).toBe(true);
});

test('[DRV-44] a driver with a side channel has a process of its own from the start', () => {
  expect(setUp('/channel').starts).toEqual([{ ...SHARED, isAlone: true }]);
});
