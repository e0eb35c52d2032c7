/**
 * Runs the fault campaign: busy sessions, and one random fault after the other. At the end every session must have all of its
 * bytes and its true exit code, every event and prompt of an agent must have arrived once, and no foreign process may have been
 * touched. It runs in its own namespace.
 */
import { isAlive } from '@spool/testkit';
import { FAULTS } from './fault-list.ts';
import { Random } from './random.ts';
import { prompter, source, type Subject, typist } from './subjects.ts';
import { World } from './world.ts';

const SOURCES = 30;
const TYPISTS = 10;
/** The number of agents; half of them are behind a bridge. */
const PROMPTERS = 6;

/** The longest pause between two faults. */
const REST_MS_MAX = 400;

export interface Campaign {
  readonly seed: number;
  readonly seconds: number;
  /** The faults to inject (default: all). */
  readonly faults?: readonly string[];
  /** Whether the keeper drops one store in a hundred, after the first fault of the disk: the campaign must notice. */
  readonly isLeaky?: boolean;
}

export interface CampaignReport extends Campaign {
  /** The number of sessions at once. */
  readonly sessions: number;
  /** The number of agents that were started: another one follows each that is killed. */
  readonly agents: number;
  /** The number of tries of each fault. */
  readonly tried: Readonly<Record<string, number>>;
  /** The reasons why some faults could not be tried. */
  readonly notTried: Readonly<Record<string, string>>;
  readonly lost: readonly string[];
  /**
   * The number of lines that were typed twice. There is at most one per dead keeper: each may have died between the terminal and
   * its journal.
   */
  readonly linesTwice: number;
}

export default async function campaign({ seed, seconds, faults, isLeaky }: Campaign): Promise<CampaignReport> {
  const random = new Random(seed);
  const world = new World(random);
  await world.start({ isLeaky: isLeaky === true });
  const tried: Record<string, number> = {};
  const notTried: Record<string, string> = {};
  let sessions = 0;
  for (const [name, { missing }] of Object.entries(FAULTS)) {
    const why = missing?.(world) ?? null;
    if (why !== null) notTried[name] = why;
  }
  {
    await using _daemon = world.daemon;
    const subjects: Subject[] = [];
    for (let count = 0; count < SOURCES; count++) subjects.push(await source(world, seconds));
    // They have their own random source: so the order of the faults depends on the seed alone.
    for (let count = 0; count < TYPISTS; count++) subjects.push(await typist(world, new Random(seed + count)));
    // Lost bytes of an agent's wire are not a gap that the campaign could name.
    for (let count = 0; count < (isLeaky === true ? 0 : PROMPTERS); count++)
      subjects.push(await prompter(world, count % 2 === 0 ? 'claude' : 'opencode', new Random(seed - count)));
    sessions = subjects.length;
    const over = new AbortController();
    const work = Promise.all(subjects.map((subject) => guarded(world, () => subject.work(over.signal))));
    const until = performance.now() + seconds * 1000;
    const names = Object.keys(FAULTS).filter(
      (name) => notTried[name] === undefined && faults?.includes(name) !== false,
    );
    const first = isLeaky === true ? ['ENOSPC'] : [];
    while (performance.now() < until) {
      const name = first.pop() ?? random.one(names);
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
    sessions,
    agents: world.agentsStarted,
    tried,
    notTried,
    lost: world.lost,
    linesTwice: world.linesTwice,
  };
}

/** Runs a task; its failure is reported, and the others continue. */
async function guarded(world: World, act: () => Promise<void>, during = 'the work of a session'): Promise<void> {
  try {
    await act();
  } catch (error) {
    world.lost.push(`${during}: ${(error as Error).message}`);
  }
}
