/** The faults, one function each. Each restores the world before it returns, as far as possible. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { isAlive, startWithPid, statusField, until } from '@spool/testkit';
import type { World } from './world.ts';

type Victim = 'keeper' | 'holder';
const VICTIMS: readonly Victim[] = ['keeper', 'holder'];

/** Longer than the replacement of a hung process may take, on a busy machine. */
const REPLACED_WITHIN_MS = 20_000;

/** Too short to count as hung. */
const SHORT_PAUSE_MS_MAX = 2500;

const size = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

export interface Fault {
  run(world: World): Promise<void>;
  /** Why it cannot be tried here, as a sentence. */
  missing?(world: World): string | null;
}

export const FAULTS: Record<string, Fault> = {
  /** Whenever the daemon reports that one more process may die. */
  kill: { run: async (world) => kill(world, world.random.one(VICTIMS)) },

  /** One stops for good: it is replaced. */
  hang: {
    async run(world) {
      const victim = world.random.one(VICTIMS);
      const before = await world.client.status();
      process.kill(before[victim].pid, 'SIGSTOP');
      await replaced(world, victim, before[victim].pid);
    },
  },

  /** Both stop, for any time: neither is replaced. */
  pause: {
    async run(world) {
      const order = world.random.next() < 0.5 ? VICTIMS : [...VICTIMS].reverse();
      const before = await world.client.status();
      for (const victim of order) process.kill(before[victim].pid, 'SIGSTOP');
      await world.sleep(world.random.between(200, 6000));
      for (const victim of order) {
        signal(before[victim].pid, 'SIGCONT');
        await world.sleep(world.random.between(0, 500));
      }
      const after = await world.client.status();
      for (const victim of VICTIMS)
        if (after[victim].pid !== before[victim].pid) world.lost.push(`a pause of both cost the ${victim}`);
    },
  },

  /** One stops for a moment: it is not replaced. */
  stumble: {
    async run(world) {
      const victim = world.random.one(VICTIMS);
      const before = await world.client.status();
      process.kill(before[victim].pid, 'SIGSTOP');
      await world.sleep(world.random.between(50, SHORT_PAUSE_MS_MAX));
      signal(before[victim].pid, 'SIGCONT');
      const after = await world.client.status();
      if (after[victim].pid !== before[victim].pid) world.lost.push(`a short pause cost the ${victim}`);
    },
  },

  /** No file can be opened any more. */
  EMFILE: {
    async run(world) {
      const { keeper, openFiles } = await world.client.status();
      const limit = (soft: number): void =>
        void spawnSync('prlimit', ['--pid', String(keeper.pid), `--nofile=${soft}:`]);
      world.diskFaults++;
      limit(openFiles!.used);
      await world.sleep(world.random.between(100, 1500));
      limit(openFiles!.limit);
    },
  },

  ENOSPC: {
    async run(world) {
      world.diskFaults++;
      const ballast = `${world.disk}/ballast`;
      try {
        writeFileSync(ballast, Buffer.alloc(128 * 1024 * 1024));
      } catch {
        // ENOSPC: that is the point
      }
      await world.sleep(world.random.between(100, 2000));
      unlinkSync(ballast);
    },
  },

  /** The disk loses what it accepted: index, journal, records and syncs fail. */
  EIO: {
    missing: () => (spawnSync('strace', ['-V']).status === 0 ? null : 'strace, which injects it, is not installed'),
    async run(world) {
      const { keeper } = await world.client.status();
      world.diskFaults++;
      const calls = 'fdatasync,fsync,pwrite64';
      const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`];
      const strace = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, '-p', String(keeper.pid)], {
        stdio: 'ignore',
      });
      await until('strace is attached', () => statusField(keeper.pid, 'TracerPid') !== '0' || strace.exitCode !== null);
      await world.sleep(world.random.between(100, 1000));
      strace.kill();
      if (strace.exitCode === null && strace.signalCode === null) await once(strace, 'exit');
    },
  },

  /** The wall clock leaps, by an hour or by more than any retention, and stays there. */
  'clock jump': {
    missing: (world) => world.clock.missing,
    async run(world) {
      world.clock.shift(world.random.one([-40 * 86_400, -3600, 0, 3600, 40 * 86_400]));
      await world.sleep(world.random.between(100, 1000));
    },
  },

  /** Another process gets the pid of an ended session; then everything is done that could hit it. */
  'pid reuse': {
    async run(world) {
      const { client } = world;
      const session = await client.run({ command: ['true'], size, env });
      const { pid } = await client.wait(session.id);
      await until('the pid is free', () => statusField(pid, 'State') === '');
      startWithPid(pid, ['sleep', '100000']);
      world.bystanders.push(pid);
      await client.stop(session.id).catch(() => {}); // it has ended: an error is as good as an answer
      await kill(world, 'keeper');
      await client.kill(session.id).catch(() => {});
      await client.remove(session.id);
      if (!isAlive(pid)) world.lost.push(`process ${pid}, which was not ours, was ended`);
    },
  },

  /** The folder of an ended session is damaged while it is not in use. */
  'damaged folder': {
    async run(world) {
      const { client } = world;
      const session = await client.run({ command: ['sh', '-c', 'echo a word'], size, env });
      await client.wait(session.id);
      const folder = `${world.disk}/home/sessions/${session.id}`;
      world.random.one([
        () => writeFileSync(`${folder}/session.json`, '{"run":'),
        () => {
          rmSync(`${folder}/session.json`);
          mkdirSync(`${folder}/session.json`);
        },
        () => {
          rmSync(`${folder}/log`, { recursive: true });
          writeFileSync(`${folder}/log`, 'in the way');
        },
        () => rmSync(folder, { recursive: true }),
        () => writeFileSync(`${folder}/session.json`, readFileSync(`${folder}/session.json`).subarray(0, 40)),
      ])();
      await kill(world, 'keeper');
      await client.list();
    },
  },

  /** Not a fault of ours: the machine is busy. */
  'busy machine': {
    async run(world) {
      const hogs = Array.from({ length: 4 }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
      await world.sleep(world.random.between(500, 2500));
      for (const hog of hogs) hog.kill('SIGKILL');
    },
  },
};

async function kill(world: World, victim: Victim): Promise<void> {
  const before = await world.client.status();
  process.kill(before[victim].pid, 'SIGKILL');
  await replaced(world, victim, before[victim].pid);
}

async function replaced(world: World, victim: Victim, pid: number): Promise<void> {
  if (victim === 'keeper') world.keeperDeaths++;
  await until(`the ${victim} is gone`, () => !isAlive(pid), REPLACED_WITHIN_MS);
  const after = await world.client.status();
  if (after[victim].pid === pid) world.lost.push(`the ${victim} ${pid} was not replaced`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: it was killed, which its pid will show
  }
}
