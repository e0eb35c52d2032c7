/** Tests the scripts for the other machine with a shell of this one: `ssh` runs them here. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { installOverSsh, removeOverSsh, sessionsLostOverSsh } from './ssh-node.ts';

const URL = 'ssh://box';
const NATIVE = ['spool_native.node', 'spool-beside', 'spool-fd-store', 'spool-hook', 'spool-tied'];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-ssh-node-`);
  mkdirSync(`${folder}/bin`);
  writeProgram(`${folder}/bin/ssh`, 'for last; do :; done; exec sh -c "$last"');
  vi.stubEnv('PATH', `${folder}/bin:${process.env['PATH']}`);
  vi.stubEnv('XDG_DATA_HOME', `${folder}/data`);
  vi.stubEnv('SPOOL_HOME', `${folder}/state`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function writeProgram(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

test('[NODE-21] sessions that cannot be counted do not count as none', async () => {
  const current = `${folder}/data/spool-node/current`;
  mkdirSync(current, { recursive: true });
  const lostWith = async (line: string): Promise<number | null> => {
    writeProgram(`${current}/spool`, line);
    return await sessionsLostOverSsh(URL);
  };
  expect(await lostWith('echo 1; echo 2')).toBe(0); // the daemon there was in use before
  writeFileSync(`${folder}/data/spool-node/fresh`, '');
  expect(await lostWith('echo 1; echo 2')).toBe(2);
  expect(await lostWith('exit 0')).toBe(0);
  expect(await lostWith('echo "another version" >&2; exit 1')).toBeNull();
});

test('[NODE-21] the state of a daemon that does not stop is not removed, and what links lead to never is', async () => {
  const current = `${folder}/data/spool-node/current`;
  for (const path of [current, `${folder}/state`, `${folder}/other`]) mkdirSync(path, { recursive: true });
  for (const name of ['data/spool-node/fresh', 'state/log', 'other/file']) writeFileSync(`${folder}/${name}`, '');
  symlinkSync(`${folder}/other`, `${folder}/data/spool-node/link`);
  symlinkSync(`${folder}/other`, `${folder}/state/link`);
  writeProgram(`${current}/spool`, '[ "$1" != daemon ]');
  await expect(removeOverSsh(URL)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  expect([existsSync(`${folder}/state/log`), existsSync(`${current}/spool`)]).toEqual([true, true]);
  writeProgram(`${current}/spool`, 'exit 0');
  await removeOverSsh(URL);
  expect(readdirSync(folder).toSorted()).toEqual(['bin', 'data', 'other']);
  expect([readdirSync(`${folder}/data`), readdirSync(`${folder}/other`)]).toEqual([[], ['file']]);
});

test('[NODE-21] the package that is there is not copied again when commands have left compiled code', async () => {
  const dist = `${folder}/dist`;
  mkdirSync(`${dist}/code-cache`, { recursive: true });
  for (const name of [...NATIVE, 'spool.cjs']) writeFileSync(`${dist}/${name}`, '');
  expect(await installOverSsh(URL, dist)).toEqual({ isCopied: true });
  writeFileSync(`${dist}/code-cache/ls`, 'compiled');
  expect(await installOverSsh(URL, dist)).toEqual({ isCopied: false });
  const there = readdirSync(`${folder}/data/spool-node/current/dist`);
  expect([there.includes('spool.cjs'), there.includes('code-cache'), existsSync(`${folder}/state`)]).toEqual([
    true,
    false,
    false,
  ]);
});
