import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readRecord, type SessionRecord } from '@spool/store';
import type { HeldSession } from '@spool/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Semaphore } from '@spool/native/semaphore';
import type { SessionServices } from './services.ts';
import { recordOf, SessionFile } from './session-file.ts';

const ID = 'abcdefghij';

let sessions: string;
let released: string[];
beforeEach(() => {
  sessions = mkdtempSync(`${tmpdir()}/spool-file-`);
  released = [];
});
afterEach(() => rmSync(sessions, { recursive: true }));

function services(): SessionServices {
  const known = {
    home: { sessions },
    diskAccess: new Semaphore(2),
    openLogs: { touch() {}, forget() {} },
    flusher: { note() {}, forget() {} },
    remover: { take: (folder: string) => rmSync(folder, { recursive: true }) },
    release: (id: string) => released.push(id),
    warn() {},
  };
  return known as unknown as SessionServices;
}

const held: HeldSession = {
  run: { id: ID, command: ['/bin/cat', '-u'], cwd: '/', env: { TOKEN: 'secret' }, size: { cols: 80, rows: 24 } },
  kind: 'pty',
  pid: 4_000_000,
  startedAt: Date.now() - 1000,
  controlGroup: null,
  endAtLeast: 0,
  isInputClosed: false,
  exit: null,
};

function started(): SessionFile {
  const file = new SessionFile(services(), recordOf(held));
  file.adopt(held.endAtLeast, false);
  return file;
}

const onDisk = (): SessionRecord => readRecord(`${sessions}/${ID}`)!;

test('a new record is named after its command, and holds no variable of the environment', () => {
  started();
  expect(onDisk()).toMatchObject({ name: 'cat', run: { env: {} }, end: null });
});

test('[LIFE-10] the end is on disk, with the length of the log, before the holder is told to let go', async () => {
  const file = started();
  file.log.append(Buffer.from('hello'), Date.now(), 'stdout');
  file.askEnd('stop', 5000);
  file.exited({ code: null, signal: 'SIGTERM' });
  file.persistEnd();
  expect(onDisk().end).toMatchObject({ state: 'stopped', signal: 'SIGTERM', by: 'stop', offset: 5, firstOffset: 0 });
  expect(released).toEqual([]);
  await vi.waitFor(() => expect(released).toEqual([ID]));
});

test('[RUN-5] a request to end and its first signal outlive the keeper', () => {
  const file = started();
  file.askEnd('stop', 5000);
  file.recordAsked();
  const next = new SessionFile(services(), onDisk());
  expect(next.lifecycle).toMatchObject({ phase: 'running', ending: { by: 'stop', isAsked: true } });
});

test('[LIFE-5] a session without an end is lost, with its last offset, and kept from when that was noticed', () => {
  const file = started();
  file.log.append(Buffer.from('hello'), Date.now(), 'stdout');
  const next = new SessionFile(services(), onDisk());
  next.lose();
  expect(onDisk().end).toMatchObject({ state: 'lost', offset: 5 });
  expect(next.keptSince).toBe(onDisk().end!.noticedAt);
});

test('[LIFE-9] a lost session whose log cannot be read is not given an end for good', () => {
  started();
  rmSync(`${sessions}/${ID}/log`, { recursive: true });
  writeFileSync(`${sessions}/${ID}/log`, 'a file');
  const next = new SessionFile(services(), onDisk());
  next.lose();
  expect([next.state, onDisk().end, next.keptSince]).toEqual(['lost', null, Infinity]);
});

test('[RUN-7] a copy of its folder does not own the process', () => {
  const file = started();
  file.exited({ code: 0, signal: null });
  file.persistEnd();
  expect(new SessionFile(services(), onDisk()).isCopy).toBe(false);
  // The original is kept elsewhere: a free inode may be used again.
  renameSync(`${sessions}/${ID}`, `${sessions}/original`);
  cpSync(`${sessions}/original`, `${sessions}/${ID}`, { recursive: true });
  expect(new SessionFile(services(), onDisk()).isCopy).toBe(true);
});

test('after it is closed for removal, nothing is written any more', () => {
  const file = started();
  file.close();
  file.change({ name: 'other' });
  expect(onDisk().name).toBe('cat');
  file.remove();
  expect(readRecord(`${sessions}/${ID}`)).toBeNull();
});
