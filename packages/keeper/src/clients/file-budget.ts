/**
 * Who may still open files, when they become few. Sessions come first: their fds are received from another process and
 * would be lost for want of room. So clients are refused early, new sessions next, and some files are left for what those
 * that run need at any moment: logs, records, keyframes.
 */
import type { OpenFiles } from '@spool/native/open-files';
import type { DaemonStatus } from '@spool/protocol';

/** A terminal's two sides, its pipe, its process, and its log and index: what a session has open when it works. */
const SESSION_FILES = 6;

/** So many clients can always connect, to look at sessions and to end some. */
const CONNECTIONS_KEPT = 16;

/** More than this many clients would say something else than the limit of open files. */
const CONNECTIONS_MAX = 4000;

const SPARE_FILES_MIN = 32;
const SPARE_FILES_MAX = 512;

export class FileBudget {
  readonly #openFiles: () => OpenFiles;

  constructor(openFiles: () => OpenFiles) {
    this.#openFiles = openFiles;
  }

  /** Whether one client more may come, beside so many. */
  mayConnect(connections: number): boolean {
    const { limit, used } = this.#openFiles();
    return connections < connectionsMaxOf(limit) && limit - used >= spareOf(limit) / 2;
  }

  /** Whether one session more may be started, while so many are being started and so many clients are there. */
  mayRun(starting: number, connections: number): boolean {
    const { limit, used } = this.#openFiles();
    const kept = Math.max(0, CONNECTIONS_KEPT - connections);
    return limit - used - kept - spareOf(limit) >= (starting + 1) * SESSION_FILES;
  }

  status(connections: number): NonNullable<DaemonStatus['openFiles']> {
    const { limit, used } = this.#openFiles();
    return { limit, used, connections, connectionsMax: connectionsMaxOf(limit) };
  }
}

function connectionsMaxOf(limit: number): number {
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_KEPT, Math.floor(limit / 4)));
}

/** Left for what running sessions need. */
function spareOf(limit: number): number {
  return Math.min(SPARE_FILES_MAX, SPARE_FILES_MIN + Math.floor(limit / 8));
}
