/**
 * Decides which clients and sessions may still open files when fds become few. Sessions come first: their fds arrive from another
 * process and would be lost if there were no room. Therefore clients are refused early, new sessions next, and a reserve remains
 * for the files that running sessions need at any moment: logs, records, keyframes. Keeps LIFE-8.
 */
import type { OpenFiles } from '@spool/native/open-files';
import type { DaemonStatus } from '@spool/protocol';

/** The files of a session from its start: both sides of a terminal, its pipe and its process. */
const START_FILES = 4;

/**
 * The files that a session opens when it prints, is viewed and gets input: log and index, each to write and to read, and its
 * journal.
 */
const WORK_FILES = 5;

/** The files of the keeper without a session or a client; 40 were counted. */
const OWN_FILES = 48;

/** The reserve beyond all counted files: Node, a reading client or a record needs a file for a moment. */
const MOMENT_FILES = 16;

/** The number of clients that can always connect, to view sessions and to stop some. */
const CONNECTIONS_KEPT = 16;

/** The maximum of clients, even if the limit of open files would allow more. */
const CONNECTIONS_MAX = 4000;

const SPARE_FILES_MIN = 32;
const SPARE_FILES_MAX = 512;

export class FileBudget {
  readonly #openFiles: () => OpenFiles;

  constructor(openFiles: () => OpenFiles) {
    this.#openFiles = openFiles;
  }

  /** Returns whether one more client may connect, beside this many. */
  mayConnect(connections: number): boolean {
    const { limit, used } = this.#openFiles();
    return connections < connectionsMaxOf(limit) && limit - used >= spareOf(limit) / 2;
  }

  /**
   * Returns whether one more session may start, beside these. A session opens most of its files later, when it works, so the
   * number of open files is too low now: sixty quiet sessions may all print in the same second.
   */
  mayRun(sessions: { readonly running: number; readonly starting: number }, connections: number): boolean {
    const { limit, used } = this.#openFiles();
    const { running, starting } = sessions;
    const kept = Math.max(0, CONNECTIONS_KEPT - connections);
    const isRoomNow = limit - used - kept - spareOf(limit) >= (starting + 1) * START_FILES;
    const clients = Math.max(CONNECTIONS_KEPT, connections);
    const atWork = OWN_FILES + MOMENT_FILES + clients + (running + starting + 1) * (START_FILES + WORK_FILES);
    return isRoomNow && atWork <= limit;
  }

  status(connections: number): NonNullable<DaemonStatus['openFiles']> {
    const { limit, used } = this.#openFiles();
    return { limit, used, connections, connectionsMax: connectionsMaxOf(limit) };
  }
}

function connectionsMaxOf(limit: number): number {
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_KEPT, Math.floor(limit / 4)));
}

/** Returns the reserve for running sessions. */
function spareOf(limit: number): number {
  return Math.min(SPARE_FILES_MAX, SPARE_FILES_MIN + Math.floor(limit / 8));
}
