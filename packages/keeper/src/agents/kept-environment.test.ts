/** The variables of `run -e` for the session that resumes an agent. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { RunRequest } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { keepEnvironment, readEnvironment, withKeptEnvironment } from './kept-environment.ts';

function folder(): string {
  const made = mkdtempSync(`${tmpdir()}/spool-kept-`);
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const run = (env: Record<string, string>, keptEnv?: string[]): RunRequest => ({
  id: 'i',
  command: ['x'],
  cwd: '/',
  env,
  ...(keptEnv && { keptEnv }),
});

test('[EVT-9] only the variables that the user gave are stored, in one file that only its user can read', () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const made = folder();
  keepEnvironment(made, run({ TOKEN: 'secret', PATH: '/bin' }, ['TOKEN', 'missing']));
  const [file, ...others] = readdirSync(made);
  expect(others).toEqual([]);
  expect(statSync(`${made}/${file}`).mode & 0o777).toBe(0o600);
  expect(readEnvironment(made)).toEqual({ TOKEN: 'secret' });
  const none = folder();
  keepEnvironment(none, run({ PATH: '/bin' }));
  expect(readdirSync(none)).toEqual([]);
});

test('[EVT-9] what is missing or damaged is no variable', () => {
  const made = folder();
  expect(readEnvironment(made)).toEqual({});
  for (const [text, read] of [
    ['{"A":"a","B":1}', { A: 'a' }],
    ['null', {}],
    ['{', {}],
  ] as const) {
    writeFileSync(`${made}/environment.json`, text);
    expect(readEnvironment(made)).toEqual(read);
  }
});

test('[EVT-9] a resumed agent has the variables of the one before, and those given now win and are kept too', () => {
  const resumed = withKeptEnvironment(run({ PATH: '/bin', A: 'now', B: 'shell' }, ['A', 'C']), {
    A: 'then',
    B: 'then',
  });
  expect(resumed).toMatchObject({ env: { PATH: '/bin', A: 'now', B: 'then' }, keptEnv: ['A', 'B', 'C'] });
  const plain = run({ PATH: '/bin' });
  expect(withKeptEnvironment(plain, {})).toBe(plain);
});
