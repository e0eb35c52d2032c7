import { mkdtempSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonLog, LOG_BYTES_MAX } from './daemon-log.ts';

let place: string;
beforeEach(() => (place = mkdtempSync(`${tmpdir()}/daemon-log-`)));
afterEach(() => rmSync(place, { recursive: true }));

const fill = (fd: number, line: string): void => {
  const block = line.repeat(1024);
  for (let bytes = 0; bytes <= LOG_BYTES_MAX; bytes += block.length) writeSync(fd, block);
};

test('[LIFE-11] a log that grows while the daemon runs is set aside, for all who write into it', () => {
  const path = `${place}/daemon.log`;
  const log = new DaemonLog(path, 'holder');
  const keeper = openSync(path, 'a');
  fill(keeper, 'the keeper complains\n');
  log.say('still the old file');
  log.bound();
  expect(readFileSync(`${path}.1`, 'utf8').trimEnd().endsWith('still the old file')).toBe(true);
  expect(statSync(path).size).toBe(0);
  writeSync(keeper, 'the next line\n');
  log.say('and the one after it');
  expect(readFileSync(path, 'utf8')).toMatch(/^the next line\n.*holder\[\d+\]: and the one after it\n$/);
  expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
});

test('[LIFE-11] a small log is left alone, a large one is set aside at the start too', () => {
  const path = `${place}/daemon.log`;
  const log = new DaemonLog(path, 'holder');
  log.say('one');
  log.bound();
  expect(readFileSync(path, 'utf8')).toContain('one');
  fill(log.fd, 'noise\n');
  new DaemonLog(path, 'holder');
  expect(statSync(path).size).toBe(0);
  expect(statSync(`${path}.1`).size).toBeGreaterThan(LOG_BYTES_MAX);
});

test('a log that a user has moved away is bounded, and no file is replaced', () => {
  const path = `${place}/daemon.log`;
  const log = new DaemonLog(path, 'holder');
  renameSync(path, `${place}/mine`);
  fill(log.fd, 'noise\n');
  log.bound();
  expect(statSync(`${place}/mine`).size).toBe(0);
  expect(() => statSync(`${path}.1`)).toThrow('ENOENT');
});
