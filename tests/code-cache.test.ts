/** Compiled code that commands leave for the next ones: used, replaced when it does not fit, and never needed. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const DIST = resolve(import.meta.dirname, '../dist');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-code-'));
  for (const name of ['spool.cjs', 'spool_native.node']) cpSync(join(DIST, name), join(folder, name));
  cpSync(join(DIST, 'chunks'), join(folder, 'chunks'), { recursive: true, filter: (path) => !path.endsWith('.map') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command as a user does: Node without options. */
function spool(...words: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: folder, SPOOL_HOME: `${folder}/home` };
  const { stdout, stderr, status } = spawnSync(process.execPath, [`${folder}/spool.cjs`, ...words], {
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const kept = (verb: string): string => join(folder, 'code-cache', `${process.version}-${process.arch}`, verb);
const inode = (verb: string): number => statSync(kept(verb)).ino;

test('[SPEED-6] a command uses the code of an earlier one, and writes nothing then', () => {
  const first = spool('version');
  const written = inode('version');
  expect(spool('version')).toBe(first);
  expect(inode('version')).toBe(written);
  expect(readdirSync(join(kept('version'), '..'))).toEqual(['version']);
});

test('[SPEED-6] code that is not complete, or of another build, is replaced', () => {
  const first = spool('version');
  const [whole, length] = [readFileSync(kept('version')), statSync(kept('version')).size];
  for (const spoil of [
    () => truncateSync(kept('version'), length - 8),
    () => truncateSync(kept('version'), 0),
    () => writeFileSync(kept('version'), whole.toString('latin1').replace('"build":"core', '"build":"xore'), 'latin1'),
    () => writeFileSync(kept('version'), 'no header\n'),
  ]) {
    spoil();
    const spoiled = inode('version');
    expect(spool('version')).toBe(first);
    expect(statSync(kept('version')).size).toBeGreaterThan(length / 2);
    expect(inode('version')).not.toBe(spoiled);
  }
});

test('[SPEED-6] a command that failed leaves code, and the first that succeeds completes it; a wrong verb leaves none', () => {
  const run = (...words: string[]): number | null =>
    spawnSync(process.execPath, [`${folder}/spool.cjs`, ...words], { env: { SPOOL_HOME: `${folder}/home` } }).status;
  const isWhole = (): boolean =>
    (JSON.parse(readFileSync(kept('context'), 'latin1').split('\n')[0]!) as { isWhole: boolean }).isWhole;
  expect(run('context', 'use', 'unknown')).not.toBe(0);
  expect(isWhole()).toBe(false);
  expect(run('context', 'ls')).toBe(0);
  expect(isWhole()).toBe(true);
  expect(run('no-such-verb')).not.toBe(0);
  expect(readdirSync(join(kept('context'), '..'))).not.toContain('no-such-verb');
});

test('[SPEED-6] where it cannot be written, commands work without it', () => {
  rmSync(join(folder, 'code-cache'), { recursive: true, force: true });
  writeFileSync(join(folder, 'code-cache'), '');
  expect(spool('version')).toContain('spool');
  expect(spool('version')).toContain('spool');
  rmSync(join(folder, 'code-cache'));
});
