/** Tests what a user installs: the packages of `npm run release`, built here, installed without network, compiler and git. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { NAMESPACES_MISSING, runInNamespace, TestDaemon } from '@spool/testkit';
import { missingProgram, NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './support/sources.ts';

/** The limit of the issue is 40 MB; a package of 12 has taken something along. */
const INSTALLED_BYTES_MAX = 12 * 1024 ** 2;
/** A build takes 15 s on a quiet machine; a test beside others may need many times that. */
const BUILD_MS_MAX = 600_000;

const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string };
const packages = mkdtempSync(`${tmpdir()}/spool-release-`);

/** Builds for this machine, with its own compiler: the other platforms need zig, and minutes. */
function build(into: string): void {
  execFileSync(process.execPath, [`${ROOT}/scripts/release/main.mjs`, '--here', '--out', into], { stdio: 'ignore' });
}

beforeAll(() => build(packages), BUILD_MS_MAX);
afterAll(() => rmSync(packages, { recursive: true }));

const platform = `linux-${process.arch}-gnu`;
const platformTarball = `spool-${platform}-${version}.tgz`;

/** Returns the manifest and the files of a tarball, with their sizes. */
function contentOf(tarball: string): { manifest: Record<string, unknown>; files: Map<string, number> } {
  const read = (...args: string[]): string => execFileSync('tar', args, { encoding: 'utf8' });
  const lines = read('-tvzf', `${packages}/${tarball}`).trim().split('\n');
  const files = new Map(lines.map((line) => line.split(/\s+/)).map((words) => [words[5]!, Number(words[2])]));
  return { manifest: JSON.parse(read('-xzOf', `${packages}/${tarball}`, 'package/package.json')) as never, files };
}

test('[REL-1] a release has the packages, notes, components and checksums; none runs or compiles anything at installation', () => {
  expect(readdirSync(packages).sort()).toEqual([
    'NOTES.md',
    'SHA256SUMS',
    'sbom.cdx.json',
    `spool-${version}.tgz`,
    `spool-client-${version}.tgz`,
    platformTarball,
  ]);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: packages, stdio: 'ignore' });
  expect(readFileSync(`${packages}/NOTES.md`, 'utf8')).toMatch(/^The first version/);
  const { components } = JSON.parse(readFileSync(`${packages}/sbom.cdx.json`, 'utf8')) as {
    components: { name: string }[];
  };
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'unbash', 'ws', 'zod']));

  const main = contentOf(`spool-${version}.tgz`);
  expect(main.manifest).toMatchObject({ name: 'spool', version, bin: { spool: 'bin/spool' } });
  expect(main.manifest['optionalDependencies']).toMatchObject({
    '@spool/linux-x64-gnu': version,
    '@spool/linux-x64-musl': version,
    '@spool/linux-arm64-gnu': version,
    '@spool/linux-arm64-musl': version,
  });
  const native = contentOf(platformTarball);
  expect(native.manifest).toMatchObject({ os: ['linux'], cpu: [process.arch], libc: ['glibc'] });
  expect([...native.files.keys()].sort()).toEqual(
    ['LICENSE', 'package.json', 'spool-beside', 'spool-fd-store', 'spool-hook', 'spool-tied', 'spool_native.node'].map(
      (name) => `package/${name}`,
    ),
  );
  for (const { manifest } of [main, native]) {
    expect(Object.keys(manifest)).not.toContain('scripts');
    expect(Object.keys(manifest)).not.toContain('dependencies');
  }
  expect([...main.files.keys()].filter((name) => /\.(map|node|c|h|ts)$/.test(name))).toEqual([]);
  const bytes = [...main.files.values(), ...native.files.values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(INSTALLED_BYTES_MAX);
});

test(
  '[REL-1] two builds of one commit are the same, byte for byte',
  () => {
    const again = mkdtempSync(`${tmpdir()}/spool-release-`);
    build(again);
    const sums = readFileSync(`${again}/SHA256SUMS`, 'utf8');
    rmSync(again, { recursive: true });
    expect(sums).toBe(readFileSync(`${packages}/SHA256SUMS`, 'utf8'));
  },
  BUILD_MS_MAX,
);

testNeeding(
  NAMESPACES_MISSING,
  NOT_ROOT,
  missingProgram('script', 'npm', 'ip'),
)(
  '[REL-2] installed by npm in a root without compiler, git and network, it runs sessions and the page, and leaves only state',
  async () => {
    const root = mkdtempSync(`${tmpdir()}/spool-root-`);
    const support = (name: string): string => fileURLToPath(new URL(`support/${name}`, import.meta.url));
    const command = [support('clean-root.sh'), root, process.execPath, packages, support('first-hour.sh')];
    try {
      const { code, stdout, stderr } = await runInNamespace(['sh', ...command], { withinMs: 200_000 });
      expect({ code, lines: stdout.trim().split('\n'), stderr }).toEqual({
        code: 0,
        lines: [
          'spool',
          'hi',
          'code 3',
          'session attached ended, exit code 4',
          '"state":"running"',
          'page 200 true',
          'doctor: well',
          'prefix: ',
          'home: .local state spool',
          'elsewhere:  passwd',
        ],
        stderr: '',
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);

/** Unpacks the packages as npm lays them out, and returns the folder of the main one. */
function unpack(into: string): string {
  const parts = { spool: `spool-${version}.tgz`, [`@spool/${platform}`]: platformTarball };
  for (const [name, tarball] of Object.entries(parts)) {
    mkdirSync(`${into}/node_modules/${name}`, { recursive: true });
    const where = ['-C', `${into}/node_modules/${name}`, '--strip-components=1'];
    execFileSync('tar', ['-xzf', `${packages}/${tarball}`, ...where]);
  }
  return `${into}/node_modules/spool`;
}

/** The Nodes that `.ci/run` has fetched, and the one that is always there. */
const NODES = [
  ['22', `${ROOT}/.agents/node-22.23.3/node_modules/node-linux-${process.arch}/bin`],
  ['24', `${ROOT}/node_modules/node-linux-${process.arch}/bin`],
  ['26', `${ROOT}/.agents/node-26.9.0/node_modules/node-linux-${process.arch}/bin`],
] as const;

for (const [major, bin] of NODES) {
  testNeeding(existsSync(`${bin}/node`) ? null : `It runs where .ci/run has fetched Node ${major}.`)(
    `[REL-3] with Node ${major}: sessions, a restart of the daemon, the page`,
    async () => {
      const folder = mkdtempSync(`${tmpdir()}/spool-node-`);
      const spool = `${unpack(folder)}/bin/spool`;
      await using daemon = new TestDaemon({ env: { PATH: `${bin}:${process.env['PATH']}` } });
      const run = (...args: string[]): string =>
        execFileSync(spool, args, { env: daemon.env as NodeJS.ProcessEnv, encoding: 'utf8' });
      expect(JSON.parse(run('version', '--json'))).toMatchObject({ node: expect.stringMatching(`^v${major}\\.`) });
      expect(run('run', '--', 'echo', 'hi')).toContain('hi');
      run('run', '-d', '-n', 'kept', '--', 'sh', '-c', 'read line; echo got $line; exit 5');
      run('daemon', 'restart');
      run('send', 'kept', 'word', '--enter');
      const waited = execFileSync('sh', ['-c', '"$0" wait kept >/dev/null; echo $?', spool], {
        env: daemon.env as NodeJS.ProcessEnv,
        encoding: 'utf8',
      });
      expect(waited).toBe('5\n');
      expect(run('logs', 'kept')).toContain('got word');
      const { url } = JSON.parse(run('web', '--json', '--port', daemon.gatewayPort)) as { url: string };
      expect(await (await fetch(new URL('/', url))).text()).toContain('<title>');
      rmSync(folder, { recursive: true });
    },
  );
}

test('[REL-3] an older Node is refused with a sentence that names it', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-node-`);
  const entry = `${unpack(folder)}/dist/spool.cjs`;
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });";
  writeFileSync(`${folder}/old.cjs`, old);
  const said = execFileSync('sh', [
    '-c',
    '"$0" -r "$1" "$2" ls 2>&1; echo $?',
    process.execPath,
    `${folder}/old.cjs`,
    entry,
  ]);
  expect(String(said)).toMatch(/this is Node 20\.19\.0 .* Spool needs Node 22\.15 or later[^]*125\n$/);
  rmSync(folder, { recursive: true });
});

/** The release for all platforms, which `.ci/run` builds. */
const WHOLE = `${ROOT}/.agents/release`;
const wholeMissing = existsSync(`${WHOLE}/SHA256SUMS`)
  ? null
  : 'It runs where .ci/run has built a release for every platform.';

testNeeding(wholeMissing, missingProgram('readelf'))(
  '[REL-4] the native parts of each platform are for it, and need only its C library',
  async () => {
    const seen = ['x64-gnu', 'x64-musl', 'arm64-gnu', 'arm64-musl'].map((name) => {
      const folder = mkdtempSync(`${tmpdir()}/spool-platform-`);
      execFileSync('tar', [
        '-xzf',
        `${WHOLE}/spool-linux-${name}-${version}.tgz`,
        '-C',
        folder,
        '--strip-components=1',
      ]);
      const elf = (file: string, ...flags: string[]): string =>
        execFileSync('readelf', ['-W', ...flags, `${folder}/${file}`], { encoding: 'utf8' });
      const needed = (file: string): string[] =>
        [...elf(file, '-d').matchAll(/NEEDED.*\[(.*)\]/g)].map(([, lib]) => lib!);
      const addon = elf('spool_native.node', '-h', '--dyn-syms');
      const glibcs = [...addon.matchAll(/@GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
      const undefinedHere = [...addon.matchAll(/ UND (\w+)/g)].map(([, symbol]) => symbol!);
      const result = {
        name,
        machine: /Machine:\s+(.*)/.exec(addon)?.[1],
        addon: needed('spool_native.node'),
        programs: ['spool-fd-store', 'spool-beside', 'spool-tied'].flatMap(needed),
        isOldEnough: glibcs.every((minor) => minor <= 28),
        usesNode: undefinedHere.includes('napi_create_function'),
      };
      rmSync(folder, { recursive: true });
      return result;
    });
    const expected = (name: string, machine: string, libc: string): object => {
      return { name, machine, addon: [libc], programs: [], isOldEnough: true, usesNode: true };
    };
    expect(seen).toEqual([
      expected('x64-gnu', 'Advanced Micro Devices X86-64', 'libc.so.6'),
      expected('x64-musl', 'Advanced Micro Devices X86-64', 'libc.so'),
      expected('arm64-gnu', 'AArch64', 'libc.so.6'),
      expected('arm64-musl', 'AArch64', 'libc.so'),
    ]);
  },
);
