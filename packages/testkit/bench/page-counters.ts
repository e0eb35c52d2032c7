/** The browser's own counters of a page: CPU times of its main thread, which depend little on other processes. */
import type { CDPSession, Page } from 'playwright-core';

export interface Counters {
  readonly scriptMs: number;
  readonly taskMs: number;
}

/** Reads the counters; `Performance.enable` with `threadTicks` makes them CPU times. */
export async function counters(cdp: CDPSession): Promise<Counters> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const ms = (wanted: string): number => metrics.find(({ name }) => name === wanted)!.value * 1000;
  return { scriptMs: ms('ScriptDuration'), taskMs: ms('TaskDuration') };
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** The CPU time, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const TASK = /RunTask$/;

/** Returns the CPU time of the longest task of the page's main thread while something is done. */
export async function longestTaskMs(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && TASK.test(name) && threads.has(`${pid} ${tid}`),
  );
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}
