/**
 * Syncs open files together: all requests of one turn of the event loop are one job off the main thread. A hundred busy sessions
 * then cause one wake-up instead of hundreds (decision 028).
 */
import { getSystemErrorName } from 'node:util';
import { native } from '@spool/native';

/**
 * The maximum number of jobs at once: one for many sessions, and one for a session that ends meanwhile. Node's pool has four
 * threads for everything.
 */
const JOBS_AT_ONCE = 2;

/** The maximum number of fds in one job; further ones wait for the next. */
const FILES_PER_JOB = 256;

interface PendingSync {
  readonly fd: number;
  readonly answer: PromiseWithResolvers<void>;
}

const asked: PendingSync[] = [];
let jobs = 0;
let isScheduled = false;

/** Makes the written data of this file durable. The caller may close `fd` at once. */
export function syncOpenFile(fd: number): Promise<void> {
  const copy = native.duplicate(fd);
  if (copy < 0) return Promise.reject(systemError(copy, 'dup'));
  const answer = Promise.withResolvers<void>();
  asked.push({ fd: copy, answer });
  schedule();
  return answer.promise;
}

function schedule(): void {
  if (isScheduled || jobs >= JOBS_AT_ONCE) return;
  isScheduled = true;
  setImmediate(start);
}

function start(): void {
  isScheduled = false;
  const files = asked.splice(0, FILES_PER_JOB);
  jobs++;
  native.syncFiles(
    Int32Array.from(files, ({ fd }) => fd),
    (results) => {
      jobs--;
      if (asked.length > 0) schedule();
      for (const [at, { answer }] of files.entries()) {
        const result = results[at]!;
        if (result < 0) answer.reject(systemError(result, 'fdatasync'));
        else answer.resolve();
      }
    },
  );
  if (asked.length > 0) schedule();
}

function systemError(errno: number, syscall: string): NodeJS.ErrnoException {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${code}: ${syscall}`), { errno, code, syscall });
}
