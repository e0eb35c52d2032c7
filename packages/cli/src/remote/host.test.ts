import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { contextsPath, readContexts, writeContexts } from './contexts.ts';
import { chooseHost, splitHostFlags } from './host.ts';
import { checkAfar } from './local-verbs.ts';

function machine(): { env: Record<string, string>; tokenFile: string } {
  const folder = mkdtempSync(`${tmpdir()}/spool-contexts-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tokenFile = `${folder}/token`;
  writeFileSync(tokenFile, 'from-file\n', { mode: 0o600 });
  return { env: { SPOOL_HOME: folder }, tokenFile };
}

test.each([
  [['ls', '--host', 'x'], {}, ['ls', '--host', 'x']],
  [['--host', 'https://h', 'ls', '-a'], { host: 'https://h' }, ['ls', '-a']],
  [['--host=https://h', '--token-file', 't', 'run'], { host: 'https://h', 'token-file': 't' }, ['run']],
  [['--context', 'work', '--json'], { context: 'work' }, ['--json']],
])('%j: flags before the verb are taken off', (words, flags, rest) => {
  expect(splitHostFlags(words)).toEqual({ flags, rest });
});

test('[REM-6] the flags count before the variables, and those before the saved context', () => {
  const { env, tokenFile } = machine();
  const contexts = { work: { url: 'https://work', token: 'saved' }, home: { url: 'https://home', token: 'other' } };
  writeContexts(env, { current: 'work', contexts });
  const where = (flags: object, more: Record<string, string> = {}): unknown => chooseHost(flags, { ...env, ...more });
  expect(where({})).toMatchObject({ url: 'https://work', token: 'saved' });
  expect(where({ context: 'home' })).toMatchObject({ url: 'https://home', token: 'other' });
  expect(where({ context: 'local' })).toBeNull();
  expect(where({}, { SPOOL_HOST: 'https://v', SPOOL_TOKEN_FILE: tokenFile })).toMatchObject({
    url: 'https://v',
    token: 'from-file',
  });
  expect(where({ host: 'https://f', 'token-file': tokenFile }, { SPOOL_HOST: 'https://v' })).toMatchObject({
    url: 'https://f',
  });
  expect(() => where({ host: 'https://f' })).toThrow(/needs --token-file/);
  expect(() => where({ context: 'nope' })).toThrow(/no such context/);
  // Hooks and agents in a session mean the daemon that runs them.
  expect(where({}, { SPOOL_SESSION: 'abc' })).toBeNull();
});

test('[REM-4] contexts are private, and files with tokens that others can read are refused', () => {
  const { env, tokenFile } = machine();
  writeContexts(env, { current: null, contexts: { work: { url: 'https://work', token: 'secret' } } });
  expect(statSync(contextsPath(env)).mode & 0o777).toBe(0o600);
  chmodSync(contextsPath(env), 0o644);
  expect(() => readContexts(env)).toThrow(/chmod 600/);
  chmodSync(tokenFile, 0o640);
  expect(() => chooseHost({ host: 'https://f', 'token-file': tokenFile }, env)).toThrow(/chmod 600/);
});

test('contexts that cannot be read are said, and not overwritten', () => {
  const { env } = machine();
  mkdirSync(contextsPath(env).slice(0, contextsPath(env).lastIndexOf('/')), { recursive: true });
  writeFileSync(contextsPath(env), '{"contexts": {"a": 1}}', { mode: 0o600 });
  expect(() => readContexts(env)).toThrow(/repair it/);
  expect(readFileSync(contextsPath(env), 'utf8')).toContain('"a"');
});

test('contexts that are no file (a pipe, a device) are refused, not waited for', () => {
  const { env } = machine();
  mkdirSync(contextsPath(env).slice(0, contextsPath(env).lastIndexOf('/')), { recursive: true });
  execFileSync('mkfifo', [contextsPath(env)]);
  expect(() => readContexts(env)).toThrow('is not a file');
});

test('[REM-6] verbs about this machine say so from afar, and how to mean this machine', () => {
  const host = { url: 'https://h', token: 't', from: '--host' };
  expect(() => checkAfar('daemon', ['stop'], host)).toThrow(/--context local daemon stop/);
  expect(() => checkAfar('doctor', [], host)).toThrow(/checks this machine/);
  expect(() => checkAfar('daemon', ['status'], host)).not.toThrow();
  expect(() => checkAfar('run', ['ls'], host)).not.toThrow();
});
