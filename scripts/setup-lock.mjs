/**
 * One set-up at a time: a lock that dies with its owner. Plain JavaScript, runs on Node 18.
 *
 * The lock is a symbolic link whose target names the owner: making one is atomic together with what it says, where a
 * folder or a file would for a moment exist without its owner's name.
 */
import { mkdirSync, readFileSync, readlinkSync, rmdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const POLL_MS = 50;
/** Breaking a dead owner's lock takes microseconds; who was killed in the middle of that is forgotten after this. */
const BREAKER_STALE_MS = 5000;

/**
 * Waits until the lock in `folder` is ours. Calls `onWait(pid)` once if somebody else has it. Returns the release.
 *
 * @param {string} folder
 * @param {(pid: number) => void} onWait
 * @returns {Promise<() => void>}
 */
export async function acquire(folder, onWait) {
  const lock = join(folder, 'lock');
  const me = identity(process.pid);
  for (let hasWaited = false; ;) {
    try {
      symlinkSync(me, lock);
      return () => {
        if (ownerOf(lock) === me) unlinkSync(lock);
      };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner === undefined) continue; // released between the two calls
    const pid = Number.parseInt(owner, 10);
    if (identity(pid) !== owner) {
      breakLock(folder, lock, owner);
    } else if (!hasWaited) {
      onWait(pid);
      hasWaited = true;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Two waiters may find the same dead owner; without the breaker the slower one would remove the lock of the faster. */
function breakLock(folder, lock, owner) {
  const breaker = join(folder, 'breaker');
  try {
    mkdirSync(breaker);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const madeAt = statSync(breaker, { throwIfNoEntry: false })?.mtimeMs;
    if (madeAt !== undefined && Date.now() - madeAt > BREAKER_STALE_MS) rmdirSync(breaker);
    return;
  }
  if (ownerOf(lock) === owner) unlinkSync(lock);
  rmdirSync(breaker);
}

function ownerOf(lock) {
  try {
    return readlinkSync(lock);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** A pid and when it began, since pids are used again; `undefined` when there is no such process. */
function identity(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name, in brackets, and may hold anything; the start is the 22nd of all.
    return `${pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return undefined;
  }
}
