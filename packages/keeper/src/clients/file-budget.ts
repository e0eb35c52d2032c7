/**
 * Decides who may still open files when they become few. Sessions come first: their fds arrive from another process and
 * would be lost if there were no room. So clients are refused early, new sessions next, and a reserve remains for what
 * running sessions need at any moment: logs, records, keyframes. Keeps LIFE-8.
 */
import type { OpenFiles } from '@spool/native/open-files';
import type { DaemonStatus } from '@spool/protocol';

/** The files of a working session: both sides of a terminal, its pipe, its process, its log and its index. */
const SESSION_FILES = 6;

/** This many clients can always connect, to look at sessions and to stop some. */
const CONNECTIONS_KEPT = 16;

/** Beyond this many clients, something other than the limit of open files is wrong. */
const CONNECTIONS_MAX = 4000;

const SPARE_FILES_MIN = 32;
const SPARE_FILES_MAX = 512;

export class FileBudget {
  readonly #openFiles: () => OpenFiles;

  constructor(openFiles: () => OpenFiles) {
    this.#openFiles = openFiles;
  }

  /** Whether one more client may connect, beside this many. */
  mayConnect(connections: number): boolean {
    const { limit, used } = this.#openFiles();
    return connections < connectionsMaxOf(limit) && limit - used >= spareOf(limit) / 2;
  }

  /** Whether one more session may start, with this many sessions starting and this many clients connected. */
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

/** The reserve for running sessions. */
function spareOf(limit: number): number {
  return Math.min(SPARE_FILES_MAX, SPARE_FILES_MIN + Math.floor(limit / 8));
}
