/**
 * Compiles the addon and the programs in C for another kind of machine, with zig from npm: `crossBuild` for `npm run release`.
 *
 * The addon links the C library of its platform, in the version that Node itself requires (glibc 2.28). The programs in C are
 * static, so one binary runs on both C libraries. The result does not depend on this machine, its paths or the time: the same
 * sources make the same bytes. Keeps REL-4, REL-20, REL-21.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FLAGS, includeFolder, OUTPUT, PROGRAMS, SOURCES, zigFromNpm } from './build.mjs';

/** The platforms of a release: the fields of their package, and their names in zig. */
export const PLATFORMS = ['x64', 'arm64'].flatMap((cpu) =>
  ['gnu', 'musl'].map((libc) => {
    const machine = { x64: 'x86_64', arm64: 'aarch64' }[cpu];
    return {
      name: `linux-${cpu}-${libc}`,
      os: 'linux',
      cpu,
      libc: libc === 'gnu' ? 'glibc' : 'musl',
      target: `${machine}-linux-${libc === 'gnu' ? 'gnu.2.28' : 'musl'}`,
      staticTarget: `${machine}-linux-musl`,
    };
  }),
);

/**
 * @param {{ root: string, outDir: string, platform: (typeof PLATFORMS)[number], log: (line: string) => void }} options
 */
export function crossBuild({ root, outDir, platform, log }) {
  const zig = zigFromNpm(root, log);
  const cache = join(root, '.setup', 'zig', 'cache');
  mkdirSync(outDir, { recursive: true });
  const compile = (args) => {
    const env = { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache };
    // Paths in the binaries (of assertions) would otherwise be those of this machine.
    const all = ['cc', '-s', `-ffile-prefix-map=${root}=.`, ...args];
    const { error, status, stderr } = spawnSync(zig, all, { cwd: root, env, encoding: 'utf8' });
    if (error) throw new Error(`zig could not be started: ${error.message}; is the npm registry reachable?`);
    if (status !== 0) throw new Error(`zig could not compile for ${platform.name}:\n${stderr}`);
  };
  // musl's own header of sockets has a cast between signed and unsigned.
  const warnings = platform.libc === 'musl' ? ['-Wno-sign-compare'] : [];
  const inputs = SOURCES.filter((path) => path.endsWith('.c'));
  const addon = ['-target', platform.target, ...FLAGS, ...warnings, `-I${includeFolder(root)}`, ...inputs];
  compile([...addon, '-o', join(outDir, OUTPUT)]);
  for (const { name, source } of PROGRAMS)
    compile(['-target', platform.staticTarget, '-static', '-O2', source, '-o', join(outDir, name)]);
}
