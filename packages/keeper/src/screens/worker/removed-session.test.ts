import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { History } from '../insight/history.ts';
import { Keyframes } from './keyframes.ts';

const COMMAND = { type: 'command', at: 1, offset: 1, command: 'ls', exitCode: 0, durationMs: 1 } as const;

function sessionFolder(): string {
  const home = mkdtempSync(`${tmpdir()}/spool-removed-`);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(`${home}/session`);
  return `${home}/session`;
}

test('[STATE-4] the folder of a removed session does not come back', () => {
  const folder = sessionFolder();
  const history = new History(folder);
  const keyframes = new Keyframes(folder);
  history.add(COMMAND);
  rmSync(folder, { recursive: true });
  history.save();
  keyframes.write(1, 0, new Uint8Array(1));
  expect(existsSync(folder)).toBe(false);
  expect(keyframes.last).toBeUndefined();
});

test('[STATE-4] what has happened is written when it is saved, and read in any case', () => {
  const folder = sessionFolder();
  const history = new History(folder);
  history.add(COMMAND);
  expect(readdirSync(folder)).toEqual([]);
  expect(history.read()).toEqual([COMMAND]);
  history.add({ ...COMMAND, at: 2 });
  history.save();
  expect(new History(folder).read().map(({ at }) => at)).toEqual([1, 2]);
});
