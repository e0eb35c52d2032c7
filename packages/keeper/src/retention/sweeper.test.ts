import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '@spool/store';
import { expect, onTestFinished, test } from 'vitest';
import type { KeepEnded } from './keep-config.ts';
import { expired, Sweeper, type SweeperOptions, type SweptFile, type SweptSession } from './sweeper.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-16T12:00:00Z');

function session(
  id: string,
  endedDaysAgo: number | null,
  { isWatched = false, ...more }: Partial<SweptFile> & { isWatched?: boolean } = {},
): SweptSession {
  const endedAt = endedDaysAgo === null ? null : NOW - endedDaysAgo * DAY_MS;
  const file = {
    startedAt: (endedAt ?? NOW - 100 * DAY_MS) - 1000,
    endedAt,
    keptSince: endedAt,
    retainMs: 30 * DAY_MS,
    log: {} as Log,
    bytesBeside: () => Promise.resolve(0),
    dropped: () => {},
    ...more,
  };
  return { id, isWatched, file };
}

class SweptHome {
  readonly removed: string[] = [];
  readonly tidied: string[] = [];
  readonly orphansRemoved: string[] = [];
  readonly said: string[] = [];
  sessions: SweptSession[];
  isTrusted = true;
  keep: KeepEnded = { ageMs: 30 * DAY_MS, count: null };
  fault: string | null = null;
  orphans: string[] = [];
  readonly sweeper: Sweeper;

  constructor(sessions: SweptSession[]) {
    this.sessions = sessions;
    const options: SweeperOptions = {
      sessions: () => this.sessions,
      housekeeper: { tidy: async (kept) => void this.tidied.push(this.sessions.find(({ file }) => file === kept)!.id) },
      keepEnded: () => ({ keep: this.keep, fault: this.fault }),
      isClockTrusted: () => this.isTrusted,
      remove: ({ id }) => {
        this.removed.push(id);
        this.sessions = this.sessions.filter((session) => session.id !== id);
      },
      orphans: () => this.orphans,
      removeOrphan: (folder) => this.orphansRemoved.push(folder),
      warn: (sentence) => this.said.push(sentence),
    };
    this.sweeper = new Sweeper(options);
  }
}

test('[LOG-8] ended sessions beyond the age are removed, never running ones, never ones that somebody watches', async () => {
  const swept = new SweptHome([
    session('running', null),
    session('old', 31),
    session('watched', 31, { isWatched: true }),
    session('young', 29),
    session('oldest', 400),
  ]);
  await swept.sweeper.sweep(NOW);
  expect(swept.removed).toEqual(['oldest', 'old']);
});

test('[LOG-8] of more ended sessions than the count those that ended first are removed', () => {
  const sessions = [session('running', null), session('c', 1), session('a', 3), session('b', 2)];
  const ended = sessions.flatMap((each) =>
    each.file.keptSince === null ? [] : [{ session: each, keptSince: each.file.keptSince }],
  );
  const ids = (keep: KeepEnded): string[] => expired(ended, keep, NOW).map(({ id }) => id);
  expect(ids({ ageMs: null, count: 1 })).toEqual(['a', 'b']);
  expect(ids({ ageMs: null, count: 0 })).toEqual(['a', 'b', 'c']);
  expect(ids({ ageMs: null, count: null })).toEqual([]);
  expect(ids({ ageMs: 2.5 * DAY_MS, count: 3 })).toEqual(['a']);
});

test('[LOG-9] nothing is removed by age while the clock is not trusted, and that is said once', async () => {
  const swept = new SweptHome([session('old', 31)]);
  swept.isTrusted = false;
  await swept.sweeper.sweep(NOW + 3650 * DAY_MS);
  await swept.sweeper.sweep(NOW + 3650 * DAY_MS);
  expect([swept.removed, swept.tidied, swept.said.length]).toEqual([[], [], 1]);
  swept.isTrusted = true;
  await swept.sweeper.sweep(NOW);
  expect(swept.removed).toEqual(['old']);
});

test('[LOG-8] a fault in the setting is said once, and nothing is removed', async () => {
  const swept = new SweptHome([session('old', 31)]);
  swept.keep = { ageMs: null, count: null };
  swept.fault = 'config.json is not JSON';
  await swept.sweeper.sweep(NOW);
  await swept.sweeper.sweep(NOW);
  expect([swept.removed, swept.said]).toEqual([[], ['config.json is not JSON']]);
});

test('[LOG-5] sessions that may hold something too old are tidied, running or ended, and an ended one once', async () => {
  const swept = new SweptHome([
    session('running', null),
    session('ended', 1, { startedAt: NOW - 40 * DAY_MS }),
    session('short', 1, { retainMs: 1000 }),
    session('young', 1),
  ]);
  await swept.sweeper.sweep(NOW);
  await swept.sweeper.sweep(NOW);
  expect(swept.tidied).toEqual(['running', 'ended', 'short', 'running', 'ended']);
});

test('[LOG-10] a folder without a record goes if it is empty and a day old, and stays if it holds a byte', async () => {
  const home = mkdtempSync(`${tmpdir()}/spool-orphans-`);
  onTestFinished(() => rmSync(home, { recursive: true }));
  const swept = new SweptHome([]);
  const orphan = (name: string, ageDays: number, files: Record<string, string>): string => {
    const folder = `${home}/${name}`;
    mkdirSync(`${folder}/log`, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(`${folder}/${file}`, text);
    const at = (NOW - ageDays * DAY_MS) / 1000;
    utimesSync(folder, at, at);
    swept.orphans.push(folder);
    return folder;
  };
  const empty = orphan('empty000', 2, {});
  const begun = orphan('begun000', 2, {
    'session.json': '',
    'session.json.tmp': '{"run":',
    'log/0000000000000000.log': '',
  });
  orphan('fresh000', 0.5, {});
  orphan('bytes000', 400, { 'log/0000000000000000.log': 'x' });
  orphan('damaged0', 400, { 'session.json': '{"run":' });
  swept.orphans.push(`${home}/gone0000`);
  await swept.sweeper.sweep(NOW);
  expect(swept.orphansRemoved).toEqual([empty, begun]);
});

test('[LIST-3] a sweep of thousands of sessions reads a few at a time, and others have their turn between them', async () => {
  const sessions = Array.from({ length: 2000 }, (_, at) => {
    const each = session(`s${at}`, 1);
    Object.defineProperty(each.file, 'keptSince', { get: () => (busyFor(0.05), each.file.endedAt) });
    return each;
  });
  const swept = new SweptHome(sessions);
  const seen = { served: 0, isOver: false };
  const others = (async () => {
    while (!seen.isOver) {
      await nextTurn();
      seen.served++;
    }
  })();
  await swept.sweeper.sweep(NOW);
  seen.isOver = true;
  await others;
  expect([swept.removed, seen.served > 8]).toEqual([[], true]); // 100 ms of work, in slices of 4
});

function busyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}
