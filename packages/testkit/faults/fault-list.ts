/** The faults, one function each. Each restores the world before it returns, as far as possible. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { isAlive, startWithPid, statusField, until } from '@spool/testkit';
import type { AgentKind, FaultAgentRun } from './agent-run.ts';
import type { World } from './world.ts';

type Victim = 'keeper' | 'holder';
/** The longest time in which strace lets go of the keeper. */
const LET_GO_MS_MAX = 5000;
const VICTIMS: readonly Victim[] = ['keeper', 'holder'];

/** The time for the replacement of a hung process, with room for a busy machine. */
const REPLACED_WITHIN_MS = 20_000;

/** The longest pause that is too short to count as hung. */
const SHORT_PAUSE_MS_MAX = 2500;

const size = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

interface GatewayPlace {
  readonly pid: number;
  readonly port: number;
}

export interface Fault {
  run(world: World): Promise<void>;
  /** Returns the reason why the fault cannot be tried here, as a sentence. */
  missing?(world: World): string | null;
}

export const FAULTS: Record<string, Fault> = {
  /** Kills one process, whenever the daemon reports that another may die. */
  kill: { run: async (world) => kill(world, world.random.one(VICTIMS)) },

  /** Kills holder and keeper together; the fd store starts both again. */
  'kill both': {
    async run(world) {
      const before = await world.client.status();
      for (const victim of VICTIMS) process.kill(before[victim].pid, 'SIGSTOP');
      for (const victim of VICTIMS) process.kill(before[victim].pid, 'SIGKILL');
      for (const victim of VICTIMS) await replaced(world, victim, before[victim].pid);
    },
  },

  /** Kills the fd store: another one gets all fds. */
  'kill the fd store': {
    async run(world) {
      const before = world.daemon.stores();
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await until(
        'there is another fd store',
        () => world.daemon.stores().some((pid) => !before.includes(pid)),
        REPLACED_WITHIN_MS,
      );
    },
  },

  /** Kills the gateway: another one serves the same port. */
  'kill the gateway': {
    async run(world) {
      // After the death of a keeper, the gateway takes a moment to report to the next one.
      const current = async (): Promise<GatewayPlace | null> => (await world.client.status()).gateway ?? null;
      await until('there is a gateway', async () => (await current()) !== null, REPLACED_WITHIN_MS);
      const gateway = (await current())!;
      process.kill(gateway.pid, 'SIGKILL');
      const isBack = async (): Promise<boolean> => {
        const now = await current();
        return now !== null && now.pid !== gateway.pid && now.port === gateway.port;
      };
      await until('there is another gateway', isBack, REPLACED_WITHIN_MS);
    },
  },

  /** Kills the driver of an agent: another one continues from the logs. */
  'kill a driver': {
    async run(world) {
      const run = oneAgent(world);
      const driver = await run?.driver();
      if (!run || driver === undefined) return; // it is being replaced already
      signal(driver, 'SIGKILL');
      const isReplaced = async (): Promise<boolean> => {
        const now = run.hasEnded ? null : await run.driver();
        return now === null || (now !== undefined && now !== driver);
      };
      await until('there is another driver', isReplaced, REPLACED_WITHIN_MS);
    },
  },

  /** Kills the agent itself: its session ends, and its events report that. */
  'kill an agent': {
    async run(world) {
      const run = oneAgent(world);
      const pid = await run?.agentPid();
      if (!run || pid === undefined) return; // it has not reported its pid yet
      run.isKilled = true;
      signal(pid, 'SIGKILL');
      await until('its end is reported', () => run.hasEnded, REPLACED_WITHIN_MS);
    },
  },

  /** Kills the bridge of an agent that serves HTTP: the agent dies with it. */
  'kill a bridge': {
    async run(world) {
      const run = oneAgent(world, 'opencode');
      const [bridge, agent] = [await run?.bridgePid(), await run?.agentPid()];
      if (!run || bridge === undefined || agent === undefined) return; // it has not reported its pid yet
      run.isKilled = true;
      signal(bridge, 'SIGKILL');
      await until('the agent is gone', () => !isAlive(agent), REPLACED_WITHIN_MS);
      await until('its end is reported', () => run.hasEnded, REPLACED_WITHIN_MS);
    },
  },

  /** Stops one process for good: it is replaced. */
  hang: {
    async run(world) {
      const victim = world.random.one(VICTIMS);
      const before = await world.client.status();
      process.kill(before[victim].pid, 'SIGSTOP');
      await replaced(world, victim, before[victim].pid);
    },
  },

  /** Stops both, for any time: neither is replaced. */
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

  /** Stops one process for a moment: it is not replaced. */
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

  /** Uses up all fds, so that no file can be opened any more. */
  EMFILE: {
    async run(world) {
      const { keeper, openFiles } = await world.client.status();
      const limit = (soft: number): void =>
        void spawnSync('prlimit', ['--pid', String(keeper.pid), `--nofile=${soft}:`]);
      await world.diskFault(async () => {
        limit(openFiles!.used);
        await world.sleep(world.random.between(100, 1500));
        limit(openFiles!.limit);
      });
    },
  },

  ENOSPC: {
    async run(world) {
      const ballast = `${world.disk}/ballast`;
      await world.diskFault(async () => {
        try {
          writeFileSync(ballast, Buffer.alloc(128 * 1024 * 1024));
        } catch {
          // ENOSPC: that is intended
        }
        await world.sleep(world.random.between(100, 2000));
        unlinkSync(ballast);
      });
    },
  },

  /** Lets the disk lose accepted data: index, journal, records and syncs fail. */
  EIO: {
    missing: () => (spawnSync('strace', ['-V']).status === 0 ? null : 'strace, which injects it, is not installed'),
    async run(world) {
      const { keeper } = await world.client.status();
      const calls = 'fdatasync,fsync,pwrite64';
      const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`];
      await world.diskFault(async () => {
        const strace = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, '-p', String(keeper.pid)], {
          stdio: 'ignore',
        });
        const isAttached = (): boolean => statusField(keeper.pid, 'TracerPid') !== '0' || strace.exitCode !== null;
        await until('strace is attached', isAttached);
        await world.sleep(world.random.between(100, 1000));
        strace.kill();
        // strace waits forever for a process that it follows and that is killed while it lets go of it: a driver that hung.
        const forced = setTimeout(() => strace.kill('SIGKILL'), LET_GO_MS_MAX);
        if (strace.exitCode === null && strace.signalCode === null) await once(strace, 'exit');
        clearTimeout(forced);
      });
    },
  },

  /** Moves the wall clock, by an hour or by more than any retention, for good. */
  'clock jump': {
    missing: (world) => world.clock.missing,
    async run(world) {
      world.clock.shift(world.random.one([-40 * 86_400, -3600, 0, 3600, 40 * 86_400]));
      await world.sleep(world.random.between(100, 1000));
    },
  },

  /** Starts another process with the pid of an ended session; then all requests are made that could hit it. */
  'pid reuse': {
    async run(world) {
      const { client } = world;
      const session = await client.run({ command: ['true'], size, env });
      const { pid } = await client.wait(session.id);
      await until('the pid is free', () => statusField(pid, 'State') === '');
      startWithPid(pid, ['sleep', '100000']);
      world.bystanders.push(pid);
      await client.stop(session.id).catch(() => {}); // the session has ended: an error is accepted too
      await kill(world, 'keeper');
      await client.kill(session.id).catch(() => {});
      await client.remove(session.id);
      if (!isAlive(pid)) world.lost.push(`process ${pid}, which was not ours, was ended`);
    },
  },

  /** Damages the folder of an ended session while it is not in use. */
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

  /** Keeps the machine busy, which is not a fault of ours. */
  'busy machine': {
    async run(world) {
      const hogs = Array.from({ length: 4 }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
      await world.sleep(world.random.between(500, 2500));
      for (const hog of hogs) hog.kill('SIGKILL');
    },
  },
};

function oneAgent(world: World, kind?: AgentKind): FaultAgentRun | undefined {
  const running = [...world.agents].filter((run) => kind === undefined || run.kind === kind);
  return running.length === 0 ? undefined : world.random.one(running);
}

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
