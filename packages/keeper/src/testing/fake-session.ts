/** A session for unit tests: a real log in its own folder and a lifecycle; no child, no screens, no daemon. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Lifecycle, Log, type LogStream } from '@spool/core';
import { type SessionInfo, type Size, type Status, UNKNOWN_STATUS } from '@spool/protocol';
import { onTestFinished } from 'vitest';
import type { Session } from '../session/session.ts';
import { type Attached, Viewers } from '../clients/viewers.ts';
import type { LogWatcher, Watcher } from '../clients/watcher.ts';

/** In memory where possible. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export class FakeSession {
  readonly id: string;
  readonly name: string;
  readonly log: Log;
  readonly viewers = new Viewers();
  readonly watchers = new Set<LogWatcher>();
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

  /** For code that takes a session: it uses no more of one than there is here. */
  get session(): Session {
    return this as unknown as Session;
  }

  get isRunning(): boolean {
    return this.lifecycle.phase === 'running';
  }

  /** The child writes. */
  print(bytes: string | Uint8Array, stream: LogStream = 'stdout'): void {
    const whole = Buffer.from(bytes);
    for (let at = 0; at < whole.length;) at += this.log.append(whole.subarray(at), Date.now(), stream);
    this.#pump();
  }

  /** The child is gone. */
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

/** A viewer, as far as `Viewers` uses it. */
export function viewer(size: Size | null = null, rest: Partial<Attached> = {}): Attached {
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
