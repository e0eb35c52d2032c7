/**
 * The fault campaign: sessions at work, and one random fault after the other. At the end every session must have all of
 * its bytes and its true exit code, and no foreign process may have been touched. Runs in its own namespace.
 */
import { isAlive } from '@spool/testkit';
import { FAULTS } from './fault-list.ts';
import { Random } from './random.ts';
import { source, type Subject, typist } from './subjects.ts';
import { World } from './world.ts';

const SOURCES = 30;
const TYPISTS = 10;

/** Between two faults. */
const REST_MS_MAX = 400;

export interface Campaign {
  readonly seed: number;
  readonly seconds: number;
}

export interface CampaignReport extends Campaign {
  readonly sessions: number;
  /** How often each fault was tried. */
  readonly tried: Readonly<Record<string, number>>;
  /** Why some could not be tried. */
  readonly notTried: Readonly<Record<string, string>>;
  readonly lost: readonly string[];
  /** Lines that were typed twice. At most one per dead keeper: each may have died between the terminal and its journal. */
  readonly linesTwice: number;
}

export default async function campaign({ seed, seconds }: Campaign): Promise<CampaignReport> {
  const random = new Random(seed);
  const world = new World(random);
  await world.start();
  const tried: Record<string, number> = {};
  const notTried: Record<string, string> = {};
  for (const [name, { missing }] of Object.entries(FAULTS)) {
    const why = missing?.(world) ?? null;
    if (why !== null) notTried[name] = why;
  }
  {
    await using _daemon = world.daemon;
    const subjects: Subject[] = [];
    for (let count = 0; count < SOURCES; count++) subjects.push(await source(world, seconds));
    // With their own random source: so the order of the faults depends on the seed alone.
    for (let count = 0; count < TYPISTS; count++) subjects.push(await typist(world, new Random(seed + count)));
    const over = new AbortController();
    const work = Promise.all(subjects.map((subject) => guarded(world, () => subject.work(over.signal))));
    const until = performance.now() + seconds * 1000;
    const names = Object.keys(FAULTS).filter((name) => notTried[name] === undefined);
    while (performance.now() < until) {
      const name = random.one(names);
      tried[name] = (tried[name] ?? 0) + 1;
      await guarded(world, () => FAULTS[name]!.run(world), name);
      await world.sleep(random.between(0, REST_MS_MAX));
    }
    over.abort();
    await work;
    world.clock.shift(0);
    await Promise.all(subjects.map((subject) => guarded(world, () => subject.check())));
    if (world.linesTwice > world.keeperDeaths)
      world.lost.push(`${world.linesTwice} lines were typed twice, at ${world.keeperDeaths} deaths of the keeper`);
    for (const pid of world.bystanders) {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      else world.lost.push(`process ${pid}, which was not ours, was ended`);
    }
  }
  world.close();
  return {
    seed,
    seconds,
    sessions: SOURCES + TYPISTS,
    tried,
    notTried,
    lost: world.lost,
    linesTwice: world.linesTwice,
  };
}

/** A failure of one is reported, and the others continue. */
async function guarded(world: World, act: () => Promise<void>, during = 'the work of a session'): Promise<void> {
  try {
    await act();
  } catch (error) {
    world.lost.push(`${during}: ${(error as Error).message}`);
  }
}
