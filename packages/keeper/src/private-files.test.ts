import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClockCheck } from './retention/clock-check.ts';
import { InputJournal } from './input/journal.ts';
import { IdempotencyKeys } from './input/idempotency-keys.ts';
import { History } from './screens/insight/history.ts';
import { Keyframes } from './screens/worker/keyframes.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-private-`);
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

/** The writers besides the log and the record, which have separate tests. */
const WRITERS: Record<string, (folder: string) => void> = {
  'input.json': (where) => {
    const journal = new InputJournal(where);
    journal.recordTyped('stream', 1);
    journal.close();
  },
  keys: (where) => new IdempotencyKeys(where).add('key'),
  'history.ndjson': (where) => {
    const history = new History(where);
    history.add({} as Parameters<History['add']>[0]);
    history.save();
  },
  'clock.json': (where) => new ClockCheck(`${where}/clock.json`).isTrusted(),
  keyframes: (where) => new Keyframes(where).write(0, 0, Buffer.from('a picture')),
};

test.each(Object.entries(WRITERS))('[LOG-7] %s is for its owner alone, whatever the umask', (name, write) => {
  write(folder);
  const modes = readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => ({
    isFolder: entry.isDirectory(),
    mode: (statSync(`${entry.parentPath}/${entry.name}`).mode & 0o777).toString(8),
  }));
  expect(readdirSync(folder)).toContain(name);
  expect(modes.length).toBeGreaterThan(0);
  for (const { isFolder, mode } of modes) expect(mode).toBe(isFolder ? '700' : '600');
});
