/**
 * Allows one set-up at a time, by a lock that ends with its owner. The script is plain JavaScript, and runs on Node 18.
 *
 * The lock is a symbolic link whose target names the owner: creating one is atomic together with its target, but a folder or a
 * file would exist for a moment without its owner's name.
 */
import { mkdirSync, readFileSync, readlinkSync, rmdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const POLL_MS = 50;
/**
 * The age at which a breaker is ignored: breaking a dead owner's lock takes microseconds, so its process was killed meanwhile.
 */
const BREAKER_STALE_MS = 5000;

/**
 * Waits until the lock in `folder` is ours. Calls `onWait(pid)` once if another process has it. Returns a function that releases
 * it.
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

/**
 * Breaks the lock of a dead owner. Two waiters may find the same dead owner; without the breaker the slower one would remove the
 * lock of the faster.
 */
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

/** Returns a pid with its start time, since pids are reused; `undefined` if the process does not exist. */
function identity(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name, in brackets, and may contain anything; the start time is the 22nd of all.
    return `${pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return undefined;
  }
}
