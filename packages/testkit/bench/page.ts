/// <reference lib="dom" />
/**
 * Measures the page in a real browser: `npm run bench -- page`. The waiting times of a user are measured in the page itself; they
 * are noisy beside other work, so the machine should be quiet.
 */
import { readFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import type { CDPSession, Page } from 'playwright-core';
import { closeBrowser, DESK, openPage, rowsOn, setHidden } from '@spool/testkit/browser';
import { figure, type Figure, median, quantile } from './figure.ts';
import { counters } from './page-counters.ts';

const MIB = 1024 * 1024;
const WITHIN_MS = 240_000;

const WALL_SESSIONS = 200;
const WALL_PRINTING = 20;
const WALL_SIZE = { cols: 80, rows: 24 };
const LOOK_MS = 5000;

/** Measures 200 sessions, of which 20 print ten lines a second. */
async function pageWall(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let n = WALL_SESSIONS; n-- > 0;) {
    const isPrinting = n < WALL_PRINTING;
    const loop = `i=0; while :; do i=$((i+1)); printf '\\e[3%dmline %d\\e[0m of what a build prints, at an ordinary length\\n' $((i%8)) $i; read -r -t 0.1 x; done`;
    const quiet = `for i in $(seq 20); do echo "\${i} an ordinary line of a session that waits"; done; exec sleep 10000`;
    await client.run({ command: ['bash', '-c', isPrinting ? loop : quiet], name: `s${n}`, size: WALL_SIZE });
  }
  await using open = await openPage(daemon, { ...DESK, viewport: { width: 1600, height: 1000 } });
  const { page } = open;
  await page.getByRole('link', { name: /s0/ }).first().waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const opened: number[] = [];
  const openedCpu: number[] = [];
  for (let round = 0; round < 7; round++) {
    await page.reload();
    await until('the wall is drawn', async () => (await wallDrawnAt(page)) !== null, WITHIN_MS);
    opened.push((await wallDrawnAt(page))!);
    openedCpu.push((await counters(cdp)).taskMs /* since the request of the page */);
  }
  const without = await cpuShare(client, LOOK_MS, async () => {
    await setHidden(page, true);
  });
  const hiddenBytes = await receivedIn(cdp, LOOK_MS);
  await setHidden(page, false);
  const cpuBefore = (await counters(cdp)).taskMs;
  const framesPerSecond = await framesIn(page, LOOK_MS);
  const cpuPerSecond = ((await counters(cdp)).taskMs - cpuBefore) / (LOOK_MS / 1000);
  const withWall = await cpuShare(client, LOOK_MS, async () => {});
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  // The best rate of headless Chromium, on this machine and beside the same load.
  const blank = await page.context().newPage();
  const framesAtBest = await framesIn(blank, LOOK_MS);
  const [openMs, openCpuMs] = [median(opened), median(openedCpu)];
  return [
    figure('a wall of 200 sessions, 20 printing: drawn after', `${openMs.toFixed(0)} ms`, '800 ms', openMs / 800, '≤'),
    figure('the same: CPU of its main thread', `${openCpuMs.toFixed(0)} ms`, '400 ms', openCpuMs / 400, '≤'),
    figure('the same: frames a second', framesPerSecond.toFixed(0), '45', framesPerSecond / 45, '≥'),
    {
      what: 'the same: frames a second, against a blank page',
      ours: framesPerSecond.toFixed(0),
      limit: framesAtBest.toFixed(0),
      ratio: framesPerSecond / framesAtBest,
      goal: ['≥', 0.75],
    },
    figure(
      'the same: CPU of its main thread in a second',
      `${cpuPerSecond.toFixed(0)} ms`,
      '250 ms',
      cpuPerSecond / 250,
      '≤',
    ),
    figure('the same: heap', `${(usedSize / 1e6).toFixed(0)} MB`, '80 MB', usedSize / 80e6, '≤'),
    figure('the same, hidden: bytes received in 5 s', `${hiddenBytes}`, '0', hiddenBytes, '≤', 0),
    {
      what: 'the same: CPU of the keeper, against a hidden page',
      ours: `${(withWall * 100).toFixed(1)} %`,
      limit: `${(without * 100).toFixed(1)} %`,
      ratio: withWall / without,
      goal: ['≤', 3],
    },
  ];
}

/** Counts frames by `requestAnimationFrame`. */
async function framesIn(page: Page, ms: number): Promise<number> {
  return page.evaluate(async (lookMs) => {
    let [frames, isOver] = [0, false];
    const count = (): void => {
      frames++;
      if (!isOver) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    const startedAt = performance.now();
    await new Promise((later) => setTimeout(later, lookMs));
    isOver = true;
    return (frames * 1000) / (performance.now() - startedAt);
  }, ms);
}

const KEYS = 60;

interface KeyTimings {
  readonly keys: { pressedAt: number; waits: string; took: number };
}

/**
 * A script that runs `yes`, stops it at `x` and reports that, and continues at `c`: otherwise the answer would have scrolled away
 * on a slow machine.
 */
const YES = `stty -echo -icanon; yes & n=0; while IFS= read -r -n1 key; do
  case $key in c) kill -CONT %1; continue;; esac
  n=$((n+1)); kill -STOP %1; printf '\\nkey %d\\n' $n; [ "$key" = q ] && break
done; kill -KILL %1; wait 2>/dev/null; echo the end; exec sleep 10000`;

/** Measures the time until a key is visible while the terminal is flooded. */
async function pageFlood(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['bash', '-c', YES], name: 'flood', size: { cols: 80, rows: 24 } });
  await using open = await openPage(daemon);
  const { page, origin } = open;
  await page.goto(`${origin}/#/s/${session.id}`);
  await until('the flood is shown', async () => (await rowsOn(page))[10] === 'y', WITHIN_MS);
  await page.locator('.xterm-helper-textarea').focus();
  // Checks each frame, from the first on: no frame is missed, however late the test asks.
  await page.evaluate(() => {
    const keys = { pressedAt: 0, waits: '', took: -1 };
    Object.assign(globalThis, { keys });
    window.addEventListener('keydown', () => (keys.pressedAt = performance.now()), { capture: true });
    const look = (): void => {
      const isShown = (): boolean =>
        [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.trim() === keys.waits);
      if (keys.took < 0 && keys.waits !== '' && isShown()) keys.took = performance.now() - keys.pressedAt;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  let count = 0;
  const press = async (key: string): Promise<number> => {
    const waits = `key ${++count}`;
    await page.evaluate(
      (text) => Object.assign((globalThis as unknown as KeyTimings).keys, { waits: text, took: -1 }),
      waits,
    );
    await page.keyboard.press(key);
    let took = -1;
    await until(
      'the key is seen',
      async () => {
        took = await page.evaluate(() => (globalThis as unknown as KeyTimings).keys.took);
        return took >= 0;
      },
      WITHIN_MS,
    );
    return took;
  };
  const times: number[] = [];
  const quiet: number[] = [];
  while (times.length < KEYS) {
    times.push(await press('x'));
    quiet.push(await press('x')); // the flood pauses
    await page.keyboard.press('c');
    await until('the flood goes on', async () => !(await rowsOn(page)).includes(`key ${count}`), WITHIN_MS);
  }
  await press('q');
  await until('the end is shown', async () => (await rowsOn(page)).includes('the end'), WITHIN_MS);
  const [shown, real] = [await rowsOn(page), (await client.screen(session.id)).content.split('\n')];
  const isExact = real.every((row, index) => row.trimEnd() === shown[index]);
  const [p95, quietP95] = [quantile(times, 0.95), quantile(quiet, 0.95)];
  return [
    figure('a key on the page beside `yes`, p95', `${p95.toFixed(0)} ms`, '150 ms', p95 / 150, '≤'),
    {
      what: 'the same: p50, against a key while it rests',
      ours: `${median(times).toFixed(0)} ms`,
      limit: `${median(quiet).toFixed(0)} ms (p95 ${quietP95.toFixed(0)} ms)`,
      ratio: median(times) / median(quiet),
      goal: ['≤', 2],
    },
    figure('the same: the end is exact', isExact ? 'yes' : 'no', 'yes', isExact ? 1 : 0, '≥'),
  ];
}

/** The length of a line: with 64 bytes the picture at any offset is known without a terminal. */
const LINE_BYTES = 64;
const PAST_BYTES = 1024 * MIB;
const PAST_LOOKS = 60;
const SCRUB_MS = 4000;

async function pagePast(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const count = PAST_BYTES / LINE_BYTES;
  // 62 characters and the newline, which the terminal turns into two.
  const command = ['bash', '-c', `seq -f 'line %057.0f' 1 ${count}`];
  const retainBytes = 2 * PAST_BYTES; // the default keeps 256 MiB
  const session = await client.run({ command, name: 'long', size: { cols: 80, rows: 24 }, retainBytes });
  await client.waitUntil(session.id, 'exit', { timeoutMs: WITHIN_MS });
  const { offset: end } = await client.get(session.id);
  await using open = await openPage(daemon);
  const { page, origin } = open;
  await page.goto(`${origin}/#/s/${session.id}/time`);
  await page.getByRole('slider').waitFor({ timeout: WITHIN_MS });
  const times: number[] = [];
  let wrong = 0;
  for (let look = 0; look < PAST_LOOKS; look++) {
    const line = 30 + Math.floor(Math.random() * (end / LINE_BYTES - 30));
    times.push(await lookAt(page, session.id, line * LINE_BYTES));
    const rows = await rowsOn(page);
    const expected = Array.from({ length: 23 }, (_, index) => `line ${String(line - 22 + index).padStart(57, '0')}`);
    if (rows.slice(0, 23).join() !== expected.join()) wrong++;
  }
  const perSecond = await page.evaluate(async (ms) => {
    const slider = document.querySelector<HTMLInputElement>('input[type=range]')!;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
    const [from, to] = [Number(slider.min), Number(slider.max)];
    let shown = 0;
    const observer = new MutationObserver(() => shown++);
    observer.observe(document.querySelector('.time-view')!, { attributeFilter: ['data-offset'] });
    const startedAt = performance.now();
    let isOver = false;
    const move = (): void => {
      const part = (performance.now() - startedAt) / ms;
      set.call(slider, String(Math.round(from + (to - from) * part)));
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      if (!isOver) requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
    await new Promise((later) => setTimeout(later, ms));
    isOver = true;
    observer.disconnect();
    return (shown * 1000) / ms;
  }, SCRUB_MS);
  const p95 = quantile(times, 0.95);
  const searched = await searchFigures(daemon, client, page, session.id);
  return [
    ...searched,
    figure('any offset of a 1 GB session on the page, p95', `${p95.toFixed(0)} ms`, '200 ms', p95 / 200, '≤'),
    figure('the same: wrong pictures', String(wrong), '0', wrong, '≤', 0),
    figure('the same: scrubbing, positions a second', perSecond.toFixed(0), '20', perSecond / 20, '≥'),
  ];
}

/** Searches a whole session for text that does not occur. */
async function searchFigures(daemon: TestDaemon, client: Client, page: Page, id: string): Promise<Figure[]> {
  const { keeper } = await client.status();
  const gateway = daemon.processes().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gateway'))!;
  const cpuMs = (): number => (ticksOf(keeper.pid) + ticksOf(gateway)) * 10;
  const gets = async (isOver: () => boolean): Promise<number> => {
    const found: number[] = [];
    while (!isOver()) {
      const startedAt = performance.now();
      await client.get(id);
      found.push(performance.now() - startedAt);
      await new Promise((later) => setTimeout(later, 10));
    }
    return median(found);
  };
  const until1s = performance.now() + 1000;
  const idle = await gets(() => performance.now() > until1s);
  const search = (): Promise<void> =>
    page.evaluate(async (session) => {
      const asking = new AbortController();
      Object.assign(globalThis, { stopSearch: () => asking.abort() });
      for (let before: number | null | undefined; before !== null;) {
        const from = before === undefined ? '' : `&before=${before}`;
        const answer = await fetch(`./api/sessions/${session}/search?text=nowhere${from}`, { signal: asking.signal });
        before = ((await answer.json()) as { next: number | null }).next;
      }
    }, id);
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  let isOver = false;
  const whole = search().then(() => (isOver = true));
  const beside = await gets(() => isOver);
  await whole;
  const [tookMs, cpu] = [performance.now() - startedAt, cpuMs() - cpuBefore];
  const cancelled = search().catch(() => {});
  await new Promise((later) => setTimeout(later, 1500));
  await page.evaluate(() => (globalThis as unknown as { stopSearch: () => void }).stopSearch());
  await cancelled;
  const cpuCancelled = cpuMs();
  await new Promise((later) => setTimeout(later, 1000));
  const cpuAfter = cpuMs() - cpuCancelled;
  return [
    figure('all of 1 GB searched from the page', `${(tookMs / 1000).toFixed(1)} s`, '15 s', tookMs / 15_000, '≤'),
    figure('the same: CPU of keeper and gateway', `${(cpu / 1000).toFixed(1)} s`, '12 s', cpu / 12_000, '≤'),
    {
      what: 'the same: `get` beside it, p50, against an idle daemon',
      ours: `${beside.toFixed(1)} ms`,
      limit: `${idle.toFixed(1)} ms`,
      ratio: beside / idle,
      goal: ['≤', 4],
    },
    figure('the same, cancelled: CPU in the second after', `${cpuAfter} ms`, '150 ms', cpuAfter / 150, '≤'),
  ];
}

export async function pageBenches(): Promise<Figure[]> {
  try {
    const found: Figure[] = [];
    for (const part of [pageWall, pageFlood, pagePast]) {
      found.push(...(await part()));
      process.stderr.write(`bench: ${found.map(({ what, ours }) => `${what}: ${ours}`).join('; ')}\n`);
    }
    return found;
  } finally {
    await closeBrowser();
  }
}

/** Returns the time from opening the address to the picture, in the page. */
async function lookAt(page: Page, id: string, offset: number): Promise<number> {
  return page.evaluate(
    ([hash, wanted, within]) =>
      new Promise<number>((done, fail) => {
        const startedAt = performance.now();
        const look = (): void => {
          const shown = document.querySelector<HTMLElement>('.time-view')?.dataset['offset'];
          if (shown === wanted) done(performance.now() - startedAt);
          else if (performance.now() - startedAt > within) fail(new Error(`offset ${wanted}: ${shown} is shown`));
          else requestAnimationFrame(look);
        };
        location.hash = hash;
        look();
      }),
    [`#/s/${id}/time/${offset}`, String(offset), WITHIN_MS] as const,
  );
}

/** Returns the time when all visible miniatures were drawn for the first time, in ms since the request of the page. */
async function wallDrawnAt(page: Page): Promise<number | null> {
  return page.evaluate(() => performance.getEntriesByName('wall-drawn')[0]?.startTime ?? null);
}

async function receivedIn(cdp: CDPSession, ms: number): Promise<number> {
  let bytes = 0;
  cdp.on('Network.webSocketFrameReceived', ({ response }) => (bytes += response.payloadData.length));
  await cdp.send('Network.enable');
  await new Promise((later) => setTimeout(later, ms));
  await cdp.send('Network.disable');
  return bytes;
}

/** Returns the keeper's use of a core while `ms` pass after `begin`. */
async function cpuShare(client: Client, ms: number, begin: () => Promise<void>): Promise<number> {
  const { keeper } = await client.status();
  await begin();
  const [before, startedAt] = [ticksOf(keeper.pid), performance.now()];
  await new Promise((later) => setTimeout(later, ms));
  return ((ticksOf(keeper.pid) - before) * 10) / (performance.now() - startedAt);
}

/** Returns the CPU time, in hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
