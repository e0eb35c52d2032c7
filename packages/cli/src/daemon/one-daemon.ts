/** For `spool doctor`: whether the daemon that answers is the one that this state folder belongs to. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type DaemonStatus, type Home, parseAddress } from '@spool/protocol';
import type { Finding } from '../verbs/doctor.ts';

const CHECK = 'one daemon';

export function oneDaemon(status: DaemonStatus, home: Home): Finding {
  if (status.home !== home.state) {
    const says = `the daemon that answers keeps ${status.home}; in this environment sessions belong into ${home.state}`;
    return { check: CHECK, level: 'warn', says, todo: 'unset SPOOL_SOCKET to reach the other one' };
  }
  if (!holds(status.holder.pid, home.lock)) {
    const says = `the lock ${home.lock} is not held by the daemon that answers (holder pid ${status.holder.pid})`;
    return { check: CHECK, level: 'fail', says, todo: 'a second daemon could start: spool daemon stop, then start' };
  }
  const sockets = parseAddress(readOrEmpty(home.address))?.sockets ?? [];
  if (!sockets.includes(status.socket)) {
    const says = `${home.address} does not name the socket ${status.socket}`;
    return { check: CHECK, level: 'fail', says, todo: 'others may not find it: spool daemon stop, then start' };
  }
  const missing = sockets.filter((socket) => !existsSync(socket)).map((socket) => `; ${socket} is gone`);
  return {
    check: CHECK,
    level: 'ok',
    says: `${home.state}, locked; listens on ${sockets.join(', ')}${missing.join('')}`,
  };
}

/** Whether a process has this very file open. Where /proc does not tell, it is given the benefit of the doubt. */
function holds(pid: number, path: string): boolean {
  const wanted = statSync(path, { throwIfNoEntry: false });
  if (wanted === undefined) return false;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const found = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return found !== undefined && found.ino === wanted.ino && found.dev === wanted.dev;
    });
  } catch {
    return true;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // a daemon of an older version wrote none
  }
}
