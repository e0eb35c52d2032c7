/**
 * Decides who may still open files when they become few. Sessions come first: their fds arrive from another process and
 * would be lost if there were no room. So clients are refused early, new sessions next, and a reserve remains for what
 * running sessions need at any moment: logs, records, keyframes. Keeps LIFE-8.
 */
import type { OpenFiles } from '@spool/native/open-files';
import type { DaemonStatus } from '@spool/protocol';

/** What a session holds from its start: both sides of a terminal, its pipe and its process. */
const START_FILES = 4;

/** What it opens when it prints, is looked at and is typed to: log and index, each to write and to read, and its journal. */
const WORK_FILES = 5;

/** What the keeper holds without a session or a client; 40 were counted. */
const OWN_FILES = 48;

/** Beside all files that we count on: what Node, a reading client or a record needs for a moment. */
const MOMENT_FILES = 16;

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

  /**
   * Whether one more session may start, beside these. A session opens most of its files later, when it works, so those
   * that are open now say too little: sixty quiet sessions may all print in the same second.
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

/** The reserve for running sessions. */
function spareOf(limit: number): number {
  return Math.min(SPARE_FILES_MAX, SPARE_FILES_MIN + Math.floor(limit / 8));
}
