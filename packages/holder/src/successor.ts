/**
 * Starts the next keeper beside the present one, which exits only when the new one has loaded. A program that cannot start never
 * replaces one that runs. Keeps LIFE-15.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import type { FromHolder, FromKeeper } from '@spool/protocol';
import { checkPrograms, LOAD_MS_MAX } from './load-check.ts';
import { nodePath, type PreparedProgram } from './program-files.ts';

/**
 * Flags of a keeper. Its garbage is short-lived, so a small nursery is enough; with code for size and one helper thread it takes 34
 * MB instead of 47, and neither keys nor long floods take longer (decision 281).
 */
export const KEEPER_FLAGS = ['--max-semi-space-size=2', '--optimize-for-size', '--v8-pool-size=1'];

/** The time after which a successor is abandoned if its predecessor does not exit. */
const UNUSED_MS_MAX = 60_000;

export interface SuccessorOptions {
  readonly watch: FdWatch;
  readonly logFd: number;
  readonly program: PreparedProgram;
  onMessage(message: FromKeeper, fds: readonly number[]): void;
  onFdsLost(message: FromKeeper): void;
  /** Called when the successor ends after it was ready. */
  onEnd(pid: number, why: string): void;
}

export interface Successor {
  readonly process: ChildProcess;
  readonly link: FdLink<FromKeeper, FromHolder>;
  readonly program: PreparedProgram;
  /** Whether it will report when it serves. */
  readonly saysServing: boolean;
  /** Marks the successor as the present keeper. */
  promoted(): void;
}

/**
 * Resolves when it has loaded; rejects with the reason if it does not. The programs that the keeper and the holder start later are
 * checked first, including the next holder: otherwise a broken one would be detected only when its predecessor is gone.
 */
export async function startSuccessor(options: SuccessorOptions): Promise<Successor> {
  const { watch, logFd, program } = options;
  const node = nodePath(program.record.source.node, program.nodeFd);
  await checkPrograms(node, program.folder);
  const [ours, theirs] = native.socketPair();
  const keeper = `${program.folder}/keeper.mjs`;
  const child = spawn(node, [...KEEPER_FLAGS, keeper, '--link-fd', '3'], {
    argv0: 'node',
    stdio: ['ignore', 'ignore', logFd, theirs],
    detached: true,
    cwd: '/',
  });
  native.close(theirs);
  const ready = Promise.withResolvers<boolean>();
  let isReady = false;
  const gone = (why: string): void => (isReady ? options.onEnd(child.pid!, why) : ready.reject(new Error(why)));
  const link = new FdLink<FromKeeper, FromHolder>(watch, ours, {
    onMessage: (message, fds) => {
      if (message.type === 'ready') ready.resolve(message.saysServing === true);
      else options.onMessage(message, fds);
    },
    onFdsLost: (message) => options.onFdsLost(message),
    onEnd: () => isReady && gone('it closed its link'),
  });
  child.on('error', (error) => gone(error.message));
  child.on('exit', (code, signal) => gone(signal ? `killed by ${signal}` : `it exited with ${code}`));
  const timer = setTimeout(() => ready.reject(new Error(`it was not ready within ${LOAD_MS_MAX} ms`)), LOAD_MS_MAX);
  let saysServing: boolean;
  try {
    saysServing = await ready.promise;
  } catch (error) {
    child.kill('SIGKILL');
    link.close();
    throw new Error(`${keeper}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  isReady = true;
  const unused = setTimeout(() => child.kill('SIGKILL'), UNUSED_MS_MAX);
  return { process: child, link, program, saysServing, promoted: () => clearTimeout(unused) };
}
