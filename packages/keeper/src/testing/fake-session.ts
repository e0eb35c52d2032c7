/** A session for unit tests: a real log in its own folder and a lifecycle; no child, no screens, no daemon. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Lifecycle, Log, type LogStream } from '@spool/store';
import { type SessionInfo, type Size, type Status, UNKNOWN_STATUS } from '@spool/protocol';
import { onTestFinished } from 'vitest';
import type { KeeperSession } from '../sessions/session.ts';
import { type AttachedViewer, Viewers } from '../viewers/viewers.ts';
import type { Watcher } from '../viewers/watcher.ts';

/** The folder for logs, in memory if possible. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export class FakeSession {
  readonly id: string;
  readonly name: string;
  readonly log: Log;
  readonly viewers = new Viewers();
  readonly watchers = new Set<Watcher>();
  lifecycle: Lifecycle = { phase: 'running', ending: null };
  status = statusOf('working');
  info = {} as Partial<SessionInfo>;

  constructor({ id = 'abcdefghij', name = 'fake' } = {}) {
    this.id = id;
    this.name = name;
    const folder = mkdtempSync(`${ROOT}/spool-keeper-`);
    this.log = Log.open(`${folder}/log`);
    onTestFinished(() => {
      this.log.close();
      rmSync(folder, { recursive: true });
    });
  }

  /** The fake as a `KeeperSession`, for code that uses only the members that exist here. */
  get session(): KeeperSession {
    return this as unknown as KeeperSession;
  }

  get isRunning(): boolean {
    return this.lifecycle.phase === 'running';
  }

  /** Appends output of the child. */
  print(bytes: string | Uint8Array, stream: LogStream = 'stdout'): void {
    const whole = Buffer.from(bytes);
    for (let at = 0; at < whole.length;) at += this.log.append(whole.subarray(at), Date.now(), stream);
    this.#pump();
  }

  /** Ends the child. */
  end(exit: { code: number | null; signal: string | null } = { code: 0, signal: null }): void {
    const state = exit.code === 0 ? 'exited' : 'failed';
    this.lifecycle = { phase: 'ended', state, exit, endedAt: Date.now(), endedBy: null };
    this.#pump();
  }

  viewerLeft(watcher: Watcher): void {
    this.viewers.remove(watcher);
  }

  #pump(): void {
    for (const watcher of this.watchers) watcher.pump();
  }
}

/** Creates a viewer with the members that `Viewers` uses. */
export function viewer(size: Size | null = null, rest: Partial<AttachedViewer> = {}): AttachedViewer {
  return {
    watcher: {} as Watcher,
    who: 'somebody',
    isReadOnly: false,
    since: 0,
    isFocused: false,
    ...rest,
    size,
  };
}

export function statusOf(state: Status['state'], rest: Partial<Status> = {}): Status {
  return { ...UNKNOWN_STATUS, state, source: 'screen', confidence: 0.9, ...rest };
}
