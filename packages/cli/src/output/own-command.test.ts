import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ownCommand } from './own-command.ts';

let folder: string;
const { argv } = process;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(`${tmpdir()}/spool-test-`));
  mkdirSync(`${folder}/clone/dist`, { recursive: true });
  writeFileSync(`${folder}/clone/spool`, '');
  chmodSync(`${folder}/clone/spool`, 0o700);
  process.argv = [argv[0]!, `${folder}/clone/dist/spool.cjs`];
});
afterEach(() => {
  process.argv = argv;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('[SAY-40] a hint begins with the word that the shell finds, or else with a path', () => {
  vi.stubEnv('PATH', `${folder}/bin:/nowhere`);
  expect(ownCommand(['attach', 'two words'])).toBe(`${folder}/clone/spool attach 'two words'`);
  vi.spyOn(process, 'cwd').mockReturnValue(`${folder}/clone`);
  expect(ownCommand(['attach', 'bash'])).toBe('./spool attach bash');
  vi.stubEnv('PATH', `/nowhere:${folder}/clone`);
  expect(ownCommand(['ls'])).toBe('spool ls');
});
