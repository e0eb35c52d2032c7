/** Checks that the daemon that answers owns this state folder, for `spool doctor`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type DaemonStatus, type Home, parseAddress } from '@spool/protocol';
import type { DoctorFinding } from '../verbs/doctor.ts';

const CHECK = 'one daemon';

export function oneDaemon(status: DaemonStatus, home: Home): DoctorFinding {
  if (status.home !== home.state) {
    const says = `the daemon that answers uses ${status.home}; this environment uses ${home.state}`;
    return { check: CHECK, level: 'warn', says, todo: 'unset SPOOL_SOCKET to reach the other daemon' };
  }
  if (!holds(status.holder.pid, home.lock)) {
    const says = `the lock ${home.lock} is not held by the daemon that answers (holder pid ${status.holder.pid})`;
    return {
      check: CHECK,
      level: 'fail',
      says,
      todo: 'a second daemon could start; run spool daemon stop, then start',
    };
  }
  const sockets = parseAddress(readOrEmpty(home.address))?.sockets ?? [];
  if (!sockets.includes(status.socket)) {
    const says = `${home.address} does not name the socket ${status.socket}`;
    return {
      check: CHECK,
      level: 'fail',
      says,
      todo: 'other clients may not find it; run spool daemon stop, then start',
    };
  }
  const missing = sockets.filter((socket) => !existsSync(socket)).map((socket) => `; ${socket} is gone`);
  return {
    check: CHECK,
    level: 'ok',
    says: `${home.state}, locked; listens on ${sockets.join(', ')}${missing.join('')}`,
  };
}

/** Returns whether the process has this file open. Returns true if /proc does not show it. */
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
    return ''; // an older daemon wrote none
  }
}
