/**
 * The holder's entry point. It is started in one of two ways:
 *   --ready-fd N   by a client: become the daemon if there is none, and report the result on N
 *   --link-fd N    by a keeper whose holder died: take all sessions from it, and hold them
 *   --link-fd N --store-fd M    by the fd store, when both have died: the same
 * The lock of the state folder keeps LIFE-4.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import {
  type FromHolder,
  type FromKeeper,
  type Home,
  homeFrom,
  LOAD_CHECK,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import { DaemonLog } from './daemon-log.ts';
import { Holder } from './holder.ts';
import { closeInheritedFds } from './inherited-fds.ts';
import { leaveSessionGroup } from './control-groups.ts';
import { shedOwnLimits } from './limits.ts';
import { listenOnSockets } from './listening.ts';
import { makeSafeFolder } from './safe-folder.ts';

/** Only Linux can pass fds between processes and splice bytes; elsewhere one process does both jobs. */
const hasEscrow = process.platform === 'linux' && process.env.SPOOL_ESCROW !== 'off';

/** The index of the state folder's lock among the fds of a daemon (see DaemonRecord). */
const LOCK_AT = 1;

if (process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}
process.umask(0o077);
process.title = 'spool-holder';

const [way, fdText, , storeText = '-1'] = process.argv.slice(2);
const fd = Number(fdText);
const storeFd = Number(storeText);
closeInheritedFds(fd, storeFd);
// Our own fds must not reach the children.
native.cloexecFrom(3);

if (way === '--ready-fd') becomeDaemon(fd);
else if (way === '--link-fd') takeOver(fd);
else {
  process.stderr.write('The holder is started by spool itself; run `spool daemon start`.\n');
  process.exit(2);
}

function becomeDaemon(readyFd: number): void {
  const home = homeFrom(process.env, process.getuid!());
  try {
    for (const folder of [home.state, home.sessions]) makeSafeFolder(folder);
    const lock = lockState(home);
    if (lock === null) return answer('busy', 0);
    const log = logTo(home.daemonLog);
    leaveSessionGroup();
    const warn = (sentence: string): void => log.say(sentence, 'warn');
    shedOwnLimits(warn);
    const listening = listenOnSockets(home, warn);
    if (listening === null) return answer('busy', 0);
    const { sockets, socketFds, lockFds } = listening;
    const holder = new Holder({
      watch: new FdWatch(),
      log,
      daemon: {
        home: { ...home, run: dirname(sockets[0]!), socket: sockets[0]! },
        sockets,
        startedAt: Date.now(),
        hasEscrow,
        canReadForeignExit: native.canReadForeignExit(),
      },
      commonFds: [socketFds[0]!, lock, ...socketFds.slice(1), ...lockFds],
    });
    holder.startKeeper();
    log.say('started');
    answer('ready');
  } catch (error) {
    const known = SpoolError.is(error)
      ? error
      : new SpoolError('DAEMON_START_FAILED', { reason: (error as Error).message }, { cause: error });
    answer(JSON.stringify(toWireError(known)), 1);
  }

  function answer(line: string, exitCode?: number): void {
    try {
      writeSync(readyFd, `${line}\n`);
      closeSync(readyFd);
    } catch {
      // EPIPE: the client that started us is gone, but other clients will find the daemon
    }
    if (exitCode !== undefined) process.exit(exitCode);
  }
}

/** Returns null if another daemon holds the lock. */
function lockState({ state, lock: path }: Home): number | null {
  try {
    const lock = openSync(path, 'a', 0o600);
    return native.tryLock(lock) ? lock : null;
  } catch (error) {
    // Without the lock, a second daemon could mark the sessions of the first as lost.
    const { code, syscall } = error as NodeJS.ErrnoException;
    const what = syscall === 'flock' ? 'its file system cannot lock files' : 'it cannot be written';
    const reason = `${what}: ${code}; SPOOL_HOME can name another folder`;
    throw new SpoolError('FOLDER_REFUSED', { folder: state, reason }, { cause: error });
  }
}

function takeOver(linkFd: number): void {
  const watch = new FdWatch();
  let holder: Holder | null = null;
  const link: FdLink<FromKeeper, FromHolder> = new FdLink(watch, linkFd, {
    onMessage(message, fds) {
      if (message.type !== 'hand-over') return holder?.handle(message, fds);
      const log = logTo(message.daemon.home.daemonLog);
      // The daemon was stopped while the store was paused, and has released its lock: another daemon may hold it.
      if (storeFd !== -1 && !native.tryLock(fds[LOCK_AT]!)) process.exit(0);
      holder = new Holder({
        watch,
        log,
        daemon: { ...message.daemon, hasStore: message.daemon.hasStore === true || storeFd !== -1 },
        commonFds: storeFd === -1 ? fds : [...fds, storeFd],
        isStandby: message.isStandby === true,
        isTakingOver: storeFd === -1,
      });
      // The keeper may already be dead: then its link ends after everything that it has handed over, and another keeper is started.
      holder.attach(link, message.keeperPid, message.keeperStart);
      log.say(
        message.isStandby === true
          ? `started beside the holder of keeper ${message.keeperPid}, to take its place`
          : storeFd === -1
            ? `took over from keeper ${message.keeperPid}, whose holder was gone`
            : 'took over from the fd store: holder and keeper were gone',
      );
    },
    onFdsLost(message) {
      if (holder) holder.fdsLost(message);
      else process.exit(1); // not even the socket arrived: the keeper will try again with another holder
    },
    onEnd() {
      if (holder) holder.keeperGone('it closed its link');
      else process.exit(1); // the keeper died before it had handed anything over
    },
  });
}

function logTo(path: string): DaemonLog {
  const log = new DaemonLog(path, 'holder', process.env['SPOOL_LOG']);
  process.on('uncaughtException', (error) => {
    log.say(`a fault: ${error.stack ?? error.message}`, 'error');
    process.exit(70);
  });
  return log;
}
